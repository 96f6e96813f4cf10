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
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * The daemon's main loop: checks each KB when it is due, then does the chores, and sleeps until the
 * next KB is due. Other threads can wake the loop.
 */
public final class DaemonLoop {
  /** Other work of each step. */
  public interface Chores {
    /**
     * @return longest time until the next call, in nanoseconds
     */
    long run() throws InterruptedException;
  }

  private final DaemonClock clock;
  private final Chores chores;

  /** KBs with the time of their next check. */
  private Map<KbWatch, Long> watches = Map.of();

  /** Whether the sleep must end. This object is the lock of this field and the next three. */
  private boolean woken;

  /** Number of finished steps. */
  private long steps;

  /** Thread with work that can be cancelled; null if there is none. */
  private Thread working;

  private boolean calledOff;
  private volatile boolean stopped;
  private volatile boolean paused;
  private volatile boolean allDue;

  /** KBs that may have changed, by hints. */
  private final Set<Kb> hinted = ConcurrentHashMap.newKeySet();

  public DaemonLoop(DaemonClock clock, Chores chores) {
    this.clock = clock;
    this.chores = chores;
  }

  /**
   * Sets the watched KBs, all of which are due at once. Must be called on the loop's thread, or
   * before the loop runs.
   */
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
   * Runs one step: checks the due KBs and does the chores.
   *
   * @return nanoseconds until the next step
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
    countStep();
    return Math.max(0, Math.min(paused ? Long.MAX_VALUE : next, chore));
  }

  /**
   * Checks a KB, unless the work is cancelled.
   *
   * @return nanoseconds until the next check; empty if the work was cancelled or did not begin
   * @throws InterruptedException when another thread interrupts this one
   */
  private OptionalLong tick(KbWatch watch) throws InterruptedException {
    if (!begin()) {
      return OptionalLong.empty();
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

  private synchronized boolean begin() {
    if (paused || stopped) {
      return false;
    }
    working = Thread.currentThread();
    return true;
  }

  /**
   * Ends the work that can be cancelled.
   *
   * @return whether the work was cancelled; true only once
   */
  private synchronized boolean ended() {
    boolean was = calledOff;
    if (was) {
      Thread.interrupted();
    }
    working = null;
    calledOff = false;
    return was;
  }

  private synchronized void countStep() {
    steps++;
    notifyAll();
  }

  private synchronized void sleep(long nanos) throws InterruptedException {
    await(() -> woken || stopped, nanos);
    woken = false;
  }

  /**
   * Waits until a condition is true, for at most a time. The caller must have this object's lock.
   */
  private void await(BooleanSupplier isSo, long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0 && !isSo.getAsBoolean(); left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  /** Ends the sleep, for chores. */
  synchronized void wakeUp() {
    woken = true;
    notifyAll();
  }

  /** Makes the loop check every KB now. */
  public void lookNow() {
    lookNext();
    wakeUp();
  }

  /** Makes the next step check every KB. */
  public void lookNext() {
    allDue = true;
  }

  /** Makes the loop check a KB now, since it may have changed. */
  public void hint(Kb kb) {
    hinted.add(kb);
    wakeUp();
  }

  /** Ends the loop and cancels its work. */
  public synchronized void stop() {
    stopped = true;
    callOff();
  }

  /** Stops checking KBs and cancels the present work; finished results are kept. */
  synchronized void pause() {
    paused = true;
    callOff();
  }

  /**
   * Pauses the loop and waits for the end of the current or next step.
   *
   * @return whether the step ended in time
   */
  public synchronized boolean pause(Duration patience) throws InterruptedException {
    long before = steps; // read before the pause, since a step may end before this thread waits
    pause();
    await(() -> steps != before, patience.toNanos());
    return steps != before;
  }

  public void resume() {
    paused = false;
    wakeUp();
  }

  /** Interrupts the present work. The caller must have this object's lock. */
  private void callOff() {
    if (working != null) {
      calledOff = true;
      working.interrupt();
    }
    wakeUp();
  }

  public boolean isPaused() {
    return paused;
  }
}
