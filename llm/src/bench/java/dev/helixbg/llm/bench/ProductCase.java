package dev.helixbg.llm.bench;

import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.KernelWarmUp;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Measures the product of a weight matrix with one vector or many vectors. A run is a whole step of
 * the backend. As in a model, its time includes dividing the rows among threads and preparing the
 * activations.
 */
final class ProductCase implements KernelCase {
  static final int COLUMNS = 2048;

  /** Number of matrix rows whose results are checked, evenly spread over the matrix. */
  private static final int CHECKED = 97;

  private final CpuBackend backend;
  private final Tensor weights;
  private final int tokens;
  private final Matrix matrix;
  private final float[][] input;
  private final Activations x;
  private final Activations y;
  private final Batch batch;

  private ProductCase(CpuBackend backend, Tensor weights, int tokens) {
    this.backend = backend;
    this.weights = weights;
    this.tokens = tokens;
    matrix = backend.matrix(weights);
    SplittableRandom random = new SplittableRandom(2);
    input = new float[tokens][COLUMNS];
    x = backend.activations(tokens, COLUMNS);
    for (int t = 0; t < tokens; t++) {
      for (int c = 0; c < COLUMNS; c++) {
        input[t][c] = (float) random.nextGaussian();
      }
      x.write(t, input[t]);
    }
    y = backend.activations(tokens, Math.toIntExact(weights.rows()));
    batch = new Batch(tokens, 1);
    batch.add(backend.cache(new KvShape(1, 1, 16, tokens)), tokens, 0);
  }

  /** Returns random weights of about {@code bytes} bytes, in rows of {@link #COLUMNS} columns. */
  static Tensor weights(Arena arena, TensorType type, long bytes) {
    long rows = bytes / type.bytes(COLUMNS);
    MemorySegment data = arena.allocate(type.bytes(rows * COLUMNS), 64);
    float spread = (float) (1 / Math.sqrt(COLUMNS));
    RandomWeights.fill(type, data, 0, rows * COLUMNS, spread, new SplittableRandom(1));
    return new Tensor(type.name(), type, List.of((long) COLUMNS, rows), data);
  }

  /** Measures the product of the matrix with one vector. Each run reads all weights from memory. */
  static ProductCase vector(CpuBackend backend, Tensor weights) {
    KernelWarmUp.rows(weights.type());
    return new ProductCase(backend, weights, 1);
  }

  /** Measures the product of the matrix's first {@code rows} rows with {@code tokens} vectors. */
  static ProductCase vectors(CpuBackend backend, Tensor weights, int rows, int tokens) {
    MemorySegment first = weights.data().asSlice(0, weights.rowBytes() * rows);
    List<Long> shape = List.of((long) COLUMNS, (long) rows);
    Tensor part = new Tensor(weights.name(), weights.type(), shape, first);
    return new ProductCase(backend, part, tokens);
  }

  @Override
  public String name() {
    return tokens == 1
        ? weights.type() + " × vector"
        : "%s × %d vectors".formatted(weights.type(), tokens);
  }

  @Override
  public Limit limit() {
    return tokens == 1 ? Limit.MEMORY : Limit.ARITHMETIC;
  }

  @Override
  public double amount() {
    return tokens == 1 ? weights.data().byteSize() : (double) weights.rows() * COLUMNS * tokens;
  }

  @Override
  public void run() {
    backend.addProduct(batch, x, matrix, y);
  }

  @Override
  public double error() {
    int rows = Math.toIntExact(weights.rows());
    float[] row = new float[COLUMNS];
    float[] actual = new float[rows];
    double worst = 0;
    double largest = 0;
    for (int i = 0; i < CHECKED; i++) {
      int r = (int) ((rows - 1L) * i / (CHECKED - 1));
      Dequantize.row(weights.type(), weights.data(), r * weights.rowBytes(), COLUMNS, row, 0);
      for (int t = 0; t < tokens; t += Math.max(1, tokens / 37)) {
        double expected = 0;
        for (int c = 0; c < COLUMNS; c++) {
          expected += (double) row[c] * input[t][c];
        }
        y.read(t, actual);
        worst = Math.max(worst, Math.abs(expected - actual[r]));
        largest = Math.max(largest, Math.abs(expected));
      }
    }
    return worst / largest;
  }

  /** Allows for activations of eight bits, and for rounding when Q4_K's minima are subtracted. */
  @Override
  public double bound() {
    if (tokens > 1 || RowKernels.of(weights.type()).floats(COLUMNS) < COLUMNS) {
      return 2e-2;
    }
    return weights.type() == TensorType.Q4_K ? 3e-4 : 2e-5;
  }

  @Override
  public void close() {}
}
