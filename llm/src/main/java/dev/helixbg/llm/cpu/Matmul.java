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
import java.util.List;

/**
 * Matrix multiplication: products of up to three matrices with the same rows of activations, each
 * matrix read once: {@code y[r] = W·x[r]} or {@code y[r] += W·x[r]}.
 *
 * <p>Up to {@link #FEW} rows are multiplied one by one, in place on the stored weights, all with
 * some of these before the next are read: so they cost no more than one after the other. More are
 * packed into tiles of tokens; panels of unpacked weights then pass over all tiles. In both ways a
 * row's result depends on that row alone, bit for bit; between the two ways it differs by the order
 * of its sum.
 */
final class Matmul {
  /**
   * The most rows that are multiplied one by one. Tiles of eight cost as much for fewer rows, and
   * were slower for six and no faster for seven.
   */
  static final int FEW = 7;

  /** Bytes of weights that rows share: they stay in the second cache, with the activations. */
  private static final long SHARED_BYTES = 1 << 16;

  /**
   * Where the parts of a member begin and end, in 32nds of its share. Taking one costs the time of
   * some KB, because the processor stops fetching weights ahead; so a member takes half of its
   * share at once, and ever less then, for others to help it out when it is slow or came late.
   */
  private static final int[] CUTS = {0, 16, 24, 28, 30, 32};

  private static final int PARTS_PER_MEMBER = CUTS.length - 1;

  /** Parts end with cache lines of results. */
  private static final int LINE = 16;

  private final ThreadTeam team;
  private final ThreadScratch[] scratch;
  private final Runnable beforeTiles;
  private final Arena arena;

  /** Prepared inputs of each row, up to {@link #FEW}. */
  private final List<PreparedInputs> inputs = new ArrayList<>();

  private final FloatMatmul floats;
  private final ByteMatmul bytes;
  private final Pack pack = new Pack();
  private final MultiplyRows multiplyRows = new MultiplyRows();
  private final MultiplyTiles multiplyTiles = new MultiplyTiles();

  private final HostMatrix[] matrices = new HostMatrix[3];
  private final HostActivations[] targets = new HostActivations[3];

  /** At m: the bytes of all matrices before m. */
  private final long[] bytesBefore = new long[4];

  private int count;
  private boolean adds;
  private int columns;

  Matmul(Arena arena, ThreadTeam team, ThreadScratch[] scratch, Runnable beforeTiles) {
    this.beforeTiles = beforeTiles;
    this.team = team;
    this.scratch = scratch;
    this.arena = arena;
    floats = new FloatMatmul(arena);
    bytes = new ByteMatmul(arena);
  }

  /** Forgets the matrices of the last product. */
  void begin(boolean adds) {
    this.adds = adds;
    count = 0;
  }

  /** One more matrix, and where its product goes. */
  void matrix(HostMatrix matrix, HostActivations target) {
    matrices[count] = matrix;
    targets[count++] = target;
    bytesBefore[count] = bytesBefore[count - 1] + matrix.rows() * matrix.rowBytes();
  }

  /**
   * Multiplies with rows 0 to {@code rows − 1} of {@code x}.
   *
   * @param few whether they are multiplied one by one
   */
  void run(HostActivations x, int rows, boolean few) {
    columns = x.columns();
    int parts = PARTS_PER_MEMBER * team.size();
    if (few) {
      while (inputs.size() < rows) {
        inputs.add(new PreparedInputs(arena));
      }
      for (int r = 0; r < rows; r++) {
        inputs.get(r).of(x.address(r), columns);
        for (int m = 0; m < count; m++) {
          inputs.get(r).prepare(matrices[m].type());
        }
      }
      multiplyRows.rows = rows;
      team.run(multiplyRows, parts);
    } else {
      beforeTiles.run();
      boolean asFloats = false;
      boolean asBytes = false;
      for (int m = 0; m < count; m++) {
        boolean inBytes = ByteMatmul.takes(matrices[m].type());
        asFloats |= !inBytes;
        asBytes |= inBytes;
      }
      pack.floatTiles = asFloats ? floats.of(x, rows) : 0;
      int byteTiles = asBytes ? bytes.of(x, rows) : 0;
      team.run(pack, pack.floatTiles + byteTiles);
      team.run(multiplyTiles, parts);
    }
  }

