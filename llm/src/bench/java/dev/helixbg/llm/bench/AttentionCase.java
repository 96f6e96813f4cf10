package dev.helixbg.llm.bench;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.Backend.Qkv;
import dev.helixbg.llm.backend.Backend.Rope;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Measures attention with the heads of Qwen3-0.6B and a half-precision cache of keys and values.
 * Either a prompt attends to itself, or one token attends to a long cache. The long cache has so
 * many layers that it does not fit into the CPU's caches.
 */
final class AttentionCase implements KernelCase {
  private static final int HEADS = 16;
  private static final int KV_HEADS = 8;
  private static final int HEAD = 128;

  private final int cached;
  private final int tokens;
  private final int layers;
  private final Side measured;

  private AttentionCase(CpuBackend backend, int cached, int tokens, int layers) {
    this.cached = cached;
    this.tokens = tokens;
    this.layers = layers;
    measured = new Side(backend, layers);
  }

  /** Measures a prompt of {@code tokens} tokens. */
  static AttentionCase prompt(CpuBackend backend, int tokens) {
    return new AttentionCase(backend, 0, tokens, 1);
  }

  /** Measures one token after {@code cached} other tokens, in each of {@code layers} layers. */
  static AttentionCase token(CpuBackend backend, int cached, int layers) {
    return new AttentionCase(backend, cached, 1, layers);
  }

  @Override
  public String name() {
    return tokens == 1
        ? "attention, 1 token after %,d, %d layers".formatted(cached, layers)
        : "attention, %,d tokens".formatted(tokens);
  }

  @Override
  public Limit limit() {
    return tokens == 1 ? Limit.MEMORY : Limit.ARITHMETIC;
  }

  @Override
  public double amount() {
    return tokens == 1
        ? measured.shape.bytesPerPosition() * (cached + 1.0)
        : 2.0 * HEADS * HEAD * tokens * (tokens + 1) / 2;
  }

  @Override
  public void run() {
    for (int layer = 0; layer < layers; layer++) {
      measured.backend.attend(measured.batch, measured.qkv.q(), layer, measured.result);
    }
  }

  @Override
  public double error() {
    try (ScalarBackend scalar = new ScalarBackend()) {
      Side oracle = new Side(scalar, 1);
      scalar.attend(oracle.batch, oracle.qkv.q(), 0, oracle.result);
      // All layers have the same keys and values.
      double worst = 0;
      double largest = 0;
      float[] expected = new float[HEADS * HEAD];
      float[] actual = new float[HEADS * HEAD];
      for (int t = 0; t < tokens; t++) {
        oracle.result.read(t, expected);
        measured.result.read(t, actual);
        for (int c = 0; c < HEADS * HEAD; c++) {
          worst = Math.max(worst, Math.abs((double) expected[c] - actual[c]));
          largest = Math.max(largest, Math.abs(expected[c]));
        }
      }
      return worst / largest;
    }
  }

  /** Allows for keys that differ in their last bits and are rounded to different f16 numbers. */
  @Override
  public double bound() {
    return 1e-3;
  }

  @Override
  public void close() {
    measured.cache.close();
  }

  /** Random queries, keys and values on one backend. All backends get the same numbers. */
  private final class Side {
    private final Backend backend;
    private final KvShape shape;
    private final KvCache cache;
    private final Batch batch = new Batch(Math.max(cached, tokens), 1);
    private final Activations result;
    private Qkv qkv;

    Side(Backend backend, int layers) {
      this.backend = backend;
      shape = new KvShape(layers, KV_HEADS, HEAD, cached + tokens);
      cache = backend.cache(shape);
      result = backend.activations(tokens, HEADS * HEAD);
      SplittableRandom random = new SplittableRandom(3);
      if (cached > 0) {
        fill(random, cached);
      }
      fill(random, tokens);
    }

    private void fill(SplittableRandom random, int rows) {
      float[][] q = rows(random, rows, HEADS * HEAD);
      float[][] k = rows(random, rows, KV_HEADS * HEAD);
      float[][] v = rows(random, rows, KV_HEADS * HEAD);
      batch.clear();
      batch.add(cache, rows, 0);
      Rope rope = backend.rope(HEAD, 1e6, cached + tokens);
      try (Arena arena = Arena.ofShared()) {
        Norm norm = new Norm(backend.matrix(ones(arena)), 1e-6f);
        for (int layer = 0; layer < shape.layers(); layer++) {
          qkv = new Qkv(written(q), written(k), written(v));
          backend.rotateAndCache(batch, qkv, norm, norm, rope, layer);
        }
        backend.submit().await();
      }
    }

    private Activations written(float[][] values) {
      Activations activations = backend.activations(values.length, values[0].length);
      for (int r = 0; r < values.length; r++) {
        activations.write(r, values[r]);
      }
      return activations;
    }
  }

  private static float[][] rows(SplittableRandom random, int rows, int columns) {
    float[][] values = new float[rows][columns];
    for (float[] row : values) {
      for (int i = 0; i < columns; i++) {
        row[i] = (float) random.nextGaussian();
      }
    }
    return values;
  }

  private static Tensor ones(Arena arena) {
    MemorySegment data = arena.allocate(4L * HEAD, 64);
    for (int i = 0; i < HEAD; i++) {
      data.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1);
    }
    return new Tensor("ones", TensorType.F32, List.of((long) HEAD), data);
  }
}
