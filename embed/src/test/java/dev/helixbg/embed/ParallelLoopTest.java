package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

class ParallelLoopTest {
  @Test
  void everyStepRunsOnce() throws InterruptedException {
    for (int threads = 1; threads <= 5; threads++) {
      for (int steps = 0; steps <= 9; steps++) {
        AtomicIntegerArray ran = new AtomicIntegerArray(10);
        ParallelLoop.run(threads, steps, ran::incrementAndGet);
        ParallelLoop.runToTheEnd("test", threads, steps, ran::incrementAndGet);
        for (int i = 0; i < 10; i++) {
          assertEquals(i < steps ? 2 : 0, ran.get(i));
        }
      }
    }
  }

  @Test
  void theFirstFailureEndsTheLoopAndIsThrown() {
    AtomicInteger ran = new AtomicInteger();
    for (Throwable thrown :
        new Throwable[] {new IllegalStateException(), new StackOverflowError()}) {
      Throwable caught =
          assertThrows(
              Throwable.class,
              () ->
                  ParallelLoop.runToTheEnd(
                      "test",
                      1,
                      10,
                      i -> {
                        ran.incrementAndGet();
                        if (i == 2) {
                          ParallelLoopTest.<RuntimeException>sneak(thrown);
                        }
                      }));
      assertEquals(thrown, caught);
    }
    assertEquals(6, ran.get());
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void anInterruptEndsOneLoopAndWaitsForTheOther() {
    AtomicInteger ran = new AtomicInteger();
    Thread.currentThread().interrupt();
    ParallelLoop.runToTheEnd("test", 2, 10, i -> ran.incrementAndGet());
    assertEquals(10, ran.get());
    assertTrue(Thread.currentThread().isInterrupted(), "it is kept");
    assertThrows(
        InterruptedException.class, () -> ParallelLoop.run(1, 10, i -> ran.incrementAndGet()));
    assertEquals(10, ran.get());
    assertFalse(Thread.currentThread().isInterrupted());
  }

  /**
   * The caller frees the memory of the steps after the loop, so the loop must wait for running
   * steps.
   */
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
