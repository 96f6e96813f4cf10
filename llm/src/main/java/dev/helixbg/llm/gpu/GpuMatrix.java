package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Matrix;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;

/** A weight matrix: where its rows begin in a buffer. */
final class GpuMatrix implements Matrix {
  private final WeightBuffers owner;
  private final Tensor tensor;
  private final int rows;
  private final int columns;
  private GpuBuffer buffer;
  private long offset;

  GpuMatrix(WeightBuffers owner, Tensor tensor) {
    this.owner = owner;
    this.tensor = tensor;
    rows = Math.toIntExact(tensor.rows());
    columns = Math.toIntExact(tensor.columns());
  }

  void place(GpuBuffer in, long at) {
    buffer = in;
    offset = at;
  }

  @Override
  public int rows() {
    return rows;
  }

  @Override
  public int columns() {
    return columns;
  }

  TensorType type() {
    return tensor.type();
  }

  Tensor tensor() {
    return tensor;
  }

  int rowBytes() {
    return Math.toIntExact(tensor.rowBytes());
  }

  GpuBuffer buffer() {
    if (buffer == null) {
      owner.placeAll();
    }
    return buffer;
  }

  /** Byte of {@link #buffer} at which the first row begins. */
  long offset() {
    buffer();
    return offset;
  }
}
