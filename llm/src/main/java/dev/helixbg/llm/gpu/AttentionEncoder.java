package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.Backend.Qkv;
import dev.helixbg.llm.backend.Backend.Rope;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostRope;
import dev.helixbg.llm.gpu.CompiledKernels.CacheKernel;
import dev.helixbg.llm.gpu.CompiledKernels.CacheKind;
import dev.helixbg.llm.gpu.GpuKvCache.KvBlocks;
import dev.helixbg.llm.gpu.WeightBuffers.GpuMatrix;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;

/**
 * Encodes the rotation of queries and keys, the writing of keys and values to the KV cache, and
 * attention.
 *
 * <p>If every row belongs to a different sequence, as in decoding, attention is computed row by
 * row. The same kernel usually also does the rotation and the writing to the cache; the rotation is
 * then delayed until {@link #attend}, or until another step is encoded. If the positions of long
 * sequences are divided into parts, a second kernel combines the parts' results.
 *
 * <p>A separate kernel does the rotation and the writing beforehand if a sequence has several rows,
 * or if the query heads that share a key head do not fit one threadgroup. If a sequence has several
 * rows, attention is computed tile by tile, or row by row if a tile does not fit threadgroup
 * memory.
 */
final class AttentionEncoder {
  private static final int THREADS = 128;
  private static final int SIMDGROUPS = 4;

  // The same constants are in attend_row.metal.
  private static final int PART_BLOCKS = 4;
  private static final int MOST_PARTS = 32;

  /** Largest head size, in values, with which a tile fits threadgroup memory. */
  private static final int LARGEST_TILE_HEAD = 128;

  /** Maximum number of values in the query heads of a threadgroup, limited by its memory. */
  private static final int MOST_GROUP_VALUES = 1024;

  private final CommandRecorder recorder;
  private final CompiledKernels kernels;
  private final GrowableBuffer partials;

  private record Rotation(
      BatchTables tables, Qkv qkv, Norm qNorm, Norm kNorm, GpuRope rope, int layer) {}

  private Rotation pending;

  AttentionEncoder(CommandRecorder recorder, CompiledKernels kernels) {
    this.recorder = recorder;
    this.kernels = kernels;
    partials = recorder.scratch("parts of attention");
  }

  void rotate(BatchTables tables, Qkv qkv, Norm qNorm, Norm kNorm, GpuRope rope, int layer) {
    pending = new Rotation(tables, qkv, qNorm, kNorm, rope, layer);
    GpuActivations q = (GpuActivations) qkv.q();
    KvShape shape = tables.memory().shape();
    if (!tables.distinct() || kind(shape, q).group() != headsPerKvHead(shape, q)) {
      finishRotation();
    }
  }

  void finishRotation() {
    Rotation r = pending;
    if (r == null) {
      return;
    }
    pending = null;
    KvBlocks memory = r.tables.memory();
    KvShape shape = memory.shape();
    GpuActivations q = (GpuActivations) r.qkv.q();
    GpuActivations k = (GpuActivations) r.qkv.k();
    GpuActivations v = (GpuActivations) r.qkv.v();
    int heads = q.columns() / shape.headSize();
    recorder
        .kernel(kernels.get(CacheKernel.ROTATE, kind(shape, q)))
        .writes(0, q.buffer())
        .writes(1, k.buffer())
        .reads(2, v.buffer())
        .weights(3, (GpuMatrix) r.qNorm.gain())
        .weights(4, (GpuMatrix) r.kNorm.gain())
        .fixed(5, r.rope.buffer())
        .writes(6, memory.buffer())
        .fixed(7, r.tables.places())
        .fixed(8, r.tables.blocks());
    putShape(shape, q, r.layer, q, 1, r);
    int groups = Math.ceilDiv(heads + 2 * shape.kvHeads(), SIMDGROUPS);
    recorder.constants(9).dispatch(groups, r.tables.rows(), 1, THREADS);
  }

  void attend(BatchTables tables, GpuActivations q, int layer, GpuActivations target) {
    Rotation fresh = pending;
    if (fresh == null || fresh.tables != tables || fresh.layer != layer || fresh.qkv.q() != q) {
      finishRotation();
      fresh = null;
    }
    pending = null;
    if (tables.distinct() || tables.memory().shape().headSize() > LARGEST_TILE_HEAD) {
      rows(tables, q, layer, target, fresh);
    } else {
      tiles(tables, q, layer, target);
    }
  }

