package dev.helixbg.llm.bench;

import dev.helixbg.llm.bench.KernelCase.Limit;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.ThreadTeam;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Measures the speed of every kernel of the CPU backend, after a check of its result against scalar
 * code. The limit of this machine's memory or arithmetic is measured at the same time.
 */
public final class KernelBench {
  private static final int ROUNDS = 5;

  private final Size size;
  private final List<Integer> threads;
  private final BooleanSupplier cancelled;
  private final Consumer<Result> sink;

  /**
   * Amounts of data and of time for the measurements.
   *
   * @param bytes size of the weights, and of the memory that is read to measure the memory's speed
   * @param prompt number of tokens of a prompt
   * @param promptRows number of rows of the matrix that a prompt is multiplied with
   * @param cached number of positions before the single token whose attention is measured
   * @param layers number of layers of that token's cache
   * @param rows number of rows of activations, for the steps between matrix products
   * @param warmNanos time in which a kernel runs until the JIT has compiled it, in nanoseconds. For
   *     each number of threads after the first, a fifth of this time is enough.
   * @param roundNanos time of a measured round, in nanoseconds
   */
  record Size(
      long bytes,
      int prompt,
      int promptRows,
      int cached,
      int layers,
      int rows,
      long warmNanos,
      long roundNanos) {

    /**
     * Sizes several times as large as the last-level cache. All cases together take two minutes.
     */
    static final Size FULL =
        new Size(128L << 20, 512, 1536, 2048, 16, 16384, 1_000_000_000, 60_000_000);
  }

  /**
   * Results of one kernel.
   *
   * @param kernel description of the computation, with its shape
   * @param unit unit of speed and ceiling: GB/s, or GMAC/s (10⁹ multiply-adds per second)
   * @param speed speed of the fastest round
   * @param ceiling highest speed of reading memory, or of multiply-adds in registers, with the same
   *     number of threads; measured in several rounds between the kernel's rounds
   * @param error largest error of the kernel's results, divided by the largest result
   */
  public record Result(
      String kernel, int threads, String unit, double speed, double ceiling, double error) {

    /**
     * Returns speed divided by ceiling. It is above 1 if a kernel is faster than float
     * multiply-adds.
     */
    public double share() {
      return speed / ceiling;
    }
  }

  /**
   * @param threads numbers of threads, such as 1 and 2
   * @param cancelled returns true to cancel; called between measurements
   * @param sink receives each result as soon as it is measured
   */
  public KernelBench(List<Integer> threads, BooleanSupplier cancelled, Consumer<Result> sink) {
    this(Size.FULL, threads, cancelled, sink);
  }

  KernelBench(Size size, List<Integer> threads, BooleanSupplier cancelled, Consumer<Result> sink) {
    this.size = size;
    this.threads = threads;
    this.cancelled = cancelled;
    this.sink = sink;
  }

  /**
   * Measures matrix products with weights of the given types. If {@code others} is true, also
   * measures attention and the steps between products.
   *
   * @throws IllegalStateException if a result is wrong
   */
  public void run(Collection<TensorType> types, boolean others) {
    for (TensorType type : types) {
      products(type);
    }
    if (!others) {
      return;
    }
    try (Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(size.bytes(), 64).fill((byte) 1);
      for (int count : threads) {
        try (CpuBackend backend = new CpuBackend(count, () -> {});
            ThreadTeam team = new ThreadTeam(count)) {
          measure(AttentionCase.token(backend, size.cached(), size.layers()), count, memory);
          measure(AttentionCase.prompt(backend, size.prompt()), count, memory);
          for (RowsCase.Step step : RowsCase.Step.values()) {
            measure(new RowsCase(team, step, size.rows()), count, memory);
          }
        }
      }
    }
  }

  private void products(TensorType type) {
    if (cancelled.getAsBoolean()) {
      return;
    }
    try (Arena arena = Arena.ofShared()) {
      Tensor weights = ProductCase.weights(arena, type, size.bytes());
      for (int count : threads) {
        try (CpuBackend backend = new CpuBackend(count, () -> {})) {
          measure(ProductCase.vector(backend, weights), count, weights.data());
          measure(
              ProductCase.vectors(backend, weights, size.promptRows(), size.prompt()),
              count,
              weights.data());
        }
      }
    }
  }

  void measure(KernelCase measured, int count, MemorySegment memory) {
    try (measured) {
      if (cancelled.getAsBoolean()) {
        return;
      }
      measured.run();
      double error = measured.error();
      if (!(error <= measured.bound())) {
        throw new IllegalStateException(
            "The kernel of %s is wrong on this machine: its error is %.2g of its largest result; %.0e is allowed"
                .formatted(measured.name(), error, measured.bound()));
      }
      runFor(measured, size.warmNanos() / (count == threads.getFirst() ? 1 : 5));
      double speed = 0;
      double ceiling = 0;
      for (int round = 0; round < ROUNDS && !cancelled.getAsBoolean(); round++) {
        ceiling = Math.max(ceiling, ceiling(measured.limit(), count, memory));
        speed = Math.max(speed, runFor(measured, size.roundNanos()));
      }
      sink.accept(
          new Result(measured.name(), count, measured.limit().unit(), speed, ceiling, error));
    }
  }

  private static double ceiling(Limit limit, int threads, MemorySegment memory) {
    return switch (limit) {
      case MEMORY -> MemoryCeiling.gigabytesPerSecond(memory, threads);
      case ARITHMETIC -> MultiplyAddCeiling.billionsPerSecond(threads);
    };
  }

  /** Returns the speed in billions of units per second. */
  private static double runFor(KernelCase measured, long nanos) {
    long start = System.nanoTime();
    long taken;
    int runs = 0;
    do {
      measured.run();
      runs++;
      taken = System.nanoTime() - start;
    } while (taken < nanos);
    return runs * measured.amount() / taken;
  }
}
