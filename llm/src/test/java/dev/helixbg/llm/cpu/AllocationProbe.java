package dev.helixbg.llm.cpu;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.Backend.Qkv;
import dev.helixbg.llm.backend.Backend.Rope;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.cpu.kernel.ByteRows;
import dev.helixbg.llm.cpu.x86.ByteProduct;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Program that prints each tensor type whose compiled kernels allocate memory, and how much. */
final class AllocationProbe {
  private static final int WIDTH = 512;
  private static final int HEAD = 128;

  /** Bytes that a pass of nine steps may allocate; too few for allocations in a kernel's loop. */
  private static final long ALLOWED_BYTES = 4096;

  private AllocationProbe() {}

  /**
   * Prints nothing if no kernel allocates too much.
   *
   * @param arguments first {@code warm} or {@code cold}; with {@code warm}, kernels are warmed up
   *     as when a model is opened. Then the types to test, in this order; all types if none is
   *     given
   */
  public static void main(String[] arguments) {
    boolean warm = arguments[0].equals("warm");
    Set<TensorType> types = new LinkedHashSet<>();
    for (int i = 1; i < arguments.length; i++) {
      types.add(TensorType.valueOf(arguments[i]));
    }
    if (types.isEmpty()) {
      types = EnumSet.allOf(TensorType.class);
    }
    if (warm) {
      KernelWarmUp.attention();
      KernelWarmUp.vectors();
      KernelWarmUp.floatTiles();
    }
    for (TensorType type : types) {
      if (warm) {
        KernelWarmUp.rows(type);
        KernelWarmUp.unpacker(Set.of(type));
        KernelWarmUp.tiles(type);
      }
      try (Arena arena = Arena.ofShared();
          CpuBackend backend = new CpuBackend(1, () -> {})) {
        for (int rows : new int[] {1, 20}) {
          check(type + ": " + rows + " rows", new Pass(arena, backend, type, rows));
        }
      }
    }
    // These calls come last, so that they do not change the JIT's profiles of the calls before.
    for (TensorType type : types) {
      for (boolean pairs : new boolean[] {ByteProduct.PAIRS, !ByteProduct.PAIRS}) {
        if (BytePass.APPLIES && ByteRows.takes(type, pairs)) {
          try (Arena arena = Arena.ofShared()) {
            check(type + ": bytes, pairs " + pairs, new BytePass(arena, type, pairs));
          }
        }
      }
    }
  }

  private static void check(String what, Runnable pass) {
    long least = leastGarbage(pass);
    if (least > ALLOWED_BYTES) {
      System.out.println(what + " leave " + least + " bytes per pass");
    }
  }

  /**
   * Returns the bytes that a pass allocates, as the minimum over many passes, because compilation
   * takes some time. The limit is 30 s of the process's processor time, since on a busy machine the
   * compiler waits for a processor.
   */
  private static long leastGarbage(Runnable pass) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long least = Long.MAX_VALUE;
    long end = system.getProcessCpuTime() + 30_000_000_000L;
    while (least > ALLOWED_BYTES && system.getProcessCpuTime() < end) {
      long before = threads.getCurrentThreadAllocatedBytes();
      pass.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }

  /** Pass with all steps of one layer, the logits and the choice of a token. */
  private static final class Pass implements Runnable {
    private final CpuBackend backend;
    private final SplittableRandom random = new SplittableRandom(5);
    private final Arena arena;
    private final Batch batch;
    private final KvCache cache;
    private final int rows;
    private final TokenSlots tokens;
    private final Activations x;
    private final Activations attended;
    private final Activations gated;
    private final Activations logits;
    private final Qkv qkv;
    private final Norm norm;
    private final Norm headNorm;
    private final Matrix square;
    private final Rope rope;

    Pass(Arena arena, CpuBackend backend, TensorType type, int rows) {
      this.backend = backend;
      this.arena = arena;
      this.rows = rows;
      batch = new Batch(rows, 1);
      cache = backend.cache(new KvShape(1, WIDTH / HEAD, HEAD, 64));
      tokens = backend.tokens(1, rows);
      x = backend.activations(rows, WIDTH);
      attended = backend.activations(rows, WIDTH);
      gated = backend.activations(rows, WIDTH);
      logits = backend.activations(1, WIDTH);
      qkv =
          new Qkv(
              backend.activations(rows, WIDTH),
              backend.activations(rows, WIDTH),
              backend.activations(rows, WIDTH));
      norm = new Norm(matrix(TensorType.F32, 1, WIDTH), 1e-6f);
      headNorm = new Norm(matrix(TensorType.F32, 1, HEAD), 1e-6f);
      square = matrix(type, WIDTH, WIDTH);
      rope = backend.rope(HEAD, 10000, 64);
    }

    private Matrix matrix(TensorType type, int rows, int columns) {
      long elements = (long) rows * columns;
      MemorySegment data = arena.allocate(type.bytes(elements), 64);
      RandomWeights.fill(type, data, 0, elements, 0.04f, random);
      List<Long> shape = List.of((long) columns, (long) rows);
      return backend.matrix(new Tensor("w", type, shape, data));
    }

    @Override
    public void run() {
      cache.truncate(0);
      batch.clear();
      batch.add(cache, rows, 1);
      backend.embed(batch, tokens, 0, square, x);
      backend.normProject(batch, x, norm, square, square, square, qkv);
      backend.rotateAndCache(batch, qkv, headNorm, headNorm, rope, 0);
      backend.attend(batch, qkv.q(), 0, attended);
      backend.addProduct(batch, attended, square, x);
      backend.normGateUp(batch, x, norm, square, square, gated);
      backend.addProduct(batch, gated, square, x);
      backend.logits(batch, x, norm, square, logits);
      backend.argmax(batch, logits, tokens, 0);
    }
  }
}
