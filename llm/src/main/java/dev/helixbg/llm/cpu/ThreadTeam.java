package dev.helixbg.llm.cpu;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A team of threads that runs pieces of work together: the calling thread and {@code size − 1}
 * workers. A member is one of these threads.
 *
 * <p>Work is divided into parts. Each member has a range of parts, which it takes in order, so that
 * its processor can prefetch. A member that has no parts left takes parts of other members, so slow
 * processors run fewer parts. No thread waits for a member that has not taken any parts.
 *
 * <p>A region is one call of {@link #run}. Computing a token takes more than a hundred regions of
 * about 100 µs each, so the start of a region must cost well under a microsecond. Workers therefore
 * spin for {@link #SPIN_NANOS} after their last work before they park. A region allocates no
 * memory. Only one thread at a time may call {@link #run}.
 */
public final class ThreadTeam implements AutoCloseable {

  @FunctionalInterface
  public interface Work {
    /**
     * @param member number of the member that runs the part, 0 to {@code size − 1}; the calling
     *     thread has number 0. No other thread has this number meanwhile, so data of one member
     *     needs no lock.
     */
    void run(int member, int part);
  }

  /**
   * Time that a worker spins before it parks, in nanoseconds. It is longer than the pauses between
   * regions, but so short that users do not notice a busy processor.
   */
  static final long SPIN_NANOS = 200_000;

  /**
   * Number of spins before a waiting thread yields its processor. These spins take roughly ten µs.
   * A part takes about as long, so a longer wait means that another member needs a processor.
   */
  private static final int SPINS_BEFORE_YIELD = 512;

  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);

  /** Distance between counts, in ints: two cache lines, since processors fetch lines in pairs. */
  private static final int APART = 32;

  private static final int UNFINISHED = 0;

  /**
   * Counts of parts. At index {@link #UNFINISHED} is the number of the region's unfinished parts.
   * At index {@link #untaken} is the number of a member's untaken parts, or {@link #END} if the
   * member must end.
   */
  private final int[] counts;

  private static final int END = -1;

  private final Worker[] workers;
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private Work work;
  private int parts;
  private boolean closed;

  public ThreadTeam(int size) {
    counts = new int[(size + 2) * APART];
    workers = new Worker[size - 1];
    Arrays.setAll(workers, i -> new Worker(i + 1));
    try {
      for (Worker worker : workers) {
        worker.start();
      }
    } catch (Throwable e) {
      close(); // ends the workers that were started
      throw e;
    }
  }

  public int size() {
    return workers.length + 1;
  }

  private static int untaken(int member) {
    return (member + 1) * APART;
  }

  private int partsBefore(int member) {
    return (int) Math.ceilDiv((long) parts * member, size());
  }

  /**
   * Runs parts 0 to {@code parts − 1}, each once, on any member, and returns when all parts have
   * ended.
   *
   * @throws RuntimeException the first exception of a part. It is thrown after all parts have
   *     ended; an Error is thrown in the same way. The team can be used again.
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
      switch (failure.getAndSet(null)) {
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case Throwable e -> throw new IllegalStateException(e);
      }
    }
  }

  /**
   * Takes and runs parts of the present work until no part is left. The member first takes the
   * parts that were assigned to it. When it has run its last part, it subtracts the number of parts
   * that it ran from the number of unfinished parts. Before that, {@link #work} and {@link #parts}
   * do not change.
   */
  private void takeParts(int member) {
    int taken = 0;
    for (int i = 0; i < size(); i++) {
      taken += takeParts(member, (member + i) % size());
    }
    // Subtracts all taken parts at once, because each atomic instruction stalls the processor's
    // pipeline.
    int _ = (int) COUNT.getAndAdd(counts, UNFINISHED, -taken);
  }

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
     * Parks until the worker has untaken parts. The worker sets {@link #parked} before it reads its
     * number of untaken parts; the thread that gives parts writes that number before it reads
     * {@code parked}. Therefore, at least one of the two threads sees the other thread's write.
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
