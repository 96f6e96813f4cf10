package dev.helixbg.llm.gpu;

import dev.helixbg.llm.gpu.Kernels.OfRows;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;

/**
 * Encodes the choice of the largest logits, in two steps: of each part of a row, then of the parts.
 */
final class Largest {
  // Of rows.metal.
  private static final int PART = 1024;
  private static final int MOST_PARTS = 1024;

  private final GpuDevice device;
  private final Arena arena;
  private final Recorder recorder;
  private final Kernels kernels;
  private GpuBuffer values;
  private GpuBuffer places;

  Largest(GpuDevice device, Arena arena, Recorder recorder, Kernels kernels) {
    this.device = device;
    this.arena = arena;
    this.recorder = recorder;
    this.kernels = kernels;
  }

  /** The largest of each of the first rows. */
  void one(GpuActivations logits, int rows, GpuBuffer ids) {
    int parts = parts(logits);
    room(rows * parts);
    recorder
        .kernel(kernels.get(OfRows.ARGMAX_PART))
        .reads(0, logits.buffer(), 0)
        .writes(1, values, 0)
        .writes(2, places, 0)
        .writes(3, ids, 0);
    putShape(logits, parts).constants(4).dispatch(parts, rows, 1, Products.ROW_THREADS);
    if (parts == 1) {
      return;
    }
    recorder
        .kernel(kernels.get(OfRows.ARGMAX))
        .reads(0, values, 0)
        .reads(1, places, 0)
        .writes(2, ids, 0);
    putShape(logits, parts).constants(3).dispatch(rows, 1, 1, Products.ROW_THREADS);
  }

  /** As many as {@code found} has columns, of each of the first rows. */
  void some(GpuActivations logits, int rows, GpuBuffer ids, GpuActivations found) {
    int parts = parts(logits);
    int k = found.columns();
    room(rows * parts * k);
    recorder
        .kernel(kernels.get(OfRows.TOP_K_PART))
        .reads(0, logits.buffer(), 0)
        .writes(1, values, 0)
        .writes(2, places, 0);
    putShape(logits, parts)
        .put(k)
        .put(found.stride())
        .constants(3)
        .dispatch(parts, rows, 1, Products.ROW_THREADS);
    recorder
        .kernel(kernels.get(OfRows.TOP_K))
        .reads(0, values, 0)
        .reads(1, places, 0)
        .writes(2, ids, 0)
        .writes(3, found.buffer(), 0);
    putShape(logits, parts)
        .put(k)
        .put(found.stride())
        .constants(4)
        .dispatch(rows, 1, 1, Products.ROW_THREADS);
  }

  private static int parts(GpuActivations logits) {
    int parts = Math.ceilDiv(logits.columns(), PART);
    if (parts > MOST_PARTS) {
      throw new IllegalArgumentException("rows of " + logits.columns() + " logits");
    }
    return parts;
  }

  private Recorder putShape(GpuActivations logits, int parts) {
    return recorder.put(logits.columns()).put(logits.stride()).put(parts);
  }

  private void room(int candidates) {
    long bytes = 4L * candidates;
    if (values == null || values.bytes() < bytes) {
      values = device.buffer(arena, "largest logits", bytes);
      places = device.buffer(arena, "their places", bytes);
    }
  }
}
