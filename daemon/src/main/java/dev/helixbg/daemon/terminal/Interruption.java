package dev.helixbg.daemon.terminal;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.embed.OnnxCall;
import dev.helixbg.embed.store.AtomicFile;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Turns Ctrl-C and SIGTERM into an interrupt of the working thread. The JVM waits until that thread
 * has saved its work and every thread has left ONNX Runtime.
 */
public final class Interruption {
  /** Longest time from the signal to the end of the JVM; all files are complete even then. */
  private static final Duration LONGEST_END = Duration.ofSeconds(10);

  private static final Duration SILENT = Duration.ofMillis(700);

  private final Thread worker;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile Duration patience = LONGEST_END;
  private volatile Consumer<String> told = _ -> {};

  private Interruption(Thread worker) {
    this.worker = worker;
  }

  /** Installs the handler, which interrupts the calling thread. */
  public static Interruption watch() {
    Interruption interruption = new Interruption(Thread.currentThread());
    try {
      Runtime.getRuntime()
          .addShutdownHook(
              Thread.ofPlatform().name("interruption").unstarted(interruption::stopWork));
    } catch (IllegalStateException e) { // the JVM is already ending
      interruption.worker.interrupt();
    }
    return interruption;
  }

  public void tell(Consumer<String> whom) {
    told = whom;
  }

  public void waitAtMost(Duration time) {
    patience = time;
  }

  public void over() {
    ended.countDown();
  }

  private void stopWork() {
    if (ended.getCount() > 0) {
      worker.interrupt();
      try {
        if (!ended.await(SILENT.toMillis(), TimeUnit.MILLISECONDS)) {
          told.accept(
              "stopping after the current step, in %d s at most; finished work is kept"
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
      // Skips the destructors of libraries, which the JVM would run.
      NativeFunction.ofC("_exit").orElseThrow().call(ExitCode.INTERRUPTED.number());
    }
  }
}
