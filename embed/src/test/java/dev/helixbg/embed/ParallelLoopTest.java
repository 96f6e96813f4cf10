package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A loop ends only when all of its threads have left it, whatever happens. */
@Timeout(60)
class ParallelLoopTest {

  @Test
  void eachStepIsRunOnce() throws InterruptedException {
    for (int threads = 1; threads <= 5; threads++) {
      AtomicInteger[] runs = new AtomicInteger[17];
      Arrays.setAll(runs, i -> new AtomicInteger());
      ParallelLoop.run(threads, runs.length, i -> runs[i].incrementAndGet());
      for (AtomicInteger run : runs) {
        assertEquals(1, run.get());
      }
    }
  }

  /** What the steps use is freed when the loop has ended, so none may still be running. */
  @Test
  void whenTheSystemHasNoMoreThreadsThoseThatRunAreWaitedFor() {
    CountDownLatch begun = new CountDownLatch(1);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger made = new AtomicInteger();
    OutOfMemoryError error =
        assertThrows(
            OutOfMemoryError.class,
            () ->
                ParallelLoop.run(
                    3,
                    1_000,
                    i -> {
                      running.incrementAndGet();
                      begun.countDown();
                      Thread.sleep(100);
                      running.decrementAndGet();
                    },
                    work -> {
                      if (made.getAndIncrement() == 0) {
                        return new Thread(work);
                      }
                      try {
                        begun.await();
                      } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                      }
                      throw new OutOfMemoryError("unable to create native thread");
                    }));
    assertTrue(error.getMessage().contains("native thread"));
    assertEquals(0, running.get());
    assertFalse(Thread.interrupted());
  }
}
