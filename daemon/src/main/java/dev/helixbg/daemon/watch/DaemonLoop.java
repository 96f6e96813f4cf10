package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.kb.Kb;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * The daemon's own pace: ticks each KB when it is due, then does the chores, and sleeps until the
 * next is due, or until a thread that wants something sooner wakes it.
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

  /** KBs, and when each is next looked at. */
  private Map<KbWatch, Long> watches = Map.of();

  /** Ends the sleep. Guarded by this, like {@link #working}. */
  private boolean woken;

  /** Looks at a KB, which {@link #stop} interrupts; null while none does. */
  private Thread working;

  private volatile boolean stopped;
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
    if (allDue) {
      allDue = false;
      watches.replaceAll((watch, at) -> clock.nanos());
    }
    long next = Long.MAX_VALUE;
    for (Map.Entry<KbWatch, Long> due : watches.entrySet()) {
      KbWatch watch = due.getKey();
      if (hinted.remove(watch.kb())) {
        due.setValue(clock.nanos());
      }
      if (due.getValue() - clock.nanos() <= 0) {
        long wait = tick(watch);
        due.setValue(clock.nanos() + wait);
      }
      next = Math.min(next, due.getValue() - clock.nanos());
    }
    return Math.max(0, Math.min(next, chores.run()));
  }

  /**
   * Looks at a KB until that is done, or {@link #stop} ends it.
   *
   * @return nanoseconds after which to look again
   * @throws InterruptedException when another thread interrupts this one
   */
  private long tick(KbWatch watch) throws InterruptedException {
    synchronized (this) {
      if (stopped) {
        return 0;
      }
      working = Thread.currentThread();
    }
    try {
      return watch.tick();
    } catch (InterruptedException | CancellationException e) {
      if (stopped) {
        return 0;
      }
      throw e;
    } finally {
      synchronized (this) {
        working = null;
        if (stopped) {
          Thread.interrupted(); // what follows is to close everything
        }
      }
    }
  }

  private synchronized void sleep(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0 && !woken && !stopped; left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    woken = false;
  }

  /** Ends the sleep: there is something to do for the chores. */
  synchronized void wakeUp() {
    woken = true;
    notifyAll();
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

  /** Ends it, and interrupts what it is doing; what was done is kept. */
  public synchronized void stop() {
    stopped = true;
    if (working != null) {
      working.interrupt();
    }
    wakeUp();
  }
}
