package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend.Matrix;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Makes weights readable by the GPU. Weights that are mapped from a file and aligned are used in
 * place if the GPU can read them there. The pages of neighbouring tensors become one buffer, which
 * usually contains the whole model. Other weights are copied.
 */
final class WeightBuffers {
  /** Alignment of weights that the kernels' widest load needs, in bytes. */
  private static final int ALIGNMENT = 16;

  private final GpuDevice device;
  private final Arena arena;

  private final List<GpuMatrix> waiting = new ArrayList<>();
  private long copiedBytes;

  WeightBuffers(GpuDevice device, Arena arena) {
    this.device = device;
    this.arena = arena;
  }

  /**
   * Makes a matrix. If the tensor is mapped and aligned, it gets its buffer later, together with
   * all other such tensors: when the first of them is used.
   */
  GpuMatrix matrix(Tensor tensor) {
    GpuMatrix matrix = new GpuMatrix(tensor);
    MemorySegment data = tensor.data();
    if (data.isMapped() && data.address() % ALIGNMENT == 0) {
      waiting.add(matrix);
    } else {
      copy(matrix);
    }
    return matrix;
  }

  long copiedBytes() {
    return copiedBytes;
  }

  void placeAll() {
    waiting.sort(Comparator.comparingLong(WeightBuffers::start));
    long most = device.maxBufferBytes();
    for (int from = 0; from < waiting.size(); ) {
      int to = from + 1;
      while (to < waiting.size()
          && device.pageStart(start(waiting.get(to))) <= end(waiting.get(to - 1))
          && end(waiting.get(to)) - device.pageStart(start(waiting.get(from))) <= most) {
        to++;
      }
      place(waiting.subList(from, to));
      from = to;
    }
    waiting.clear();
  }

  private static long start(GpuMatrix matrix) {
    return matrix.tensor().data().address();
  }

  private static long end(GpuMatrix matrix) {
    return start(matrix) + matrix.tensor().data().byteSize();
  }

  private void place(List<GpuMatrix> neighbours) {
    long start = start(neighbours.getFirst());
    GpuBuffer pages = device.pages(arena, "weights", start, end(neighbours.getLast()) - start);
    for (GpuMatrix matrix : neighbours) {
      if (pages == null) {
        copy(matrix);
      } else {
        matrix.place(pages, start(matrix) - device.pageStart(start));
      }
    }
  }

  private void copy(GpuMatrix matrix) {
    Tensor tensor = matrix.tensor();
    GpuBuffer buffer = device.buffer(arena, tensor.name(), tensor.data().byteSize());
    buffer.write(0, tensor.data());
    copiedBytes += tensor.data().isMapped() ? tensor.data().byteSize() : 0;
    matrix.place(buffer, 0);
  }

  final class GpuMatrix implements Matrix {
    private final Tensor tensor;
    private final int rows;
    private final int columns;
    private GpuBuffer buffer;
    private long offset;

    GpuMatrix(Tensor tensor) {
      this.tensor = tensor;
      rows = Math.toIntExact(tensor.rows());
      columns = Math.toIntExact(tensor.columns());
    }

    void place(GpuBuffer newBuffer, long newOffset) {
      buffer = newBuffer;
      offset = newOffset;
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
        placeAll();
      }
      return buffer;
    }

    /** Returns the offset of the first row in {@link #buffer}, in bytes. */
    long offset() {
      buffer();
      return offset;
    }
  }
}
