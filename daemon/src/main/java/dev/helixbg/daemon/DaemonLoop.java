package dev.helixbg.daemon;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The daemon's own pace: ticks each KB when it is due, then does the chores, and sleeps until the
 * next is due. Whoever wants something sooner wakes it.
 */
final class DaemonLoop {
  /** What is to be done besides watching, at each step. */
  interface Chores {
    /**
     * @param ticked whether any KB was looked at in this step
     * @return nanoseconds after which it wants to be asked again at the latest
     */
    long run(boolean ticked) throws InterruptedException;
  }

  private final DaemonClock clock;
  private final Chores chores;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition wake = lock.newCondition();
  private List<Due> watches = List.of();
  private boolean woken;
  private volatile boolean stopped;
  private volatile boolean paused;
  private volatile boolean allDue;

  /** KBs that may have changed. */
  private final Set<Kb> hinted = ConcurrentHashMap.newKeySet();

  /** A KB and when it is next looked at. */
  private static final class Due {
    private final KbWatch watch;
    private long at;

    Due(KbWatch watch, long at) {
      this.watch = watch;
      this.at = at;
    }
  }

  DaemonLoop(DaemonClock clock, Chores chores) {
    this.clock = clock;
    this.chores = chores;
  }

  /** All of them are due at once. Call from the loop's thread, or before it runs. */
  void watch(List<KbWatch> all) {
    long now = clock.nanos();
    List<Due> due = new ArrayList<>();
    all.forEach(watch -> due.add(new Due(watch, now)));
    watches = due;
  }

  /** Runs until {@link #stop}. */
  void run() throws InterruptedException {
    while (!stopped) {
      sleep(step());
    }
  }

  /**
   * Does what is due now.
   *
   * @return nanoseconds until something is due again
   */
  long step() throws InterruptedException {
    if (allDue && !paused) {
      allDue = false;
      watches.forEach(due -> due.at = clock.nanos());
    }
    boolean ticked = false;
    long next = Long.MAX_VALUE;
    for (Due due : watches) {
      if (!paused && hinted.remove(due.watch.kb())) {
        due.at = clock.nanos();
      }
      if (!paused && due.at - clock.nanos() <= 0) {
        long wait = due.watch.tick();
        due.at = clock.nanos() + wait;
        ticked = true;
      }
      next = Math.min(next, due.at - clock.nanos());
    }
    long chore = chores.run(ticked);
    return Math.max(0, Math.min(paused ? Long.MAX_VALUE : next, chore));
  }

  private void sleep(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (!woken && !stopped && left > 0) {
        left = wake.awaitNanos(left);
      }
      woken = false;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the sleep: there is something to do for the chores. */
  void wakeUp() {
    signal(() -> woken = true);
  }

  /** Lets the loop look at every KB now. */
  void lookNow() {
    lookNext();
    wakeUp();
  }

  /** Lets the next step look at every KB, whenever it comes. */
  void lookNext() {
    allDue = true;
  }

  /** Lets the loop look at a KB now: something tells that it may have changed. */
  void hint(Kb kb) {
    hinted.add(kb);
    wakeUp();
  }

  void stop() {
    signal(() -> stopped = true);
  }

  void pause(boolean pause) {
    paused = pause;
    wakeUp();
  }

  boolean isPaused() {
    return paused;
  }

  private void signal(Runnable change) {
    lock.lock();
    try {
      change.run();
      wake.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
