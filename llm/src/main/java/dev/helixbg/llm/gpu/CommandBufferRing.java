package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.lang.foreign.Arena;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * A ring of command buffers. The host encodes a buffer while up to {@link #DEPTH} − 1 committed
 * buffers are in flight on the GPU. Buffers end in the order of their commits, so waiting for a
 * buffer also waits for all earlier buffers.
 */
final class CommandBufferRing {
  /** Number of buffers; enough to keep the GPU busy between two passes. */
  static final int DEPTH = 3;

  private final GpuDevice device;
  private final BackendCounters counters;
  private final GpuCommands[] buffers = new GpuCommands[DEPTH];

  /** Arenas to close later, each with the number of the last command buffer that may use it. */
  private final Deque<Outgrown> outgrown = new ArrayDeque<>();

  private record Outgrown(long number, Arena arena) {}

  // Numbers of buffers that were begun, committed and ended so far.
  private long begun;
  private long committed;
  private long ended;

  private boolean rehearsing;

  CommandBufferRing(GpuDevice device, BackendCounters counters) {
    this.device = device;
    this.counters = counters;
  }

  /** Returns an empty command buffer; waits for the oldest buffer if too many are in flight. */
  GpuCommands begin() {
    awaitThrough(begun - DEPTH);
    closeOutgrown(ended);
    GpuCommands buffer = rehearsing ? noCommands() : device.commands();
    buffers[slot(begun)] = buffer;
    begun++;
    return buffer;
  }

  /**
   * Closes an arena later: in the first {@link #begin} after all command buffers begun so far have
   * ended.
   */
  void closeAfterLast(Arena arena) {
    outgrown.add(new Outgrown(begun - 1, arena));
  }

  private void closeOutgrown(long before) {
    while (!outgrown.isEmpty() && outgrown.getFirst().number() < before) {
      outgrown.removeFirst().arena().close();
    }
  }

  void rehearse(boolean begins) {
    rehearsing = begins;
  }

  int slot() {
    return slot(begun - 1);
  }

  private int slot(long number) {
    return (int) (number % DEPTH);
  }

  Submission commit() {
    buffers[slot(committed)].commit();
    committed++;
    counters.add(Counter.SUBMISSIONS, 1);
    counters.max(Counter.MOST_IN_FLIGHT, committed - ended);
    return last();
  }

  /**
   * Returns the last submission. Its {@code await} waits for all buffers committed so far, then
   * throws an exception if one of them failed.
   */
  Submission last() {
    long number = committed - 1;
    return () -> awaitThrough(number);
  }

  private void awaitThrough(long number) {
    long last = Math.min(number, committed - 1);
    if (ended > last) {
      return;
    }
    GpuException failure = null;
    try {
      // Waits for the last buffer first; when it ends, all earlier buffers have ended.
      GpuCommands buffer = buffers[slot(last)];
      counters.add(Counter.WAITS, buffer.ended() ? 0 : 1);
      buffer.await();
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

  /** Closes a buffer that was begun but never committed. All other buffers must have ended. */
  void abandon() {
    if (begun > committed) {
      buffers[slot(committed)].close();
      begun = committed;
    }
    closeOutgrown(Long.MAX_VALUE);
  }

  /** Returns commands for a rehearsal. They encode nothing and run nothing. */
  private static GpuCommands noCommands() {
    return (GpuCommands)
        Proxy.newProxyInstance(
            GpuCommands.class.getClassLoader(),
            new Class<?>[] {GpuCommands.class},
            (_, method, _) ->
                method.getReturnType() == boolean.class ? true : null); // ended() returns true
  }
}