  /**
   * Computes attention row by row. The kernel first does the rotation {@code fresh}, which is null
   * if the rows are already rotated.
   */
  private void rows(
      BatchTables tables, GpuActivations q, int layer, GpuActivations target, Rotation fresh) {
    KvBlocks memory = tables.memory();
    KvShape shape = memory.shape();
    CacheKind kind = kind(shape, q);
    int heads = q.columns() / shape.headSize();
    int parts = parts(tables.mostBlocks());
    int paddedHead = Math.ceilDiv(shape.headSize(), 4) * 4;
    GpuBuffer partial =
        parts == 1
            ? target.buffer()
            : partials.of(4L * tables.rows() * heads * parts * (paddedHead + 4));
    GpuActivations k = fresh != null ? (GpuActivations) fresh.qkv.k() : q;
    GpuActivations v = fresh != null ? (GpuActivations) fresh.qkv.v() : q;
    recorder
        .kernel(kernels.get(CacheKernel.ATTEND_ROW, kind))
        .reads(0, q.buffer())
        .reads(1, k.buffer())
        .reads(2, v.buffer())
        .fixed(7, tables.places())
        .fixed(8, tables.blocks());
    if (fresh != null) {
      recorder
          .weights(3, (GpuMatrix) fresh.qNorm.gain())
          .weights(4, (GpuMatrix) fresh.kNorm.gain())
          .fixed(5, fresh.rope.buffer())
          .writes(6, memory.buffer());
    } else {
      recorder
          .fixed(3, q.buffer())
          .fixed(4, q.buffer())
          .fixed(5, q.buffer())
          .reads(6, memory.buffer());
    }
    putShape(shape, q, layer, target, parts, fresh);
    recorder.constants(9);
    if (parts == 1) {
      recorder.writes(10, target.buffer()).fixed(11, partial);
    } else {
      recorder.fixed(10, target.buffer()).writes(11, partial);
    }
    recorder.dispatch(heads / kind.group(), parts, tables.rows(), THREADS);
    if (parts > 1) {
      recorder
          .kernel(kernels.get(CacheKernel.COMBINE, kind))
          .reads(0, partial)
          .writes(1, target.buffer());
      putShape(shape, q, layer, target, parts, fresh);
      recorder.constants(2).dispatch(heads, tables.rows(), 1, THREADS);
    }
  }

  /**
   * Returns the number of parts into which {@code blocks} blocks of positions are divided. It is a
   * power of two, so that the grid of the dispatch seldom changes during an answer.
   */
  private static int parts(int blocks) {
    int wanted = Math.clamp(Math.ceilDiv(blocks, PART_BLOCKS), 1, MOST_PARTS);
    return wanted == 1 ? 1 : 2 * Integer.highestOneBit(wanted - 1);
  }

  private void tiles(BatchTables tables, GpuActivations q, int layer, GpuActivations target) {
    KvShape shape = tables.memory().shape();
    recorder
        .kernel(kernels.get(CacheKernel.ATTEND_TILE, kind(shape, q)))
        .reads(0, q.buffer())
        .reads(1, tables.memory().buffer())
        .fixed(2, tables.tiles())
        .fixed(3, tables.blocks());
    putShape(shape, q, layer, target, 1, null);
    recorder
        .constants(4)
        .writes(5, target.buffer())
        .dispatch(q.columns() / shape.headSize(), tables.tileCount(), 1, THREADS);
  }

  /** Adds the constants of the struct AttentionShape of {@code cache.metal}. */
  private void putShape(
      KvShape shape,
      GpuActivations q,
      int layer,
      GpuActivations target,
      int parts,
      Rotation fresh) {
    recorder
        .put(q.columns() / shape.headSize())
        .put(shape.kvHeads())
        .put(shape.layers())
        .put(layer)
        .put(q.stride())
        .put(fresh != null ? ((GpuActivations) fresh.qkv.k()).stride() : 0)
        .put(target.stride())
        .put(parts)
        .put(fresh != null ? 1 : 0)
        .put(fresh != null ? fresh.qNorm.epsilon() : 0)
        .put(fresh != null ? fresh.kNorm.epsilon() : 0);
  }

  private static int headsPerKvHead(KvShape shape, GpuActivations q) {
    return q.columns() / shape.headSize() / shape.kvHeads();
  }

  private static CacheKind kind(KvShape shape, GpuActivations q) {
    return new CacheKind(shape.headSize(), group(headsPerKvHead(shape, q), shape));
  }

  /**
   * Returns the largest number of heads that divides {@code headsPerKvHead} and fits threadgroup
   * memory.
   */
  private static int group(int headsPerKvHead, KvShape shape) {
    int group = headsPerKvHead;
    while (headsPerKvHead % group != 0
        || group > 1 && group * shape.headSize() > MOST_GROUP_VALUES) {
      group--;
    }
    return group;
  }

  /** Rotation angles of all positions, written once, in the layout of {@link HostRope#table}. */
  record GpuRope(GpuBuffer buffer) implements Rope {

    static GpuRope make(GpuDevice device, Arena arena, int headSize, double base, int positions) {
      GpuBuffer buffer = device.buffer(arena, "rope", 4L * headSize * positions);
      try (Arena own = Arena.ofConfined()) {
        HostRope rope = new HostRope(own, headSize, base, positions);
        rope.fillTo(positions);
        buffer.write(0, rope.table());
      }
      return new GpuRope(buffer);
    }
  }
}
