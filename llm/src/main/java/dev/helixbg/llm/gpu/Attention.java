package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.Norm;
import dev.helixbg.llm.backend.Qkv;
import dev.helixbg.llm.gpu.Kernels.CacheKind;
import dev.helixbg.llm.gpu.Kernels.OfCache;
import dev.helixbg.llm.gpu.driver.GpuBuffer;

/**
 * Encodes the way into the cache, and attention.
 *
 * <p>When every row belongs to another sequence, as in decoding, one kernel does both: the rotation
 * is put off until {@link #attend}, unless something else comes between. Longer spans are rotated
 * first, and attended to tile by tile.
 */
final class Attention {
  private static final int THREADS = 128;
  private static final int SIMDGROUPS = 4;

  /** One for each SIMD-group: they come in at once. */
  private static final int BLOCKS_PER_PART = 4;

  private static final int MOST_PARTS = 32;

  /** Heads of more values do not fit the tiles' threadgroup memory. */
  private static final int LARGEST_TILE_HEAD = 128;

  /** Values of all heads of a group that fit the threadgroup memory of a row. */
  private static final int MOST_GROUP_VALUES = 1024;

  private final Recorder recorder;
  private final Kernels kernels;
  private final Scratch partials;

  // A rotation that was put off.
  private boolean pending;
  private BatchTables tables;
  private Batch batch;
  private int batchVersion;
  private Qkv qkv;
  private Norm qNorm;
  private Norm kNorm;
  private GpuRope rope;
  private int layer;

  Attention(Recorder recorder, Kernels kernels) {
    this.recorder = recorder;
    this.kernels = kernels;
    partials = recorder.scratch("parts of attention");
  }

  void rotate(
      BatchTables newTables,
      Batch newBatch,
      Qkv newQkv,
      Norm newQNorm,
      Norm newKNorm,
      GpuRope newRope,
      int newLayer) {
    tables = newTables;
    batch = newBatch;
    batchVersion = newBatch.version();
    qkv = newQkv;
    qNorm = newQNorm;
    kNorm = newKNorm;
    rope = newRope;
    layer = newLayer;
    requirePositions();
    pending = true;
    if (!tables.isDistinct()
        || groupOf(newBatch) != headsPerKvHead(newBatch, (GpuActivations) newQkv.q())) {
      finishRotation();
    }
  }

  private void requirePositions() {
    for (int span = 0; span < batch.spans(); span++) {
      int end = batch.start(span) + batch.count(span);
      if (end > rope.positions()) {
        throw new IndexOutOfBoundsException("position " + (end - 1) + " of " + rope.positions());
      }
    }
  }

  /** Encodes the rotation that was put off, if there is one. */
  void finishRotation() {
    if (!pending) {
      return;
    }
    pending = false;
    KvBlocks memory = memory(batch);
    KvShape shape = memory.shape();
    GpuActivations q = (GpuActivations) qkv.q();
    GpuActivations k = (GpuActivations) qkv.k();
    GpuActivations v = (GpuActivations) qkv.v();
    int heads = q.columns() / shape.headSize();
    recorder
        .kernel(kernels.get(OfCache.ROTATE, kind(batch, q)))
        .writes(0, q.buffer(), 0)
        .writes(1, k.buffer(), 0)
        .reads(2, v.buffer(), 0)
        .weights(3, (GpuMatrix) qNorm.gain())
        .weights(4, (GpuMatrix) kNorm.gain())
        .fixed(5, rope.buffer(), 0)
        .writes(6, memory.buffer(), 0)
        .fixed(7, tables.places())
        .fixed(8, tables.blocks());
    putShape(shape, q, layer, q, 1, true);
    recorder
        .constants(9)
        .dispatch(Math.ceilDiv(heads + 2 * shape.kvHeads(), SIMDGROUPS), batch.rows(), 1, THREADS);
  }

  void attend(
      BatchTables newTables,
      Batch attended,
      GpuActivations q,
      int attendedLayer,
      GpuActivations target) {
    boolean fresh =
        pending
            && attended == batch
            && attended.version() == batchVersion
            && attendedLayer == layer
            && q == qkv.q();
    if (!fresh) {
      finishRotation();
    }
    pending = false;
    if (newTables.isDistinct() || memory(attended).shape().headSize() > LARGEST_TILE_HEAD) {
      rows(newTables, attended, q, attendedLayer, target, fresh);
    } else {
      tiles(newTables, attended, q, attendedLayer, target);
    }
  }

