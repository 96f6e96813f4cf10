package dev.helixbg.llm.cpu;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A few threads that do one piece of work together, again and again: the calling thread and {@code
 * size − 1} workers.
 *
 * <p>A token takes over a hundred parallel regions of some 100 µs, so handing over must cost well
 * under a microsecond: workers spin on a number for {@link #SPIN_NANOS} after their last work, and
 * only then park. Nothing is allocated per region. One caller at a time.
 */
public final class Team implements AutoCloseable {

  /** The part of a member in one piece of work. */
  @FunctionalInterface
  public interface Work {
    /** Does part {@code member} of {@code members} (0 is the caller). */
    void run(int member, int members);
  }

  /**
   * Longer than the pauses between the regions of a token, far shorter than anyone would notice as
   * a busy processor.
   */
  static final long SPIN_NANOS = 200_000;

  /**
   * Some ten µs, which is as long as parts differ. Where others want the processors too, whoever
   * waits longer waits for a member that has none, and gives it its own.
   */
  private static final int SPINS_BEFORE_YIELD = 512;

  private static final VarHandle SIGNAL = MethodHandles.arrayElementVarHandle(long[].class);

  /** Longs between two signals: two cache lines, because processors fetch lines in pairs. */
  private static final int APART = 16;

  /**
   * At {@code APART}: the number of the current region. At {@code APART · (1 + m)}: the last region
   * that member m finished.
   */
  private final long[] signals;

  private final Worker[] workers;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private Work work;
  private boolean closed;

  /**
   * Starts {@code size − 1} daemon threads.
   *
   * @throws IllegalArgumentException if {@code size} is less than 1
   */
  public Team(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("a team of " + size + " threads");
    }
    signals = new long[APART * (size + 2)];
    workers = new Worker[size - 1];
    for (int i = 0; i < workers.length; i++) {
      workers[i] = new Worker(i + 1);
    }
    try {
      for (Worker worker : workers) {
        worker.start();
      }
    } catch (Throwable e) {
      close(); // those that could be started
      throw e;
    }
  }

  /** Members, the caller included. */
  public int size() {
    return workers.length + 1;
  }

  /**
   * Runs every part, part 0 on the calling thread, and returns when all are done.
   *
   * @throws RuntimeException or Error, the first that a part threw; the team can be used again
   */
  public void run(Work work) {
    if (closed) {
      throw new IllegalStateException("the team is closed");
    }
    if (workers.length == 0) {
      work.run(0, 1);
      return;
    }
    this.work = work;
    long region = signals[APART] + 1;
    start(region);
    try {
      work.run(0, size());
    } catch (Throwable t) {
      failure.compareAndSet(null, t);
    }
    for (int member = 1; member < size(); member++) {
      awaitFinished(member, region);
    }
    this.work = null;
    if (failure.get() != null) {
      rethrow(failure.getAndSet(null));
    }
  }

  /** Ends the workers and waits for them. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    start(signals[APART] + 1);
    boolean interrupted = false;
    for (Worker worker : workers) {
      while (worker.isAlive()) {
        try {
          worker.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void start(long region) {
    SIGNAL.setVolatile(signals, APART, region);
    for (Worker worker : workers) {
      if (worker.parked) {
        LockSupport.unpark(worker);
      }
    }
  }

  private void awaitFinished(int member, long region) {
    int place = APART * (1 + member);
    for (int spins = 0; (long) SIGNAL.getAcquire(signals, place) != region; spins++) {
      if (spins < SPINS_BEFORE_YIELD) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  private static void rethrow(Throwable t) {
    switch (t) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(t);
    }
  }

  private final class Worker extends Thread {
    private final int member;
    private volatile boolean parked;

    Worker(int member) {
      super("helix-llm-" + member);
      this.member = member;
      setDaemon(true);
    }

    @Override
    public void run() {
      for (long region = 1; ; region++) {
        awaitStart(region);
        if (closed) {
          return;
        }
        try {
          work.run(member, size());
        } catch (Throwable t) {
          failure.compareAndSet(null, t);
        }
        SIGNAL.setRelease(signals, APART * (1 + member), region);
      }
    }

    private void awaitStart(long region) {
      long deadline = 0;
      for (int spins = 1; (long) SIGNAL.getAcquire(signals, APART) != region; spins++) {
        if (spins < SPINS_BEFORE_YIELD) {
          Thread.onSpinWait();
        } else {
          Thread.yield();
        }
        if (spins % 256 == 0) {
          long now = System.nanoTime();
          if (deadline == 0) {
            deadline = now + SPIN_NANOS;
          } else if (now - deadline > 0) {
            park(region);
          }
        }
      }
    }

    /**
     * The flag is set before the last look at the signal, and the caller writes the signal before
     * it looks at the flag: one of both sees the other.
     */
    private void park(long region) {
      parked = true;
      while ((long) SIGNAL.getVolatile(signals, APART) != region) {
        LockSupport.park(Team.this);
      }
      parked = false;
    }
  }
}