  /**
   * The first row of a matrix that is not in a part before this one: parts are cut by bytes, all
   * matrices in a row.
   */
  private int from(int m, int part) {
    long cut = 32L * (part / PARTS_PER_MEMBER) + CUTS[part % PARTS_PER_MEMBER];
    long bytes = bytesBefore[count] * cut / (32L * team.size()) - bytesBefore[m];
    long row = Math.ceilDiv(bytes, matrices[m].rowBytes() * LINE) * LINE;
    return (int) Math.clamp(row, 0, matrices[m].rows());
  }

  /** A part of the matrices, one after the other. */
  private abstract class Multiply implements ThreadTeam.Work {
    @Override
    public final void run(int member, int part) {
      for (int m = 0; m < count; m++) {
        int from = from(m, part);
        int to = from(m, part + 1);
        if (from < to) {
          multiply(scratch[member], matrices[m], targets[m], from, to);
        }
      }
    }

    abstract void multiply(
        ThreadScratch mine, HostMatrix w, HostActivations target, int from, int to);
  }

  /** All rows of activations with some weights, while these are in the cache. */
  private final class MultiplyRows extends Multiply {
    private int rows;

    @Override
    void multiply(ThreadScratch mine, HostMatrix w, HostActivations target, int from, int to) {
      int block = rows == 1 ? to - from : block(w);
      for (int first = from; first < to; first += block) {
        int end = Math.min(first + block, to);
        for (int row = 0; row < rows; row++) {
          multiply(row, mine, w, target, first, end);
        }
      }
    }

    private int block(HostMatrix w) {
      return (int) Math.max(SHARED_BYTES / (w.rowBytes() * LINE), 1) * LINE;
    }

    private void multiply(
        int row, ThreadScratch mine, HostMatrix w, HostActivations target, int from, int to) {
      PreparedInputs input = inputs.get(row);
      long results = target.address(row);
      long y = adds ? mine.floats(w.rows()) : results;
      int streams = mine.streams.next();
      // Weights that are in the cache already tell nothing of memory.
      boolean timed = row == 0 && mine.streams.times();
      long start = timed ? System.nanoTime() : 0;
      RowKernels.multiply(
          input.kernel(w.type()),
          w.type(),
          w.address(0),
          columns,
          input.of(w.type()),
          y,
          from,
          to,
          streams,
          mine.unpacker);
      long nanos = timed ? System.nanoTime() - start : 0;
      if (row == 0) {
        mine.streams.took(nanos, (to - from) * w.rowBytes());
      }
      if (adds) {
        VectorOps.add(y + 4L * from, to - from, results + 4L * from);
      }
    }
  }

  /** A tile of a kind is a part. */
  private final class Pack implements ThreadTeam.Work {
    private int floatTiles;

    @Override
    public void run(int member, int part) {
      if (part < floatTiles) {
        floats.pack(scratch[member], part);
      } else {
        bytes.pack(scratch[member], part - floatTiles);
      }
    }
  }

  private final class MultiplyTiles extends Multiply {
    @Override
    void multiply(ThreadScratch mine, HostMatrix w, HostActivations target, int from, int to) {
      TiledMatmul matmul = ByteMatmul.takes(w.type()) ? bytes : floats;
      matmul.multiply(mine, w, target, adds, from, to);
    }
  }

  /**
   * One vector of activations as the kernels of the matrices' types want it, made once for each
   * type however many matrices share it.
   */
  static final class PreparedInputs {
    private final Arena arena;
    private final MemorySegment[] prepared = new MemorySegment[TensorType.values().length];
    private final RowKernel[] kernels = new RowKernel[prepared.length];
    private final boolean[] ready = new boolean[prepared.length];
    private long x;
    private int columns;

    PreparedInputs(Arena arena) {
      this.arena = arena;
      Arrays.fill(prepared, MemorySegment.NULL);
    }

    /** Sets the vector: {@code columns} floats at address {@code x}. */
    void of(long x, int columns) {
      this.x = x;
      this.columns = columns;
      Arrays.fill(ready, false);
    }

    /** Makes it ready for a type. */
    void prepare(TensorType type) {
      int i = type.ordinal();
      if (ready[i]) {
        return;
      }
      ready[i] = true;
      RowKernel kernel = RowKernels.of(type);
      kernels[i] = kernel;
      prepared[i] = HostMemory.grown(arena, prepared[i], 4L * kernel.floats(columns));
      kernel.prepare(x, columns, prepared[i].address());
    }

    /** For which {@link #prepare} made it. */
    RowKernel kernel(TensorType type) {
      return kernels[type.ordinal()];
    }

    /** Returns the address of what {@link #prepare} made for this type. */
    long of(TensorType type) {
      return prepared[type.ordinal()].address();
    }
  }
}
