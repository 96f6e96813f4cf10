package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Common part of the backends on the CPU. Buffers are in one arena, which {@link #close} frees. A
 * step has ended when its call returns.
 */
public abstract class HostBackend implements Backend {
  private final Arena arena = Arena.ofShared();
  private final Map<KvShape, HostKvCache.Pool> pools = new HashMap<>();
  private final BackendCounters counters = new BackendCounters();
  private float[] embedding = {};

  /** Returns the arena of all buffers. It closes with the backend, and any thread may use it. */
  protected final Arena arena() {
    return arena;
  }

  @Override
  public final int depth() {
    return 1;
  }

  /** Returns true, because each step processes all rows before the next step begins. */
  @Override
  public final boolean forksWithinPass() {
    return true;
  }

  @Override
  public final BackendCounters counters() {
    return counters;
  }

  @Override
  public final Matrix matrix(Tensor tensor) {
    return HostMatrix.of(tensor);
  }

  @Override
  public final Activations activations(int rows, int columns) {
    return HostActivations.allocate(arena, rows, columns);
  }

  @Override
  public final TokenSlots tokens(int slots, int rows) {
    return new TokenSlots(
        Stream.generate(() -> MemorySegment.ofArray(new int[rows])).limit(slots).toList());
  }

  @Override
  public final Rope rope(int headSize, double base, int positions) {
    return new HostRope(arena, headSize, base, positions);
  }

  @Override
  public final KvCache cache(KvShape shape) {
    return new HostKvCache(
        shape, pools.computeIfAbsent(shape, s -> new HostKvCache.Pool(arena, s)));
  }

  /**
   * Copies the table's row for each token, value by value and without a kernel. A kernel would save
   * little time, and the first token would wait until the kernel is compiled.
   */
  @Override
  public final void embed(Batch batch, TokenSlots tokens, int slot, Matrix table, Activations x) {
    HostMatrix rows = (HostMatrix) table;
    if (embedding.length != rows.columns()) {
      embedding = new float[rows.columns()];
    }
    for (int r = 0; r < batch.rows(); r++) {
      rows.read(tokens.get(slot, r), embedding);
      x.write(r, embedding);
    }
  }

  @Override
  public final void keepWanted(Batch batch, Activations x, Activations target) {
    HostActivations from = (HostActivations) x;
    HostActivations to = (HostActivations) target;
    for (int i = 0; i < batch.wanted(); i++) {
      long row = from.offset(batch.wantedRow(i));
      MemorySegment.copy(from.data(), row, to.data(), to.offset(i), 4L * from.columns());
    }
  }

  @Override
  public final Submission submit() {
    counters.add(Counter.SUBMISSIONS, 1);
    return Submission.DONE;
  }

  @Override
  public void close() {
    arena.close();
  }
}
