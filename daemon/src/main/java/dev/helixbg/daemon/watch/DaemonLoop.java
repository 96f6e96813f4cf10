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

  /** KBs, and when each is next looked at. */
  private Map<KbWatch, Long> watches = Map.of();

  /** Ends the sleep. Guarded by this, like the three below. */
  private boolean woken;

  /** Steps that are done. */
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
    countStep();
    return Math.max(0, Math.min(paused ? Long.MAX_VALUE : next, chore));
  }

  /**
   * Looks at a KB until that is done or called off.
   *
   * @return nanoseconds after which to look again; empty when it was called off or did not begin
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
   * Ends the work that may be called off.
   *
   * @return whether it was called off, once
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

  /** Waits until something is so, at most for a time. Called with the lock of this. */
  private void await(BooleanSupplier isSo, long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; left > 0 && !isSo.getAsBoolean(); left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
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

  /** Ends it, and what it is doing. */
  public synchronized void stop() {
    stopped = true;
    callOff();
  }

  /** Looks at no KB any more, and ends what it is doing; what was done is kept. */
  synchronized void pause() {
    paused = true;
    callOff();
  }

  /**
   * The same, and waits for the end of the step under way, or of the next.
   *
   * @return whether it came in time
   */
  public synchronized boolean pause(Duration patience) throws InterruptedException {
    long before = steps; // as of the pause: a step may end before this thread waits
    pause();
    await(() -> steps != before, patience.toNanos());
    return steps != before;
  }

  public void resume() {
    paused = false;
    wakeUp();
  }

  /** Interrupts what it is doing. Called with the lock of this. */
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
