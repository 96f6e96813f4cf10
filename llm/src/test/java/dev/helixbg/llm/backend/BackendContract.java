package dev.helixbg.llm.backend;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.Backend.Qkv;
import dev.helixbg.llm.backend.Backend.Rope;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that each step of a backend computes the same as the scalar backend, within a bound
 * relative to the largest value. Tests all types, odd sizes, and batches of every kind.
 */
public abstract class BackendContract {
  /**
   * Tag of tests that together run each kind of step once. On simulated GPUs, {@code scripts/check}
   * runs only these tests as long as the GPU's sources are unchanged.
   */
  protected static final String EACH_KIND = "each-kind";

  /** Numbers of rows near those at which backends change their method of computation. */
  private static final int[] ROWS = {1, 2, 3, 5, 6, 7, 16, 17, 31, 32, 33, 70};

  /** Numbers of rows, one for each method by which GPUs multiply. */
  private static final int[] EACH_WAY = {1, 17, 33};

  private final SplittableRandom random = new SplittableRandom(11);
  private Arena arena;
  private Backend tested;
  private Backend oracle;

  protected abstract Backend backend();

  /**
   * Returns the largest permitted error of a matrix product, divided by its row's largest value.
   */
  protected abstract double productBound(TensorType type);

  /**
   * Returns the bound for products of {@code rows} rows, if a backend multiplies many rows less
   * exactly.
   */
  protected double productBound(TensorType type, int rows) {
    return productBound(type);
  }

  /** Returns the largest permitted error of all other results, divided by the largest value. */
  protected abstract double bound();

  /** Returns whether each type is tested with all batches, not only with one batch per method. */
  protected boolean isComplete() {
    return true;
  }

  /** Returns the largest permitted error of an embedding, divided by the largest value. */
  protected double embeddingBound() {
    return 0;
  }

  @BeforeEach
  public void open() {
    arena = Arena.ofShared();
    tested = backend();
    oracle = new ScalarBackend();
  }

  @AfterEach
  public void close() {
    tested.close();
    oracle.close();
    arena.close();
  }

