package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.Backend.Qkv;
import dev.helixbg.llm.backend.Backend.Rope;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.ProcessBuilder.Redirect;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks that a sequence's attention is bit-identical for any other sequences in the batch and any
 * number of threads. Threads reuse keys and values that were unpacked for the previous span.
 */
class BatchAttentionTest {
  private static final int KV_HEADS = 3;
  private static final int LIMIT = 2048;

  /**
   * A sequence of a batch: a fork of root 0 or 1 at {@code prefix} positions, with {@code count}
   * new rows.
   */
  private record Sequence(int root, int prefix, int count) {}

  /**
   * Sequences of the batch. Neighbours share all, some or no positions. Long spans are followed by
   * short spans, and the reverse.
   */
  private static final List<Sequence> SEQUENCES =
      List.of(
          new Sequence(0, 355, 40),
          new Sequence(0, 355, 9),
          new Sequence(0, 355, 2),
          new Sequence(0, 355, 70),
          new Sequence(0, 33, 7),
          new Sequence(1, 355, 40),
          new Sequence(1, 0, 1),
          new Sequence(1, 64, 33),
          new Sequence(0, 64, 33),
          new Sequence(0, 1050, 12),
          new Sequence(0, 1020, 20));

  @ParameterizedTest
  @ValueSource(ints = {128, 256})
  void narrowerVectorsAgreeWithTheReference(int bits) throws Exception {
    List<String> narrower = List.of("-Dhelixbg.vector.bits=" + bits);
    assertEquals("agrees", ForkedJvm.run(Redirect.INHERIT, narrower, BatchAttentionTest.class));
  }

  /** Checks that attention agrees with the scalar reference. */
  public static void main(String[] arguments) {
    var contract = new CpuBackendContractTest();
    contract.open();
    contract.attentionAgrees();
    contract.close();
    System.out.print("agrees");
  }

  @ParameterizedTest
  @CsvSource({"128, 2", "80, 3", "6, 1", "64, 5", "96, 3"})
  void aSequencesBitsDoNotDependOnItsBatch(int size, int group) {
    try (Arena arena = Arena.ofShared()) {
      for (int threads = 1; threads <= 3; threads++) {
        try (CpuBackend backend = new CpuBackend(threads, () -> {})) {
          Side side = new Side(backend, arena, size, group);
          float[][] together = side.attended(SEQUENCES);
          int row = 0;
          for (Sequence sequence : SEQUENCES) {
            for (float[] alone : side.attended(List.of(sequence))) {
              assertArrayEquals(alone, together[row++], sequence + ", " + threads + " threads");
            }
          }
        }
      }
    }
  }

  private static final class Side {
    private final CpuBackend backend;
    private final int size;
    private final int width;
    private final Norm norm;
    private final Rope rope;
    private final KvCache[] roots = new KvCache[2];

    Side(CpuBackend backend, Arena arena, int size, int group) {
      this.backend = backend;
      this.size = size;
      width = KV_HEADS * group * size;
      MemorySegment ones = arena.allocate(4L * size, 64);
      for (int i = 0; i < size; i++) {
        ones.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1);
      }
      Tensor gain = new Tensor("ones", TensorType.F32, List.of((long) size), ones);
      norm = new Norm(backend.matrix(gain), 1e-6f);
      rope = backend.rope(size, 10000, LIMIT);
      for (int root = 0; root < roots.length; root++) {
        roots[root] = backend.cache(new KvShape(2, KV_HEADS, size, LIMIT));
        Batch batch = new Batch(1060, 1);
        batch.add(roots[root], 1060, 0);
        attend(batch, new int[] {1060}, root);
      }
    }

    float[][] attended(List<Sequence> sequences) {
      Batch batch = new Batch(512, 1);
      int[] counts = new int[sequences.size()];
      KvCache[] caches = new KvCache[sequences.size()];
      for (int i = 0; i < counts.length; i++) {
        Sequence sequence = sequences.get(i);
        caches[i] = roots[sequence.root].fork(sequence.prefix);
        counts[i] = sequence.count;
        batch.add(caches[i], sequence.count, 0);
      }
      float[][] attended = attend(batch, counts, 7);
      for (KvCache cache : caches) {
        cache.close();
      }
      return attended;
    }

    /**
     * Computes attention. A span's input rows are the same in each batch, but differ between
     * layers.
     */
    private float[][] attend(Batch batch, int[] counts, int seed) {
      Activations target = backend.activations(batch.rows(), width);
      for (int layer = 0; layer < 2; layer++) {
        Qkv qkv =
            new Qkv(
                rows(counts, width, seed + layer),
                rows(counts, KV_HEADS * size, seed + 10 + layer),
                rows(counts, KV_HEADS * size, seed + 20 + layer));
        backend.rotateAndCache(batch, qkv, norm, norm, rope, layer);
        backend.attend(batch, qkv.q(), layer, target);
      }
      float[][] read = new float[batch.rows()][width];
      for (int r = 0; r < read.length; r++) {
        target.read(r, read[r]);
      }
      return read;
    }

    private Activations rows(int[] counts, int columns, int seed) {
      int all = 0;
      for (int count : counts) {
        all += count;
      }
      Activations rows = backend.activations(all, columns);
      float[] row = new float[columns];
      int r = 0;
      for (int count : counts) {
        SplittableRandom random = new SplittableRandom(seed + 100L * count);
        for (int i = 0; i < count; i++) {
          for (int c = 0; c < columns; c++) {
            row[c] = (float) random.nextGaussian();
          }
          rows.write(r++, row);
        }
      }
      return rows;
    }
  }
}
