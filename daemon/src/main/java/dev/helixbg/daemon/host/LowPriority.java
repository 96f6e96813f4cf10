package dev.helixbg.daemon.host;

import dev.helixbg.config.natives.NativeFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a thread run when no other program wants the processor. Java's own thread priorities do
 * nothing on Linux.
 *
 * <p>On Linux a thread has a nice value of its own, which the threads that it starts inherit and
 * which none of them can lower again. On a Mac the service's nice value is that of all threads:
 * what would be lower there, the background class, also starves work on the GPU.
 */
public final class LowPriority {
  private static final Logger LOG = LoggerFactory.getLogger(LowPriority.class);

  /** The last in the queue. */
  static final int NICE = 19;

  private static final int PRIO_PROCESS = 0;
  private static final int THIS_THREAD = 0;

  private LowPriority() {}

  /** For the calling thread and those that it starts from now on. */
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
