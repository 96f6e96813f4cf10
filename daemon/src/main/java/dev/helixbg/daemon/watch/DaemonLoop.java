package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.kb.Kb;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The daemon's own pace: ticks each KB when it is due, then does the chores, and sleeps until the
 * next is due. Whoever wants something sooner wakes it.
 */
public final class DaemonLoop {
  /** Work besides watching, done at each step. */
  public interface Chores {
    /**
     * @return nanoseconds after which it wants to be asked again at the latest
     */
    long run() throws InterruptedException;
  }

  private final DaemonClock clock;
  private final Chores chores;
  private final ReentrantLock lock = new ReentrantLock();

  /** Something is to be done, or a step is. */
  private final Condition changed = lock.newCondition();

  /** KBs, and when each is next looked at. */
  private Map<KbWatch, Long> watches = Map.of();

  private boolean woken;

  /** Steps that are done. Guarded by the lock, like the two below. */
  private long steps;

  /** Does work that may be called off; null otherwise. */
  private Thread working;

  private boolean calledOff;
  private volatile boolean stopped;
  private volatile boolean paused;
  private volatile boolean allDue;

  /** KBs that may have changed. */
  private final Set<Kb> hinted = ConcurrentHashMap.newKeySet();

  public DaemonLoop(DaemonClock clock, Chores chores) {
    this.clock = clock;
    this.chores = chores;
  }

  /** All of them are due at once. Call from the loop's thread, or before it runs. */
  public void watch(List<KbWatch> all) {
    long now = clock.nanos();
    Map<KbWatch, Long> due = new LinkedHashMap<>();
    all.forEach(watch -> due.put(watch, now));
    watches = due;
  }

  /** Runs until {@link #stop}. */
  public void run() throws InterruptedException {
    while (!stopped) {
      sleep(step());
    }
  }

  /**
   * Does what is due now.
   *
   * @return nanoseconds until something is due again
   */
  public long step() throws InterruptedException {
    if (allDue && !paused) {
      allDue = false;
      watches.replaceAll((watch, at) -> clock.nanos());
    }
    long next = Long.MAX_VALUE;
    for (Map.Entry<KbWatch, Long> due : watches.entrySet()) {
      KbWatch watch = due.getKey();
      if (!paused && hinted.remove(watch.kb())) {
        due.setValue(clock.nanos());
      }
      if (due.getValue() - clock.nanos() <= 0) {
        tick(watch).ifPresent(wait -> due.setValue(clock.nanos() + wait));
      }
      next = Math.min(next, due.getValue() - clock.nanos());
    }
    long chore = chores.run();
    signal(() -> steps++);
    return Math.max(0, Math.min(paused ? Long.MAX_VALUE : next, chore));
  }

  /**
   * Looks at a KB until that is done or called off.
   *
   * @return nanoseconds after which to look again; empty when it was called off or did not begin
   * @throws InterruptedException when another thread interrupts this one
   */
  private OptionalLong tick(KbWatch watch) throws InterruptedException {
    lock.lock();
    try {
      if (paused || stopped) {
        return OptionalLong.empty();
      }
      working = Thread.currentThread();
    } finally {
      lock.unlock();
    }
    try {
      return OptionalLong.of(watch.tick());
    } catch (InterruptedException | CancellationException e) {
      if (ended()) {
        return OptionalLong.empty();
      }
      throw e;
    } finally {
      ended();
    }
  }

  /**
   * Nobody calls off what comes next.
   *
   * @return whether the work was called off, once
   */
  private boolean ended() {
    lock.lock();
    try {
      boolean was = calledOff;
      if (was) {
        Thread.interrupted();
      }
      working = null;
      calledOff = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  private void sleep(long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = nanos;
      while (!woken && !stopped && left > 0) {
        left = changed.awaitNanos(left);
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
  public void lookNow() {
    lookNext();
    wakeUp();
  }

  /** Lets the next step look at every KB, whenever it comes. */
  public void lookNext() {
    allDue = true;
  }

  /** Lets the loop look at a KB now: something tells that it may have changed. */
  public void hint(Kb kb) {
    hinted.add(kb);
    wakeUp();
  }

  /** Ends it, and what it is doing. */
  public void stop() {
    signal(() -> stopped = true);
    callOff();
  }

  /** Looks at no KB any more, and ends what it is doing; what was done is kept. */
  void pause() {
    signal(() -> paused = true);
    callOff();
  }

  /**
   * The same, and waits for the end of the step under way, or of the next.
   *
   * @return whether it came in time
   */
  public boolean pause(Duration patience) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long before = steps; // as of the pause: a step may end before this thread waits
      pause();
      long left = patience.toNanos();
      while (steps == before && left > 0) {
        left = changed.awaitNanos(left);
      }
      return steps != before;
    } finally {
      lock.unlock();
    }
  }

  public void resume() {
    paused = false;
    wakeUp();
  }

  /** Interrupts what it is doing. */
  private void callOff() {
    signal(
        () -> {
          woken = true;
          if (working != null) {
            calledOff = true;
            working.interrupt();
          }
        });
  }

  public boolean isPaused() {
    return paused;
  }

  private void signal(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
