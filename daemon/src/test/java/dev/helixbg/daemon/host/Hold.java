package dev.helixbg.daemon.host;

import java.util.concurrent.CountDownLatch;

/** Stops work before one of its steps, until its thread is interrupted. */
public final class Hold {
  /** The number of the step; no step has a negative one. */
  public volatile int at = -1;

  /** Is at 0 once the work has stopped. */
  public final CountDownLatch reached = new CountDownLatch(1);

  void before(int step) throws InterruptedException {
    if (step == at) {
      reached.countDown();
      new CountDownLatch(1).await();
    }
  }
}
