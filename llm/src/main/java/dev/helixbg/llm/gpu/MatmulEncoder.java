package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Backend.Norm;
import dev.helixbg.llm.backend.BackendCounters;
import dev.helixbg.llm.backend.BackendCounters.Counter;
import dev.helixbg.llm.gpu.CompiledKernels.RowsKernel;
import dev.helixbg.llm.gpu.CompiledKernels.WeightsKernel;
import dev.helixbg.llm.gpu.WeightBuffers.GpuMatrix;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Encodes products of matrices with rows of activations. Up to {@link #ALONE} rows are multiplied
 * by {@code matvec.metal}, up to {@link #FEW} rows by {@code matmul_few.metal}, and more rows by
 * {@code matmul.metal}. A row's result never depends on the other rows.
 */
final class MatmulEncoder {
  /** Number of threads of a threadgroup in {@code rows.metal}. */
  static final int ROW_THREADS = 256;

  private static final int THREADS = 128;

  /**
   * Maximum number of vectors that are multiplied without tiles. Tiles of so few vectors would be
   * mostly empty.
   */
  private static final int ALONE = 4;

  /**
   * Maximum number of vectors that are multiplied in small tiles. Even small matrices have enough
   * small tiles to keep a GPU busy. A pass computes the logits of at most this number of rows, so
   * large tiles never compute logits.
   */
  static final int FEW = 32;

  // The same constants are in matmul_few.metal.
  private static final int SMALL_TILE_VECTORS = 8;
  private static final int SMALL_TILE_ROWS = 16;
  private static final int SMALLEST_TILE_ROWS = 8;
  private static final int SMALLEST_TILE_THREADS = 2 * THREADS;

  /** Minimum number of 16-row tiles to keep a GPU busy. With fewer tiles, 8-row tiles are used. */
  private static final int FEWEST_TILES = 256;

  // The same constant is in matvec.metal.
  private static final int SIMDGROUPS = 4;

  /**
   * Number of rows that a simdgroup computes one after the other, if the matrix has at least {@link
   * #ROWS_TO_LOOP} rows and a row fits the registers.
   */
  private static final int LOOPS = 8;

  private static final int ROWS_TO_LOOP = 32_768;

  // Size of a tile of matmul.metal. The tile is large, so that each unpacked weight is used often:
  // unpacking costs as much as several multiplications.
  private static final int TILE_VECTORS = 32;
  private static final int TILE_ROWS = 64;

  private final CommandRecorder recorder;
  private final CompiledKernels kernels;
  private final BackendCounters counters;

  private final GpuMatrix[] matrices = new GpuMatrix[3];
  private final GpuActivations[] targets = new GpuActivations[3];
  private int count;
  private GpuActivations x;
  private Norm norm;
  private boolean adds;

  /** Encoder that gets the largest logits of the next product; null if they are not wanted. */
  private ArgmaxEncoder largest;

  private final GrowableBuffer normedRoom;
  private final GrowableBuffer gatesRoom;
  private GpuActivations normed;
  private GpuActivations gates;

  MatmulEncoder(CommandRecorder recorder, CompiledKernels kernels, BackendCounters counters) {
    this.recorder = recorder;
    normedRoom = recorder.scratch("normed");
    gatesRoom = recorder.scratch("gates");
    this.kernels = kernels;
    this.counters = counters;
  }

  void begin(GpuActivations newX, Norm newNorm, boolean newAdds) {
    x = newX;
    norm = newNorm;
    adds = newAdds;
    count = 0;
    largest = null;
  }

  void matrix(GpuMatrix w, GpuActivations target) {
    matrices[count] = w;
    targets[count++] = target;
    counters.add(Counter.WEIGHT_BYTES, (long) w.rows() * w.rowBytes());
  }

  /**
   * Makes the next matrix product also find the largest logit of each part of a row, and pass these
   * logits to {@code finder}. Has no effect on products of more than {@link #ALONE} vectors.
   */
  void findLargest(ArgmaxEncoder finder) {
    largest = finder;
  }

  /**
   * Multiplies row {@code rowOf[i]} of the field {@code x} with each of {@code matrices}, for every
   * i below {@code vectors}.
   */
  void multiply(UploadTables.Table rowOf, int vectors) {
    WeightsKernel kernel =
        vectors <= ALONE
            ? WeightsKernel.PROJECT
            : vectors <= FEW ? WeightsKernel.MATMUL_FEW : WeightsKernel.MATMUL;
    GpuActivations input =
        kernel == WeightsKernel.MATMUL && norm != null ? normalised(rowOf, vectors) : x;
    boolean together = kernels.has(kernel, distinctTypes(0, count), x.columns());
    int each = together ? count : 1;
    for (int from = 0; from < count; from += each) {
      switch (kernel) {
        case PROJECT -> rows(rowOf, vectors, from, from + each);
        case MATMUL_FEW -> smallTiles(rowOf, vectors, from, from + each, false);
        default -> tiles(input, vectors, from, from + each);
      }
    }
  }

  private void rows(UploadTables.Table rowOf, int vectors, int from, int to) {
    List<TensorType> kinds = distinctTypes(from, to);
    boolean loops =
        matrices[from].rows() >= ROWS_TO_LOOP
            && x.columns() <= CompiledKernels.mostUnits(kinds) * CompiledKernels.UNIT_COLUMNS;
    int rowsPerGroup = loops ? LOOPS * SIMDGROUPS : SIMDGROUPS;
    CommandRecorder r = ofChosenRows(WeightsKernel.PROJECT, kinds, rowOf, from, to);
    int groups = groups(from, to, rowsPerGroup);
    r.put(rowsPerGroup / SIMDGROUPS).put(largest != null ? 1 : 0);
    putMatrices(kinds, from, to);
    if (largest != null) {
      largest.found(targets[from], vectors, groups);
    } else {
      r.fixed(10, targets[from].buffer()).fixed(11, targets[from].buffer());
    }
    r.constants(9)
        .threadgroupBytes(stagedBytes(kinds, x.columns()))
        .dispatch(vectors, groups, 1, THREADS);
  }

  /**
   * Multiplies with two matrices and writes silu(first product) · second product to {@code
   * targets[1]}.
   */
  void gateUp(UploadTables.Table rowOf, int vectors) {
    List<TensorType> kinds = distinctTypes(0, count);
    if (vectors <= ALONE && kernels.has(WeightsKernel.GATE_UP, kinds, x.columns())) {
      gatedRows(kinds, vectors);
    } else if (vectors > ALONE && vectors <= FEW && kinds.size() == 1) {
      smallTiles(rowOf, vectors, 0, count, true);
    } else {
      gates = room(gatesRoom, gates, vectors, targets[1].columns());
      targets[0] = gates;
      multiply(rowOf, vectors);
      gate(targets[1], vectors);
    }
  }

  private void gatedRows(List<TensorType> kinds, int vectors) {
    GpuMatrix gate = matrices[0];
    GpuMatrix up = matrices[1];
    GpuActivations target = targets[0];
    CommandRecorder r =
        recorder
            .kernel(kernels.get(WeightsKernel.GATE_UP, kinds, x.columns()))
            .reads(0, x.buffer())
            .weights(2, gate)
            .weights(3, up)
            .writes(4, target.buffer());
    bindGain(r);
    r.put(x.columns())
        .put(x.stride())
        .put(epsilon())
        .put(gate.rows())
        .put(gate.rowBytes())
        .put(up.rowBytes())
        .put(kinds.indexOf(gate.type()))
        .put(kinds.indexOf(up.type()))
        .put(target.stride())
        .constants(5)
        .threadgroupBytes(stagedBytes(kinds, x.columns()))
        .dispatch(vectors, Math.ceilDiv(gate.rows(), SIMDGROUPS), 1, THREADS);
  }

  private void gate(GpuActivations target, int vectors) {
    recorder
        .kernel(kernels.get(RowsKernel.GATE))
        .reads(0, gates.buffer())
        .writes(1, target.buffer())
        .put(target.columns())
        .put(target.stride())
        .constants(2)
        .dispatch(Math.ceilDiv(target.columns(), ROW_THREADS), vectors, 1, ROW_THREADS);
  }

  private GpuActivations normalised(UploadTables.Table rowOf, int vectors) {
    normed = room(normedRoom, normed, vectors, x.columns());
    CommandRecorder r =
        recorder
            .kernel(kernels.get(RowsKernel.NORMALISE))
            .reads(0, x.buffer())
            .fixed(2, rowOf)
            .writes(3, normed.buffer());
    bindGain(r);
    r.put(x.columns())
        .put(x.stride())
        .put(normed.stride())
        .put(epsilon())
        .constants(4)
        .dispatch(vectors, 1, 1, ROW_THREADS);
    return normed;
  }

  /**
   * Multiplies in small tiles. If {@code gated} is true, multiplies with two matrices and writes
   * silu(first product) · second product.
   */
  private void smallTiles(UploadTables.Table rowOf, int vectors, int from, int to, boolean gated) {
    List<TensorType> kinds = distinctTypes(from, to);
    boolean small = smallTiles(from, to, gated, SMALL_TILE_ROWS) < FEWEST_TILES;
    WeightsKernel kernel = small ? WeightsKernel.MATMUL_FEW_ROWS : WeightsKernel.MATMUL_FEW;
    CommandRecorder r = ofChosenRows(kernel, kinds, rowOf, from, to);
    int tiles = smallTiles(from, to, gated, small ? SMALLEST_TILE_ROWS : SMALL_TILE_ROWS);
    r.put(gated ? 1 : 0).put(vectors);
    putMatrices(kinds, from, to);
    r.constants(9)
        .dispatch(
            Math.ceilDiv(vectors, SMALL_TILE_VECTORS),
            tiles,
            1,
            small ? SMALLEST_TILE_THREADS : THREADS);
  }

  private int smallTiles(int from, int to, boolean gated, int rows) {
    return gated ? groups(from, from + 1, rows / 2) : groups(from, to, rows);
  }

  private void tiles(GpuActivations input, int vectors, int from, int to) {
    List<TensorType> kinds = distinctTypes(from, to);
    CommandRecorder r =
        recorder
            .kernel(kernels.get(WeightsKernel.MATMUL, kinds, x.columns()))
            .reads(0, input.buffer());
    bindMatrices(1, from, to);
    int tiles = groups(from, to, TILE_ROWS);
    r.put(input.columns()).put(input.stride()).put(vectors).put(adds ? 1 : 0);
    putMatrices(kinds, from, to);
    r.constants(7).dispatch(Math.ceilDiv(vectors, TILE_VECTORS), tiles, 1, THREADS);
  }

  /**
   * Begins to encode a kernel that reads rows {@code rowOf} of the field {@code x}. The kernel
   * normalises them if the field {@code norm} is not null. The caller adds more constants.
   */
  private CommandRecorder ofChosenRows(
      WeightsKernel kernel, List<TensorType> kinds, UploadTables.Table rowOf, int from, int to) {
    CommandRecorder r =
        recorder
            .kernel(kernels.get(kernel, kinds, x.columns()))
            .reads(0, x.buffer())
            .fixed(8, rowOf);
    bindGain(r);
    bindMatrices(2, from, to);
    return r.put(x.columns())
        .put(x.stride())
        .put(epsilon())
        .put(norm != null ? 1 : 0)
        .put(adds ? 1 : 0);
  }

  /**
   * Returns the number of threadgroups for some matrices. Each threadgroup computes up to {@code
   * rowsPerGroup} rows of one matrix.
   */
  private int groups(int from, int to, int rowsPerGroup) {
    int groups = 0;
    for (int i = from; i < to; i++) {
      groups += Math.ceilDiv(matrices[i].rows(), rowsPerGroup);
    }
    return groups;
  }

  /**
   * Binds three matrices and their targets, because Metal needs all arguments of a kernel. If there
   * are fewer, binds the first one again.
   */
  private void bindMatrices(int index, int from, int to) {
    for (int i = 0; i < 3; i++) {
      boolean there = from + i < to;
      recorder.weights(index + i, matrices[there ? from + i : from]);
      if (there) {
        recorder.writes(index + 3 + i, targets[from + i].buffer());
      } else {
        recorder.fixed(index + 3 + i, targets[from].buffer());
      }
    }
  }

  private void putMatrices(List<TensorType> kinds, int from, int to) {
    putThree(from, to, i -> matrices[i].rows());
    putThree(from, to, i -> matrices[i].rowBytes());
    putThree(from, to, i -> kinds.indexOf(matrices[i].type()));
    putThree(from, to, i -> targets[i].stride());
  }

  private void putThree(int from, int to, IntUnaryOperator value) {
    for (int i = from; i < from + 3; i++) {
      recorder.put(i < to ? value.applyAsInt(i) : 0);
    }
  }

  private float epsilon() {
    return norm == null ? 0 : norm.epsilon();
  }

  /** Binds the norm's gain. Without a norm, binds any buffer, which the kernel does not read. */
  private void bindGain(CommandRecorder r) {
    if (norm == null) {
      r.fixed(1, x.buffer());
    } else {
      r.weights(1, (GpuMatrix) norm.gain());
    }
  }

  /**
   * Returns the size of a vector in threadgroup memory, in bytes. It includes the gaps that the
   * function {@code padded} of {@code matvec.metal} leaves.
   */
  private static int stagedBytes(List<TensorType> kinds, int columns) {
    int staged = CompiledKernels.units(kinds, columns) * CompiledKernels.UNIT_COLUMNS;
    return Float.BYTES * (staged + staged / 32 * 4 + staged / 64 * 4);
  }

  private static GpuActivations room(
      GrowableBuffer room, GpuActivations held, int rows, int columns) {
    return held != null && held.rows() >= rows && held.columns() == columns
        ? held
        : GpuActivations.in(room, rows, columns);
  }

  private List<TensorType> distinctTypes(int from, int to) {
    List<TensorType> distinct = new ArrayList<>(to - from);
    for (int i = from; i < to; i++) {
      if (!distinct.contains(matrices[i].type())) {
        distinct.add(matrices[i].type());
      }
    }
    return List.copyOf(distinct);
  }
}
