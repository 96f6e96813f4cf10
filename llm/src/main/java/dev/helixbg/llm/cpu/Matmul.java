package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Multiplies up to three matrices with the same rows of activations: {@code y[r] = W·x[r]} or
 * {@code y[r] += W·x[r]}. Reads each matrix once.
 *
 * <p>Up to {@link #FEW} rows are multiplied one by one, directly with the stored weights: a block
 * of weights is multiplied with every row before the next block is read. If there are more rows,
 * they are packed into tiles (the activations of some tokens), and tiles are multiplied with panels
 * (some unpacked rows of a matrix). With both methods, a row's result is bit-identical for any
 * values of the other rows. The two methods add in different orders, so their results may differ.
 */
final class Matmul {
  /**
   * Maximum number of rows that are multiplied one by one. In measurements, a tile of eight rows
   * was slower than six single rows, and no faster than seven single rows.
   */
  static final int FEW = 7;

  /** Size of a block of weights, in bytes. It fits the second-level cache with the activations. */
  private static final long SHARED_BYTES = 1 << 16;

  /**
   * Bounds of the parts of a thread's share of the work, in 32nds of the share. Taking a part costs
   * as much time as reading a few KB of weights (decision 92). A thread therefore first takes half
   * of its share, then ever smaller parts, which other threads can take over.
   */
  private static final int[] CUTS = {0, 16, 24, 28, 30, 32};

  private static final int PARTS_PER_MEMBER = CUTS.length - 1;

  /** Number of results in a cache line. Each part ends at a multiple of this number. */
  private static final int LINE = 16;

  private final ThreadTeam team;
  private final ThreadScratch[] scratch;
  private final Runnable beforeTiles;
  private final Arena arena;

  /**
   * Rows of activations in the form that the kernels need. Only rows that are multiplied one by one
   * need this form, so there are at most {@link #FEW}.
   */
  private final List<PreparedInputs> inputs = new ArrayList<>();

  private final FloatMatmul floats;
  private final ByteMatmul bytes;

  private final HostMatrix[] matrices = new HostMatrix[3];
  private final HostActivations[] targets = new HostActivations[3];

  /** Total size of the matrices that precede a matrix, in bytes, by the index of that matrix. */
  private final long[] bytesBefore = new long[4];

  private int count;
  private boolean adds;
  private int rows;
  private boolean few;
  private int columns;

  Matmul(Arena arena, ThreadTeam team, ThreadScratch[] scratch, Runnable beforeTiles) {
    this.beforeTiles = beforeTiles;
    this.team = team;
    this.scratch = scratch;
    this.arena = arena;
    floats = new FloatMatmul(arena);
    bytes = new ByteMatmul(arena);
  }

  void begin(boolean adds) {
    this.adds = adds;
    count = 0;
  }

  void matrix(HostMatrix matrix, HostActivations target) {
    matrices[count] = matrix;
    targets[count++] = target;
    bytesBefore[count] = bytesBefore[count - 1] + matrix.rows() * matrix.rowBytes();
  }

  /**
   * Multiplies the first {@code rows} rows of {@code x} with the matrices that were added since
   * {@link #begin}.
   *
   * @param few whether the rows are multiplied one by one; otherwise, they are multiplied in tiles
   */
  void run(HostActivations x, int rows, boolean few) {
    this.rows = rows;
    this.few = few;
    columns = x.columns();
    if (few) {
      while (inputs.size() < rows) {
        inputs.add(new PreparedInputs());
      }
      for (int r = 0; r < rows; r++) {
        inputs.get(r).prepare(x.address(r));
      }
    } else {
      beforeTiles.run();
      pack(floats, x);
      pack(bytes, x);
    }
    team.run(this::multiply, PARTS_PER_MEMBER * team.size());
  }

  private void pack(TiledMatmul method, HostActivations x) {
    if (Arrays.stream(matrices, 0, count).anyMatch(w -> tiled(w.type()) == method)) {
      team.run((member, tile) -> method.pack(scratch[member], tile), method.of(x, rows));
    }
  }

  /**
   * Returns the first row of matrix m that belongs to part {@code part} or a later part. The parts
   * divide the bytes of all matrices as if the matrices were one after the other in memory.
   */
  private int from(int m, int part) {
    long cut = 32L * (part / PARTS_PER_MEMBER) + CUTS[part % PARTS_PER_MEMBER];
    long bytes = bytesBefore[count] * cut / (32L * team.size()) - bytesBefore[m];
    long row = Math.ceilDiv(bytes, matrices[m].rowBytes() * LINE) * LINE;
    return (int) Math.clamp(row, 0, matrices[m].rows());
  }

  private void multiply(int member, int part) {
    for (int m = 0; m < count; m++) {
      HostMatrix w = matrices[m];
      int from = from(m, part);
      int to = from(m, part + 1);
      if (from < to && few) {
        multiplyRows(scratch[member], w, targets[m], from, to);
      } else if (from < to) {
        tiled(w.type()).multiply(scratch[member], w, targets[m], adds, from, to);
      }
    }
  }

  private void multiplyRows(
      ThreadScratch mine, HostMatrix w, HostActivations target, int from, int to) {
    int shared = (int) Math.max(SHARED_BYTES / (w.rowBytes() * LINE), 1) * LINE;
    int block = rows == 1 ? to - from : shared;
    for (int first = from; first < to; first += block) {
      int end = Math.min(first + block, to);
      for (int row = 0; row < rows; row++) {
        multiplyRow(row, mine, w, target, first, end);
      }
    }
  }

  private void multiplyRow(
      int row, ThreadScratch mine, HostMatrix w, HostActivations target, int from, int to) {
    PreparedInputs input = inputs.get(row);
    long results = target.address(row);
    long y = adds ? mine.floats(w.rows()) : results;
    int streams = mine.streams.next();
    // Only the first row is timed, since the weights are in the cache for later rows.
    boolean timed = row == 0 && mine.streams.times();
    long start = timed ? System.nanoTime() : 0;
    RowKernels.multiply(
        w.type(),
        w.address(0),
        columns,
        input.of(w.type()),
        y,
        from,
        to,
        streams,
        mine.scores(columns));
    long nanos = timed ? System.nanoTime() - start : 0;
    if (row == 0) {
      mine.streams.took(nanos, (to - from) * w.rowBytes());
    }
    if (adds) {
      VectorOps.add(y + 4L * from, to - from, results + 4L * from);
    }
  }

  private TiledMatmul tiled(TensorType type) {
    return ByteMatmul.takes(type) ? bytes : floats;
  }

  private final class PreparedInputs {
    private final Map<TensorType, MemorySegment> prepared = new EnumMap<>(TensorType.class);
    private final Set<TensorType> ready = EnumSet.noneOf(TensorType.class);

    void prepare(long x) {
      ready.clear();
      for (int m = 0; m < count; m++) {
        TensorType type = matrices[m].type();
        if (ready.add(type)) {
          RowKernel kernel = RowKernels.of(type);
          MemorySegment held = prepared.getOrDefault(type, MemorySegment.NULL);
          MemorySegment room = HostMemory.grown(arena, held, 4L * kernel.floats(columns));
          prepared.put(type, room);
          kernel.prepare(x, columns, room.address());
        }
      }
    }

    long of(TensorType type) {
      return prepared.get(type).address();
    }
  }
}