  private void rows(
      BatchTables at,
      Batch attended,
      GpuActivations q,
      int attendedLayer,
      GpuActivations target,
      boolean fresh) {
    KvBlocks memory = memory(attended);
    KvShape shape = memory.shape();
    CacheKind kind = kind(attended, q);
    int heads = q.columns() / shape.headSize();
    int parts = parts(at.mostBlocks());
    GpuBuffer partial =
        parts == 1
            ? target.buffer()
            : partials.of(partialBytes(attended.rows(), heads, parts, shape.headSize()));
    GpuActivations k = fresh ? (GpuActivations) qkv.k() : q;
    GpuActivations v = fresh ? (GpuActivations) qkv.v() : q;
    recorder
        .kernel(kernels.get(OfCache.ATTEND_ROW, kind))
        .reads(0, q.buffer(), 0)
        .reads(1, k.buffer(), 0)
        .reads(2, v.buffer(), 0)
        .fixed(7, at.places())
        .fixed(8, at.blocks());
    if (fresh) {
      recorder
          .weights(3, (GpuMatrix) qNorm.gain())
          .weights(4, (GpuMatrix) kNorm.gain())
          .fixed(5, rope.buffer(), 0)
          .writes(6, memory.buffer(), 0);
    } else {
      recorder
          .fixed(3, q.buffer(), 0)
          .fixed(4, q.buffer(), 0)
          .fixed(5, q.buffer(), 0)
          .reads(6, memory.buffer(), 0);
    }
    putShape(shape, q, attendedLayer, target, parts, fresh);
    recorder.constants(9);
    if (parts == 1) {
      recorder.writes(10, target.buffer(), 0).fixed(11, partial, 0);
    } else {
      recorder.fixed(10, target.buffer(), 0).writes(11, partial, 0);
    }
    recorder.dispatch(heads / kind.group(), parts, attended.rows(), THREADS);
    if (parts > 1) {
      recorder
          .kernel(kernels.get(OfCache.COMBINE, kind))
          .reads(0, partial, 0)
          .writes(1, target.buffer(), 0);
      putShape(shape, q, attendedLayer, target, parts, fresh);
      recorder.constants(2).dispatch(heads, attended.rows(), 1, THREADS);
    }
  }

  /** A power of two, so that the passes of an answer are seldom other ones than before. */
  private static int parts(int blocks) {
    int wanted = Math.clamp(Math.ceilDiv(blocks, BLOCKS_PER_PART), 1, MOST_PARTS);
    return wanted == 1 ? 1 : 2 * Integer.highestOneBit(wanted - 1);
  }

  private void tiles(
      BatchTables at, Batch attended, GpuActivations q, int attendedLayer, GpuActivations target) {
    KvBlocks memory = memory(attended);
    KvShape shape = memory.shape();
    recorder
        .kernel(kernels.get(OfCache.ATTEND_TILE, kind(attended, q)))
        .reads(0, q.buffer(), 0)
        .reads(1, memory.buffer(), 0)
        .fixed(2, at.tiles())
        .fixed(3, at.blocks());
    putShape(shape, q, attendedLayer, target, 1, false);
    recorder
        .constants(4)
        .writes(5, target.buffer(), 0)
        .dispatch(q.columns() / shape.headSize(), at.tileCount(), 1, THREADS);
  }

  // ---- helpers --------------------------------------------------------------------------------

  /** The struct AttentionShape of {@code cache.metal}. */
  private void putShape(
      KvShape shape,
      GpuActivations q,
      int ofLayer,
      GpuActivations target,
      int parts,
      boolean fresh) {
    recorder
        .put(q.columns() / shape.headSize())
        .put(shape.kvHeads())
        .put(shape.layers())
        .put(ofLayer)
        .put(q.stride())
        .put(fresh ? ((GpuActivations) qkv.k()).stride() : 0)
        .put(target.stride())
        .put(parts)
        .put(fresh ? 1 : 0)
        .put(fresh ? qNorm.epsilon() : 0)
        .put(fresh ? kNorm.epsilon() : 0);
  }

  private static KvBlocks memory(Batch batch) {
    return ((GpuKvCache) batch.cache(0)).memory();
  }

  private static int headsPerKvHead(Batch batch, GpuActivations q) {
    KvShape shape = memory(batch).shape();
    return q.columns() / shape.headSize() / shape.kvHeads();
  }

  private CacheKind kind(Batch of, GpuActivations q) {
    KvShape shape = memory(of).shape();
    return new CacheKind(shape.headSize(), group(headsPerKvHead(of, q), shape), shape.storage());
  }

  private int groupOf(Batch of) {
    return group(headsPerKvHead(of, (GpuActivations) qkv.q()), memory(of).shape());
  }

  /** The most query heads of a key head that fit, the same number each time. */
  private static int group(int headsPerKvHead, KvShape shape) {
    int group = headsPerKvHead;
    while (headsPerKvHead % group != 0
        || group > 1 && group * shape.headSize() > MOST_GROUP_VALUES) {
      group--;
    }
    return group;
  }

  private static long partialBytes(int rows, int heads, int parts, int headSize) {
    int paddedHead = Math.ceilDiv(headSize, 4) * 4;
    return 4L * rows * heads * parts * (paddedHead + 4);
  }
}
