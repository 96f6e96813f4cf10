package dev.helixbg.daemon.terminal;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.embed.OnnxCall;
import dev.helixbg.embed.store.AtomicFile;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Makes Ctrl-C and SIGTERM an InterruptedException in the working thread, and holds the JVM back
 * until that thread has saved what it did, and every thread has left ONNX Runtime. Files that other
 * threads are still writing are removed.
 */
public final class Interruption {
  /** Longer than any batch; then the JVM goes, and the files are whole all the same. */
  private static final Duration LONGEST_END = Duration.ofSeconds(10);

  /** Longest wait without a message on what is waited for. */
  private static final Duration SILENT = Duration.ofMillis(700);

  private final Thread worker;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Duration patience = LONGEST_END;
  private volatile Consumer<String> told = _ -> {};

  private Interruption(Thread worker) {
    this.worker = worker;
  }

  /** Call from the thread that works. */
  public static Interruption watch() {
    Interruption interruption = new Interruption(Thread.currentThread());
    try {
      Runtime.getRuntime()
          .addShutdownHook(
              Thread.ofPlatform().name("interruption").unstarted(interruption::stopWork));
    } catch (IllegalStateException e) { // the JVM ends already
      interruption.worker.interrupt();
    }
    return interruption;
  }

  /** Sets who is told, in a line, when the end takes a while. */
  public void tell(Consumer<String> whom) {
    told = whom;
  }

  /** Sets how long the JVM is held back at most. */
  public void waitAtMost(Duration time) {
    patience = time;
  }

  /** The work is over: from here on the process may end at any moment. */
  public void over() {
    ended.countDown();
  }

  private void stopWork() {
    if (ended.getCount() > 0) {
      worker.interrupt();
      try {
        if (!ended.await(SILENT.toMillis(), TimeUnit.MILLISECONDS)) {
          told.accept(
              "ends once what is under way is done, in %d s at most; what was done is kept"
                  .formatted(patience.multipliedBy(2).toSeconds()));
          ended.await(patience.minus(SILENT).toMillis(), TimeUnit.MILLISECONDS);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    boolean calm = OnnxCall.endAll(patience);
    AtomicFile.endWithProcess();
    if (!calm) {
      // Without the destructors of libraries, on which the JVM insists.
      NativeFunction.ofC("_exit").orElseThrow().call(ExitCode.INTERRUPTED.number());
    }
  }
}
