package dev.helixbg.llm.cpu;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A few threads that do one piece of work together, again and again: the calling thread and {@code
 * size − 1} workers.
 *
 * <p>Work comes in parts. Each member has a run of them of its own, which it takes in order, so
 * that its processor can fetch ahead; who has none left takes those of others: a slow processor, or
 * one that others use too, gets fewer. No thread waits for a member that took none.
 *
 * <p>A token takes over a hundred parallel regions of some 100 µs, so handing over must cost well
 * under a microsecond: workers spin on a number for {@link #SPIN_NANOS} after their last work, and
 * only then park. Nothing is allocated per region. One caller at a time.
 */
public class ThreadTeam implements AutoCloseable {

  /** Work of one region. */
  @FunctionalInterface
  public interface Work {
    /**
     * Does one part.
     *
     * @param member that does it, 0 to {@code size − 1}: what belongs to it is its own meanwhile;
     *     the caller is 0
     */
    void run(int member, int part);
  }

  /**
   * Longer than the pauses between the regions of a token, far shorter than anyone would notice as
   * a busy processor.
   */
  static final long SPIN_NANOS = 200_000;

  /**
   * Spins for some ten µs, which is as long as parts last. Where others want the processors too, a
   * thread that waits longer waits for a member that has none, and gives it its own.
   */
  private static final int SPINS_BEFORE_YIELD = 512;

  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);

  /** Two cache lines, because processors fetch lines in pairs. */
  private static final int APART = 32;

  private static final int UNFINISHED = 0;

  /**
   * At {@link #UNFINISHED}: the parts of the current region that are not done. At {@link #untaken}
   * of a member: those of its own that were not taken, or {@link #END}.
   */
  private final int[] counts;

  private static final int END = -1;

  private final Worker[] workers;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private Work work;
  private int parts;
  private boolean closed;

  /**
   * Starts {@code size − 1} daemon threads.
   *
   * @throws IllegalArgumentException if {@code size} is less than 1
   */
  public ThreadTeam(int size) {
    if (size < 1) {
      throw new IllegalArgumentException("a team of " + size + " threads");
    }
    counts = new int[(size + 2) * APART];
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

  private static int untaken(int member) {
    return (member + 1) * APART;
  }

  /** The first of a member's own parts, or those before it. */
  private int partsBefore(int member) {
    return (int) Math.ceilDiv((long) parts * member, size());
  }

  /**
   * Runs parts 0 to {@code parts − 1}, each once, by any member, and returns when all are done.
   *
   * @throws RuntimeException or Error, the first that a part threw, after all others were done; the
   *     team can be used again
   */
  public void run(Work work, int parts) {
    if (closed) {
      throw new IllegalStateException("the team is closed");
    }
    this.work = work;
    this.parts = parts;
    COUNT.setRelease(counts, UNFINISHED, parts);
    for (int member = size() - 1; member >= 0; member--) {
      int own = partsBefore(member + 1) - partsBefore(member);
      if (own > 0) {
        give(member, own);
      }
    }
    takeParts(0);
    for (int spins = 0; (int) COUNT.getAcquire(counts, UNFINISHED) != 0; spins++) {
      rest(spins);
    }
    this.work = null;
    if (failure.get() != null) {
      rethrow(failure.getAndSet(null));
    }
  }

  /**
   * Takes part after part, its own ones first, until none is left. Until it tells so the region
   * cannot end: {@link #work} and {@link #parts} are its own.
   */
  private void takeParts(int member) {
    int taken = 0;
    for (int i = 0; i < size(); i++) {
      taken += takeParts(member, (member + i) % size());
    }
    // Once: it makes the processor wait for what it has under way.
    int _ = (int) COUNT.getAndAdd(counts, UNFINISHED, -taken);
  }

  /** Takes those of one member; returns how many. */
  private int takeParts(int member, int owner) {
    int at = untaken(owner);
    int taken = 0;
    int untaken = (int) COUNT.getVolatile(counts, at);
    while (untaken > 0) {
      int seen = (int) COUNT.compareAndExchange(counts, at, untaken, untaken - 1);
      if (seen != untaken) {
        untaken = seen;
        continue;
      }
      taken++;
      try {
        work.run(member, partsBefore(owner + 1) - untaken);
      } catch (Throwable t) {
        failure.compareAndSet(null, t);
      }
      untaken = (int) COUNT.getVolatile(counts, at);
    }
    return taken;
  }

  /** Ends the workers and waits for them. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (Worker worker : workers) {
      give(worker.member, END);
    }
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

  private void give(int member, int own) {
    COUNT.setVolatile(counts, untaken(member), own);
    if (member > 0 && workers[member - 1].parked) {
      LockSupport.unpark(workers[member - 1]);
    }
  }

  private static void rest(int spins) {
    if (spins < SPINS_BEFORE_YIELD) {
      Thread.onSpinWait();
    } else {
      Thread.yield();
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
      while (awaitParts() != END) {
        takeParts(member);
      }
    }

    /** Returns how many parts of its own there are to take, or {@link #END}. */
    private int awaitParts() {
      long deadline = 0;
      int untaken;
      for (int spins = 1;
          (untaken = (int) COUNT.getAcquire(counts, untaken(member))) == 0;
          spins++) {
        rest(spins);
        if (spins % 256 == 0) {
          long now = System.nanoTime();
          if (deadline == 0) {
            deadline = now + SPIN_NANOS;
          } else if (now - deadline > 0) {
            park();
          }
        }
      }
      return untaken;
    }

    /**
     * The flag is set before the last look at the count, and the caller writes the count before it
     * looks at the flag: one of both sees the other.
     */
    private void park() {
      parked = true;
      while ((int) COUNT.getVolatile(counts, untaken(member)) == 0) {
        LockSupport.park(ThreadTeam.this);
      }
      parked = false;
    }
  }
}