  // ---- matrix products ------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  public void productsAgreeForEveryTypeAndBatch(TensorType type) {
    int block = Math.max(32, type.blockElements());
    for (int columns : isComplete() ? new int[] {block, 3 * block, 1280} : new int[] {3 * block}) {
      for (int rows : isComplete() ? new int[] {1, 2, 3, 7, 17, 45} : new int[] {7, 67}) {
        productAgrees(type, rows, columns, isComplete() ? ROWS : EACH_WAY);
      }
    }
  }

  /** Tests all numbers up to 18, and some numbers near two tiles of 16 vectors. */
  @Test
  void productsAgreeForEveryCountOfVectors() {
    int[] counts =
        IntStream.concat(IntStream.rangeClosed(1, 18), IntStream.of(31, 32, 33, 34)).toArray();
    productAgrees(TensorType.Q4_K, 33, 1280, counts);
    productAgrees(TensorType.F32, 33, 33, counts);
  }

  /** Checks products of one size, which are added to previous values, with several batches. */
  protected void productAgrees(TensorType type, int rows, int columns, int... batches) {
    Tensor w = weights(type, rows, columns);
    float[][] input = vectors(70, columns);
    float[][] before = vectors(70, rows);
    for (int batchRows : batches) {
      agree(
          type + " " + rows + "x" + columns + " batch " + batchRows,
          productBound(type, batchRows),
          batchRows,
          rows,
          (backend, result) -> {
            for (int r = 0; r < batchRows; r++) {
              result.write(r, before[r]);
            }
            Activations in = filled(backend, input, batchRows);
            backend.addProduct(batch(backend, batchRows), in, backend.matrix(w), result);
          });
    }
  }

  @ParameterizedTest
  @EnumSource
  public void deepProductsAgree(TensorType type) {
    for (int columns : isComplete() ? new int[] {3328, 8448} : new int[] {8448}) {
      productAgrees(type, 19, columns, 1, 6, 40);
    }
  }

  @Test
  void weightsThatAreF32MayHaveAnyNumberOfColumns() {
    for (int columns : new int[] {1, 2, 3, 7, 31, 33, 1030}) {
      for (TensorType type : List.of(TensorType.F32, TensorType.F16, TensorType.BF16)) {
        productAgrees(type, 5, columns, isComplete() ? new int[] {1, 9, 33} : new int[] {1, 9});
      }
    }
  }

  // ---- the other steps ------------------------------------------------------------------------

  @ParameterizedTest
  @EnumSource
  public void embeddingsAgree(TensorType type) {
    Tensor table = weights(type, 9, 512);
    for (int rows : new int[] {1, 7}) {
      agree(
          type.toString(),
          embeddingBound(),
          rows,
          512,
          (backend, result) -> {
            TokenSlots tokens = backend.tokens(2, rows);
            for (int r = 0; r < rows; r++) {
              tokens.set(1, r, r * 5 % 9);
            }
            backend.embed(batch(backend, rows), tokens, 1, backend.matrix(table), result);
          });
    }
  }

  @Tag(EACH_KIND)
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 17, 33})
  void projectionsOfMixedTypesAgree(int rows) {
    Tensor q = weights(TensorType.Q4_K, 64, 256);
    Tensor k = weights(TensorType.Q6_K, 32, 256);
    Tensor v = weights(TensorType.Q8_0, 32, 256);
    Tensor gain = gain(256);
    float[][] input = vectors(rows, 256);
    List<Tensor> all = List.of(q, k, v);
    for (int which = 0; which < 3; which++) {
      int seen = which;
      agree(
          "projection " + which,
          productBound(all.get(which).type(), rows),
          rows,
          which == 0 ? 64 : 32,
          (backend, result) -> {
            Qkv target =
                new Qkv(
                    seen == 0 ? result : backend.activations(rows, 64),
                    seen == 1 ? result : backend.activations(rows, 32),
                    seen == 2 ? result : backend.activations(rows, 32));
            backend.normProject(
                batch(backend, rows),
                filled(backend, input, rows),
                new Norm(backend.matrix(gain), 1e-6f),
                backend.matrix(q),
                backend.matrix(k),
                backend.matrix(v),
                target);
          });
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5, 17, 33})
  void gatedProductsAgree(int rows) {
    Tensor gate = weights(TensorType.Q4_K, 300, 256);
    Tensor up = weights(TensorType.Q6_K, 300, 256);
    gatedAgree("gated", 4 * productBound(TensorType.Q4_K, rows), gate, up, rows);
  }

  @Tag(EACH_KIND)
  @Test
  void gatesOfAnySizeAgree() {
    for (int rows : new int[] {1, 3, 15, 16, 17, 31}) {
      gatesAgree(rows, 64, 2);
      gatesAgree(rows, 35, 19);
    }
  }

  protected void gatesAgree(int rows, int columns, int vectors) {
    Tensor gate = weights(TensorType.F32, rows, columns, 20);
    Tensor up = weights(TensorType.F32, rows, columns);
    gatedAgree(
        rows + "x" + columns + " batch " + vectors,
        4 * productBound(TensorType.F32),
        gate,
        up,
        vectors);
  }

  private void gatedAgree(String name, double bound, Tensor gate, Tensor up, int vectors) {
    Tensor gain = gain((int) gate.columns());
    float[][] input = vectors(vectors, (int) gate.columns());
    agree(
        name,
        bound,
        vectors,
        (int) gate.rows(),
        (backend, result) ->
            backend.normGateUp(
                batch(backend, vectors),
                filled(backend, input, vectors),
                new Norm(backend.matrix(gain), 1e-6f),
                backend.matrix(gate),
                backend.matrix(up),
                result));
  }

  @Tag("attention")
  @Test
  public void attentionAgrees() {
    for (int size : new int[] {2, 6, 8, 32, 64, 80, 96, 128}) {
      for (int kvHeads : isComplete() ? new int[] {1, 3} : new int[] {3}) {
        attention(size, kvHeads, 2 * kvHeads, new int[] {40, 1, 6, 9});
      }
    }
    attention(16, 2, 2, new int[] {1, 1, 1, 1, 1, 1, 1});
    attention(16, 1, 4, new int[] {300, isComplete() ? 900 : 200, 70, 1});
  }

  /** Tests attention in passes that add {@code count} positions to a sequence and to its fork. */
  protected void attention(int size, int kvHeads, int heads, int[] counts) {
    Tensor qGain = gain(size);
    Tensor kGain = gain(size);
    int most = 0;
    for (int count : counts) {
      most = Math.max(most, count);
    }
    float[][] q = vectors(2 * most, heads * size);
    float[][] k = vectors(2 * most, kvHeads * size);
    float[][] v = vectors(2 * most, kvHeads * size);
    int rows = 2 * counts[counts.length - 1];
    int all = most;
    agree(
        "size %d kv heads %d heads %d".formatted(size, kvHeads, heads),
        // Backends may round a number to different neighbours in f16.
        Math.max(bound(), 1e-3),
        rows,
        heads * size,
        (backend, result) -> {
          Rope rope = backend.rope(size, 10000, 4096);
          KvCache first = backend.cache(new KvShape(2, kvHeads, size, 4096));
          KvCache second = null;
          Activations target = backend.activations(2 * all, heads * size);
          for (int count : counts) {
            Batch batch = new Batch(2 * all, 1);
            int n = count;
            batch.add(first, n, 0);
            if (second != null) {
              batch.add(second, n, 0);
            }
            Qkv qkv =
                new Qkv(
                    filled(backend, q, batch.rows()),
                    filled(backend, k, batch.rows()),
                    filled(backend, v, batch.rows()));
            backend.rotateAndCache(
                batch,
                qkv,
                new Norm(backend.matrix(qGain), 1e-6f),
                new Norm(backend.matrix(kGain), 1e-6f),
                rope,
                1);
            backend.attend(batch, qkv.q(), 1, target);
            if (second == null) {
              second = first.fork(Math.max(0, n - 1));
            }
          }
          backend.submit().await();
          float[] row = new float[heads * size];
          for (int r = 0; r < result.rows(); r++) {
            target.read(r, row);
            result.write(r, row);
          }
        });
  }

  /** Tests passes with a single token of each sequence, as when answers are generated together. */
  @Tag("attention")
  @Test
  void attentionToASequenceHasTheSameBitsWhateverIsBesideIt() {
    int[] lengths = {1, 33, 130, 300};
    int most = isComplete() ? 5000 : 1100;
    for (int length : lengths) {
      float[] alone = attended(length);
      for (int other : new int[] {2, 200, most}) {
        String what = length + " positions beside " + other;
        assertArrayEquals(alone, attended(length, other), what);
        assertArrayEquals(alone, attended(length, other, 1, 1, 1, 1, 1, 1), what + " and more");
      }
    }
  }

  /**
   * Returns the first sequence's attention for its last token, in a pass with the last token of
   * each.
   */
  private float[] attended(int... lengths) {
    int size = 16;
    int most = 0;
    for (int length : lengths) {
      most = Math.max(most, length);
    }
    Norm norm = new Norm(tested.matrix(ones(size)), 1e-6f);
    Rope rope = tested.rope(size, 10000, most);
    KvShape shape = new KvShape(1, 1, size, most);
    Activations target = tested.activations(lengths.length, 2 * size);
    float[] row = new float[2 * size];
    List<KvCache> caches = IntStream.of(lengths).mapToObj(length -> tested.cache(shape)).toList();
    for (int i = 0; i < lengths.length; i++) {
      if (lengths[i] > 1) {
        Batch read = new Batch(most, 1);
        read.add(caches.get(i), lengths[i] - 1, 0);
        tested.rotateAndCache(read, numbers(lengths[i] - 1, size), norm, norm, rope, 0);
        tested.submit().await();
      }
    }
    Batch batch = new Batch(lengths.length, 1);
    caches.forEach(cache -> batch.add(cache, 1, 0));
    Qkv last = numbers(lengths.length, size);
    tested.rotateAndCache(batch, last, norm, norm, rope, 0);
    tested.attend(batch, last.q(), 0, target);
    tested.submit().await();
    target.read(0, row);
    caches.forEach(KvCache::close);
    return row;
  }

  /**
   * Returns queries of two heads, and keys and values of one head. The numbers are always the same.
   */
  private Qkv numbers(int rows, int size) {
    SplittableRandom same = new SplittableRandom(12);
    float[][] values = new float[rows][2 * size];
    for (float[] row : values) {
      for (int i = 0; i < row.length; i++) {
        row[i] = same.nextFloat() - 0.5f;
      }
    }
    float[][] half =
        Arrays.stream(values).map(row -> Arrays.copyOf(row, size)).toArray(float[][]::new);
    return new Qkv(
        filled(tested, values, rows), filled(tested, half, rows), filled(tested, half, rows));
  }

  private Tensor ones(int size) {
    MemorySegment data = arena.allocate(4L * size, 64);
    for (int i = 0; i < size; i++) {
      data.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1);
    }
    return new Tensor("ones", TensorType.F32, List.of((long) size), data);
  }

  @Tag(EACH_KIND)
  @Test
  void logitsOfWantedRowsAgree() {
    Tensor output = weights(TensorType.Q6_K, 333, 512);
    Tensor gain = gain(512);
    float[][] input = vectors(12, 512);
    for (int wanted : new int[] {1, 2, 8}) {
      agree(
          "wanted " + wanted,
          productBound(TensorType.Q6_K, wanted),
          wanted,
          333,
          (backend, result) -> {
            Batch batch = new Batch(12, 12);
            KvCache cache = backend.cache(new KvShape(1, 1, 16, 64));
            batch.add(cache, 3, 0);
            batch.add(cache, 9, wanted);
            backend.logits(
                batch,
                filled(backend, input, 12),
                new Norm(backend.matrix(gain), 1e-6f),
                backend.matrix(output),
                result);
          });
    }
  }

  @Tag(EACH_KIND)
  @Test
  void wantedRowsAreKept() {
    for (int columns : new int[] {1, 31, 257, 1024}) {
      float[][] input = vectors(12, columns);
      agree(
          "columns " + columns,
          0,
          5,
          columns,
          (backend, result) -> {
            Batch batch = new Batch(12, 12);
            KvCache cache = backend.cache(new KvShape(1, 1, 16, 64));
            batch.add(cache, 3, 1);
            batch.add(cache, 9, 4);
            backend.keepWanted(batch, filled(backend, input, 12), result);
          });
    }
  }

  @Tag(EACH_KIND)
  @Test
  void argmaxTakesTheFirstOfEquals() {
    for (int columns : new int[] {1, 3, 16, 33, 1000}) {
      float[] values = new float[columns];
      for (int i = 0; i < columns; i++) {
        values[i] = -3 + (i * 7 % 5 == 4 ? 1 : 0);
      }
      int expected = 0;
      for (int i = 0; i < columns; i++) {
        expected = values[i] > values[expected] ? i : expected;
      }
      Activations logits = tested.activations(1, columns);
      logits.write(0, values);
      TokenSlots tokens = tested.tokens(1, 1);
      tested.argmax(wanted(tested, 1), logits, tokens, 0);
      tested.submit().await();
      assertEquals(expected, tokens.get(0, 0), columns + " columns");
    }
  }

  /**
   * Tests an argmax in the same submission as its product, which may compute the largest of each
   * part.
   */
  @Test
  void theLargestOfAProductIsFound() {
    Tensor gain = gain(64);
    for (int columns : new int[] {1, 5, 130, 1025, 33_000}) {
      Tensor w = weights(TensorType.Q8_0, columns, 64);
      for (int rows : columns < 33_000 ? new int[] {1, 3, 6} : new int[] {3}) {
        float[][] input = vectors(rows, 64);
        int[] expected = likeliest(oracle, input, gain, w);
        assertArrayEquals(expected, likeliest(tested, input, gain, w), columns + " columns");
      }
    }
  }

  private static int[] likeliest(Backend backend, float[][] input, Tensor gain, Tensor w) {
    int rows = input.length;
    Activations logits = backend.activations(rows, (int) w.rows());
    TokenSlots tokens = backend.tokens(1, rows);
    Batch batch = wanted(backend, rows);
    Norm norm = new Norm(backend.matrix(gain), 1e-6f);
    backend.logits(batch, filled(backend, input, rows), norm, backend.matrix(w), logits);
    backend.argmax(batch, logits, tokens, 0);
    backend.submit().await();
    return IntStream.range(0, rows).map(row -> tokens.get(0, row)).toArray();
  }

  // ---- helpers --------------------------------------------------------------------------------

  private void agree(
      String name, double bound, int rows, int columns, BiConsumer<Backend, Activations> step) {
    float[][] expected = result(oracle, rows, columns, step);
    float[][] actual = result(tested, rows, columns, step);
    for (int r = 0; r < rows; r++) {
      double largest = 0;
      for (float value : expected[r]) {
        largest = Math.max(largest, Math.abs(value));
      }
      // All values of a row of few results can be small by cancellation. The values of other rows
      // then show how large the results are.
      for (float[] other : expected) {
        largest = Math.max(largest, columns < 16 ? Math.abs(other[0]) : 0);
      }
      double allowed = bound * Math.max(largest, columns < 16 ? 1 : 0);
      for (int i = 0; i < columns; i++) {
        double error = Math.abs((double) actual[r][i] - expected[r][i]);
        assertTrue(
            error <= allowed,
            "%s: [%d][%d] is %s, not %s: off by %.2e of %.3g"
                .formatted(name, r, i, actual[r][i], expected[r][i], error, largest));
      }
    }
  }

  private static float[][] result(
      Backend backend, int rows, int columns, BiConsumer<Backend, Activations> step) {
    Activations result = backend.activations(rows, columns);
    step.accept(backend, result);
    backend.submit().await();
    float[][] values = new float[rows][columns];
    for (int r = 0; r < rows; r++) {
      result.read(r, values[r]);
    }
    return values;
  }

  protected static Activations filled(Backend backend, float[][] values, int rows) {
    Activations activations = backend.activations(rows, values[0].length);
    for (int r = 0; r < rows; r++) {
      activations.write(r, values[r]);
    }
    return activations;
  }

  protected static Batch batch(Backend backend, int rows) {
    Batch batch = new Batch(rows, rows);
    batch.add(backend.cache(new KvShape(1, 1, 16, 128)), rows, 0);
    return batch;
  }

  private static Batch wanted(Backend backend, int rows) {
    Batch batch = new Batch(rows, rows);
    batch.add(backend.cache(new KvShape(1, 1, 16, 128)), rows, rows);
    return batch;
  }

  protected float[][] vectors(int count, int columns) {
    float[][] vectors = new float[count][columns];
    for (float[] vector : vectors) {
      for (int i = 0; i < columns; i++) {
        vector[i] = (float) random.nextGaussian();
      }
    }
    return vectors;
  }

  private Tensor gain(int columns) {
    return weights(TensorType.F32, 1, columns, 1);
  }

  protected Tensor weights(TensorType type, int rows, int columns) {
    return weights(type, rows, columns, (float) (1 / Math.sqrt(columns)));
  }

  private Tensor weights(TensorType type, int rows, int columns, float spread) {
    MemorySegment data = arena.allocate(type.bytes((long) rows * columns), 32);
    RandomWeights.fill(type, data, 0, (long) rows * columns, spread, random);
    return new Tensor(
        type.toString(), type, List.of((long) columns, (long) rows), data.asReadOnly());
  }
}
