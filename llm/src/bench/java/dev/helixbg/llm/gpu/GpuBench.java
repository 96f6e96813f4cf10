package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Measures the GPU's speed. First checks each result against the scalar reference on the CPU. */
public final class GpuBench {
  /** Largest permitted error, as a share of the largest value of a row. */
  private static final double BOUND = 1e-4;

  private static final int SEED = 5;

  /** Number of steps of a timed submission. */
  private static final int STEPS = 5;

  private final GpuBackend gpu;
  private final int repetitions;

  /**
   * One measurement.
   *
   * @param test description of the work
   * @param seconds duration of one run
   * @param bytes number of bytes that had to be read or written
   * @param operations number of operations on floats; 0 for copies
   * @param error the largest difference from the CPU, as a share of the largest value of its row
   */
  public record Result(String test, double seconds, long bytes, long operations, double error) {
    public double gigabytesPerSecond() {
      return bytes / seconds / 1e9;
    }

    public double gigaflops() {
      return operations / seconds / 1e9;
    }

    /** Returns whether the GPU's results agree with the CPU's results. */
    public boolean isRight() {
      return error <= BOUND;
    }
  }

  public GpuBench(GpuBackend gpu, int repetitions) {
    this.gpu = gpu;
    this.repetitions = repetitions;
  }

  /** Copies {@code bytes} bytes, a multiple of 16, inside a buffer of twice the size. */
  public Result bandwidth(int bytes) {
    try (Arena arena = Arena.ofShared()) {
      GpuBuffer buffer = gpu.device().buffer(arena, "bandwidth", 2L * bytes);
      MemorySegment source = arena.allocate(bytes, Long.BYTES);
      MemorySegment copy = arena.allocate(bytes, Long.BYTES);
      for (long i = 0; i < bytes; i += Long.BYTES) {
        source.set(ValueLayout.JAVA_LONG, i, i * 0x9E3779B97F4A7C15L);
      }
      buffer.write(0, source);
      double seconds = fastest(() -> gpu.copyBlock(buffer, bytes));
      buffer.read(bytes, copy);
      double error = source.mismatch(copy) < 0 ? 0 : 1;
      return new Result("copy " + size(bytes), seconds, 2L * bytes, 0, error);
    }
  }

  /** Multiplies a matrix of {@code type} with {@code vectors} vectors. */
  public Result product(TensorType type, int rows, int columns, int vectors) {
    try (Arena arena = Arena.ofShared();
        Backend cpu = new ScalarBackend()) {
      SplittableRandom random = new SplittableRandom(SEED);
      MemorySegment data = arena.allocate(type.bytes((long) rows * columns), 64);
      float spread = (float) (1 / Math.sqrt(columns));
      RandomWeights.fill(type, data, 0, (long) rows * columns, spread, random);
      Tensor w = new Tensor("bench", type, List.of((long) columns, (long) rows), data);
      float[][] input = new float[vectors][columns];
      for (float[] vector : input) {
        for (int i = 0; i < columns; i++) {
          vector[i] = random.nextFloat() - 0.5f;
        }
      }
      float[][] expected = multiply(cpu, w, input, Runnable::run);
      double[] seconds = new double[1];
      float[][] actual = multiply(gpu, w, input, step -> seconds[0] = fastest(step));
      long bytes = data.byteSize() + 4L * vectors * (rows + columns);
      String test =
          vectors == 1
              ? "matvec %s %dx%d".formatted(type, rows, columns)
              : "gemm %s %dx%dx%d".formatted(type, rows, columns, vectors);
      return new Result(
          test, seconds[0], bytes, 2L * rows * columns * vectors, difference(actual, expected));
    }
  }

  /**
   * Multiplies once and returns the result. Then passes the product to {@code timer}, whose runs
   * add to the result on the device.
   */
  private static float[][] multiply(
      Backend backend, Tensor w, float[][] input, Consumer<Runnable> timer) {
    int vectors = input.length;
    Activations in = backend.activations(vectors, input[0].length);
    Activations out = backend.activations(vectors, (int) w.rows());
    for (int v = 0; v < vectors; v++) {
      in.write(v, input[v]);
    }
    Matrix matrix = backend.matrix(w);
    float[][] result = new float[vectors][out.columns()];
    try (KvCache cache = backend.cache(new KvShape(1, 1, 16, vectors))) {
      Batch batch = new Batch(vectors, 1);
      batch.add(cache, vectors, 0);
      backend.addProduct(batch, in, matrix, out);
      backend.submit().await();
      for (int v = 0; v < vectors; v++) {
        out.read(v, result[v]);
      }
      timer.accept(() -> backend.addProduct(batch, in, matrix, out));
    }
    return result;
  }

  /**
   * Returns the seconds that a step takes. The time of a submission with one step is subtracted
   * from the time with {@link #STEPS} steps, so that submitting and waiting do not count.
   */
  private double fastest(Runnable step) {
    double one = Double.MAX_VALUE;
    double more = Double.MAX_VALUE;
    for (int i = 0; i < repetitions; i++) {
      one = Math.min(one, seconds(step, 1));
      more = Math.min(more, seconds(step, STEPS));
    }
    return Math.max(more - one, 1e-9) / (STEPS - 1);
  }

  private double seconds(Runnable step, int steps) {
    long start = System.nanoTime();
    for (int i = 0; i < steps; i++) {
      step.run();
    }
    gpu.submit().await();
    return (System.nanoTime() - start) / 1e9;
  }

  private static double difference(float[][] actual, float[][] expected) {
    double worst = 0;
    for (int v = 0; v < expected.length; v++) {
      double largest = 0;
      double off = 0;
      for (int i = 0; i < expected[v].length; i++) {
        largest = Math.max(largest, Math.abs(expected[v][i]));
        off = Math.max(off, Math.abs((double) actual[v][i] - expected[v][i]));
      }
      worst = Math.max(worst, off / largest);
    }
    return worst;
  }

  private static String size(int bytes) {
    return bytes < 1 << 20 ? (bytes >> 10) + " KB" : (bytes >> 20) + " MB";
  }
}
