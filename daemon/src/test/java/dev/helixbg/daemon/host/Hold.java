package dev.helixbg.daemon.host;

import java.util.concurrent.CountDownLatch;

/** Stops work before one of its steps, until its thread is interrupted. */
public final class Hold {
  /** Number of the step before which the work stops; negative: it does not stop. */
  public volatile int at = -1;

  /** Latch that opens when the work has stopped. */
  public final CountDownLatch reached = new CountDownLatch(1);

  void before(int step) throws InterruptedException {
    if (step == at) {
      reached.countDown();
      new CountDownLatch(1).await();
    }
  }
}
