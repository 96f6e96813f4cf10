package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The ring of command buffers, first in, first out: the next is encoded while up to the ring's
 * depth less one are with the GPU.
 *
 * <p>They end in the order in which they were committed, so waiting for one is waiting for all
 * before it.
 */
final class CommandBufferRing {
  /** Hides the time between two passes from the GPU. */
  static final int DEPTH = 3;

  private final GpuDevice device;
  private final BackendCounters counters;
  private final GpuCommands[] buffers = new GpuCommands[DEPTH];

  /** To be closed when the buffer has ended that was the last begun when they came here. */
  private final Deque<Outgrown> outgrown = new ArrayDeque<>();

  private record Outgrown(long number, Arena arena) {}

  /** Buffers begun, committed, and known to have ended, since the beginning. */
  private long begun;

  private long committed;
  private long ended;

  private boolean rehearsing;

  CommandBufferRing(GpuDevice device, BackendCounters counters) {
    this.device = device;
    this.counters = counters;
  }

  /** An empty command buffer; first waits for the oldest if too many are on their way. */
  GpuCommands begin() {
    awaitThrough(begun - DEPTH);
    closeOutgrown(ended);
    GpuCommands buffer = rehearsing ? new NoCommands() : device.commands();
    buffers[slot(begun)] = buffer;
    begun++;
    return buffer;
  }

  /** Closes an arena when the buffer has ended that was begun last, and some other is begun. */
  void closeAfterLast(Arena arena) {
    outgrown.add(new Outgrown(begun - 1, arena));
  }

  private void closeOutgrown(long before) {
    while (!outgrown.isEmpty() && outgrown.getFirst().number() < before) {
      outgrown.removeFirst().arena().close();
    }
  }

  /** Whether what is begun from now on only looks like it. */
  void rehearse(boolean begins) {
    rehearsing = begins;
  }

  /** Which of its places the buffer has that was begun last. */
  int slot() {
    return slot(begun - 1);
  }

  private int slot(long number) {
    return (int) (number % DEPTH);
  }

  /** Hands over the buffer that was begun last. */
  Submission commit() {
    long number = committed;
    GpuCommands buffer = buffers[slot(number)];
    buffer.commit();
    committed++;
    counters.add(Counter.SUBMISSIONS, 1);
    counters.max(Counter.MOST_IN_FLIGHT, committed - ended);
    return () -> awaitThrough(number);
  }

  /** Returns a submission for what was committed last, and so for everything. */
  Submission last() {
    long number = committed - 1;
    return () -> awaitThrough(number);
  }

  /**
   * Waits for everything that was committed.
   *
   * @throws GpuException if one failed; the others have ended, too
   */
  void flush() {
    awaitThrough(committed - 1);
  }

  private void awaitThrough(long number) {
    long last = Math.min(number, committed - 1);
    if (ended > last) {
      return;
    }
    GpuException failure = null;
    try {
      // The last one first: the others have ended when it has, and cost no wait.
      wait(buffers[slot(last)]);
    } catch (GpuException e) {
      failure = e;
    }
    while (ended <= last) {
      try (GpuCommands oldest = buffers[slot(ended++)]) {
        oldest.await();
      } catch (GpuException e) {
        failure = failure == null ? e : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void wait(GpuCommands buffer) {
    counters.add(Counter.WAITS, buffer.ended() ? 0 : 1);
    buffer.await();
  }

  /** Drops a buffer that was begun but never committed, after everything else has ended. */
  void abandon() {
    if (begun > committed) {
      buffers[slot(committed)].close();
      begun = committed;
    }
    closeOutgrown(Long.MAX_VALUE);
  }

  /** Commands of a rehearsal: nothing is encoded, and nothing runs. */
  static final class NoCommands implements GpuCommands {
    @Override
    public void kernel(GpuKernel kernel) {}

    @Override
    public void buffer(int index, GpuBuffer buffer, long offset) {}

    @Override
    public void constants(int index, MemorySegment constants, int length) {}

    @Override
    public void threadgroupBytes(int length) {}

    @Override
    public void dispatch(int x, int y, int z, int threads) {}

    @Override
    public void commit() {}

    @Override
    public boolean ended() {
      return true;
    }

    @Override
    public void await() {}

    @Override
    public void close() {}
  }
}
