package dev.helixbg.daemon.host;

import dev.helixbg.config.natives.NativeFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a thread run only when no other program needs the processor. Java's thread priorities have
 * no effect on Linux.
 *
 * <p>On Linux each thread has a nice value, which new threads inherit and no thread can lower
 * again. On a Mac all threads keep the service's nice value, because macOS's background priority
 * would also slow down work on the GPU.
 */
public final class LowPriority {
  private static final Logger LOG = LoggerFactory.getLogger(LowPriority.class);

  /** Nice value of the lowest priority. */
  static final int NICE = 19;

  private static final int PRIO_PROCESS = 0;
  private static final int THIS_THREAD = 0;

  private LowPriority() {}

  /** Sets the priority of the calling thread and of threads that it starts later. */
  public static void take() {
    Thread.currentThread().setPriority(Thread.MIN_PRIORITY);
    if (!System.getProperty("os.name").startsWith("Linux")) {
      return;
    }
    // int setpriority(int which, id_t who, int value)
    NativeFunction.ofC("setpriority")
        .ifPresent(
            f -> LOG.debug("setpriority: {}", (int) f.call(PRIO_PROCESS, THIS_THREAD, NICE)));
  }
}
