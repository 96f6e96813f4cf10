package dev.helixbg.llm.gpu;

import dev.helixbg.llm.gpu.CompiledKernels.RowsKernel;
import dev.helixbg.llm.gpu.driver.GpuBuffer;

/**
 * Encodes the search for the largest logit of each row, in two steps. The first step finds the
 * largest logit of each part of the row, and the second step finds the largest logit among the
 * parts. For few rows, the matrix product that computes the logits does the first step.
 */
final class ArgmaxEncoder {
  // The same constant is in rows.metal.
  private static final int PART = 1024;

  private final CommandRecorder recorder;
  private final CompiledKernels kernels;
  private final GrowableBuffer valuesRoom;
  private final GrowableBuffer placesRoom;
  private GpuBuffer values;
  private GpuBuffer places;

  /**
   * Logits for which the matrix product has found the largest logit of each part, in submission
   * {@code foundIn}. Null if there are none.
   */
  private GpuActivations found;

  private long foundIn;
  private int foundParts;

  ArgmaxEncoder(CommandRecorder recorder, CompiledKernels kernels) {
    this.recorder = recorder;
    this.kernels = kernels;
    valuesRoom = recorder.scratch("largest logits");
    placesRoom = recorder.scratch("their places");
  }

  /**
   * Binds the buffers to which the matrix product writes the largest logit of each part, and the
   * indices of these logits.
   */
  void found(GpuActivations logits, int rows, int parts) {
    room(rows * parts);
    recorder.writes(10, values).writes(11, places);
    found = logits;
    foundIn = recorder.submission();
    foundParts = parts;
  }

  /** Writes the index of each row's largest logit to {@code ids}. */
  void one(GpuActivations logits, int rows, GpuBuffer ids) {
    boolean isFound = logits == found && recorder.submission() == foundIn;
    int parts = isFound ? foundParts : Math.ceilDiv(logits.columns(), PART);
    if (!isFound) {
      parts(logits, rows, parts, ids);
      if (parts == 1) {
        return;
      }
    }
    recorder
        .kernel(kernels.get(RowsKernel.ARGMAX))
        .reads(0, values)
        .reads(1, places)
        .writes(2, ids);
    putShape(logits, parts).constants(3).dispatch(rows, 1, 1, MatmulEncoder.ROW_THREADS);
  }

  private void parts(GpuActivations logits, int rows, int parts, GpuBuffer ids) {
    room(rows * parts);
    recorder
        .kernel(kernels.get(RowsKernel.ARGMAX_PART))
        .reads(0, logits.buffer())
        .writes(1, values)
        .writes(2, places)
        .writes(3, ids);
    putShape(logits, parts).constants(4).dispatch(parts, rows, 1, MatmulEncoder.ROW_THREADS);
  }

  private CommandRecorder putShape(GpuActivations logits, int parts) {
    return recorder.put(logits.columns()).put(logits.stride()).put(parts);
  }

  private void room(int candidates) {
    values = valuesRoom.of(4L * candidates);
    places = placesRoom.of(4L * candidates);
    found = null;
  }
}
