package dev.helixbg.daemon.watch;

import dev.helixbg.daemon.host.DaemonClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;

/**
 * The daemon's main loop: checks each KB when it is due, does the chores, and sleeps. Other threads
 * can wake it.
 */
public final class DaemonLoop {
  public interface Chores {
    /** Does the chores. Returns the longest time until the next call, in nanoseconds. */
    long run() throws InterruptedException;
  }

  private final DaemonClock clock;
  private final Chores chores;

  /** KBs with the time of their next check. */
  private final Map<KbWatch, Long> watches = new LinkedHashMap<>();

  /** Whether the sleep must end. The loop's monitor guards this field and {@link #working}. */
  private boolean woken;

  /** The thread that is checking a KB, which {@link #stop} interrupts; null during other work. */
  private Thread working;

  private volatile boolean stopped;
  private volatile boolean allDue;

  public DaemonLoop(DaemonClock clock, List<KbWatch> all, Chores chores) {
    this.clock = clock;
    this.chores = chores;
    all.forEach(watch -> watches.put(watch, clock.nanos()));
  }

  public void run() throws InterruptedException {
    while (!stopped) {
      sleep(step());
    }
  }

  /** Checks the due KBs and does the chores; returns the nanoseconds until the next step. */
  public long step() throws InterruptedException {
    if (allDue) {
      allDue = false;
      watches.replaceAll((watch, at) -> clock.nanos());
    }
    long next = Long.MAX_VALUE;
    for (Map.Entry<KbWatch, Long> due : watches.entrySet()) {
      KbWatch watch = due.getKey();
      if (due.getValue() - clock.nanos() <= 0) {
        long wait = tick(watch);
        due.setValue(clock.nanos() + wait);
      }
      next = Math.min(next, due.getValue() - clock.nanos());
    }
    return Math.max(0, Math.min(next, chores.run()));
  }

  /** Checks a KB; returns the nanoseconds until the next check, or 0 if the loop was stopped. */
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
          Thread.interrupted(); // cleared, so that the shutdown is not interrupted
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

  private synchronized void wakeUp() {
    woken = true;
    notifyAll();
  }

  /** Wakes the loop and makes it check every KB now. */
  public void lookNow() {
    lookNext();
    wakeUp();
  }

  /** Makes the next step of the loop check every KB; does not end the sleep before that step. */
  public void lookNext() {
    allDue = true;
  }

  public synchronized void stop() {
    stopped = true;
    if (working != null) {
      working.interrupt();
    }
    wakeUp();
  }
}
