package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.Vectors;
import dev.helixbg.llm.cpu.kernel.row.RowProduct;
import java.lang.foreign.Arena;
import java.util.function.IntConsumer;

/**
 * Products of up to three matrices with the same rows of activations, each matrix read once: {@code
 * y[r] = W·x[r]} or {@code y[r] += W·x[r]}.
 *
 * <p>Up to {@link #FEW} rows are multiplied one by one, in place on the stored weights. More are
 * packed into tiles of tokens; panels of unpacked weights then pass over all tiles. In both ways a
 * row's result depends on that row alone, bit for bit; between the two ways it differs by the order
 * of its sum.
 */
final class Products {
  /** Here a pass over tiles begins to cost less than one pass over the weights per row. */
  static final int FEW = 5;

  /**
   * A member that is half as fast as the others, or starts late, keeps them waiting for a part at
   * most; taking one costs some 100 ns. One alone takes as many: {@link Streams} counts parts.
   */
  private static final int PARTS_PER_MEMBER = 8;

  /** A part that is read in less than some µs is not worth taking. */
  private static final long LEAST_BYTES = 32 << 10;

  private final Team team;
  private final Scratch[] scratch;
  private final IntConsumer beforeTiles;
  private final Inputs inputs;
  private final FloatMatmul floats;
  private final QuantisedMatmul quantised;
  private final Pack pack = new Pack();
  private final MultiplyRow multiplyRow = new MultiplyRow();
  private final MultiplyTiles multiplyTiles = new MultiplyTiles();

  private final HostMatrix[] matrices = new HostMatrix[3];
  private final HostActivations[] targets = new HostActivations[3];

  /** At m: the parts of all matrices before m, and how many rows each part of m has. */
  private final int[] partsBefore = new int[4];

  private final int[] partRows = new int[3];
  private int count;
  private boolean adds;
  private int columns;

  Products(Arena arena, Team team, Scratch[] scratch, IntConsumer beforeTiles) {
    this.beforeTiles = beforeTiles;
    this.team = team;
    this.scratch = scratch;
    inputs = new Inputs(arena);
    floats = new FloatMatmul(arena);
    quantised = new QuantisedMatmul(arena);
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
  }

  /**
   * Multiplies with rows 0 to {@code rows − 1} of {@code x}.
   *
   * @param few whether they are multiplied one by one
   */
  void run(HostActivations x, int rows, boolean few) {
    columns = x.columns();
    share();
    if (few) {
      for (int r = 0; r < rows; r++) {
        inputs.of(x.address(r), columns);
        for (int m = 0; m < count; m++) {
          inputs.prepare(matrices[m].type());
        }
        multiplyRow.row = r;
        team.run(multiplyRow, partsBefore[count]);
      }
    } else {
      beforeTiles.accept(rows);
      boolean asFloats = false;
      boolean asIntegers = false;
      for (int m = 0; m < count; m++) {
        boolean integers = QuantisedMatmul.takes(matrices[m].type());
        asFloats |= !integers;
        asIntegers |= integers;
      }
      pack.floatTiles = asFloats ? floats.of(x, rows) : 0;
      int quantisedTiles = asIntegers ? quantised.of(x, rows) : 0;
      team.run(pack, pack.floatTiles + quantisedTiles);
      team.run(multiplyTiles, partsBefore[count]);
    }
  }

  /** Cuts all rows into parts, of whole cache lines of results. */
  private void share() {
    long bytes = 0;
    for (int m = 0; m < count; m++) {
      bytes += matrices[m].rows() * matrices[m].rowBytes();
    }
    long partBytes = Math.max(LEAST_BYTES, bytes / (PARTS_PER_MEMBER * team.size()));
    for (int m = 0; m < count; m++) {
      long rows = Math.ceilDiv(partBytes, matrices[m].rowBytes());
      partRows[m] = (int) Math.min(Math.ceilDiv(rows, 16) * 16, matrices[m].rows());
      partsBefore[m + 1] = partsBefore[m] + Math.ceilDiv(matrices[m].rows(), partRows[m]);
    }
  }

  /** The matrix that a part belongs to. */
  private int matrixOf(int part) {
    int m = 0;
    while (part >= partsBefore[m + 1]) {
      m++;
    }
    return m;
  }

  /** The first row of a part of a matrix. */
  private int from(int m, int part) {
    return (part - partsBefore[m]) * partRows[m];
  }

  private int to(int m, int part) {
    return Math.min(from(m, part) + partRows[m], matrices[m].rows());
  }

  private final class MultiplyRow implements Team.Work {
    private int row;

    @Override
    public void run(int member, int part) {
      Scratch mine = scratch[member];
      int m = matrixOf(part);
      HostMatrix w = matrices[m];
      int from = from(m, part);
      int to = to(m, part);
      long target = targets[m].address(row);
      long y = adds ? mine.floats(w.rows()) : target;
      int streams = mine.streams.next();
      long start = mine.streams.asks() ? System.nanoTime() : 0;
      RowProduct.multiply(
          w.type(),
          w.address(0),
          columns,
          inputs.of(w.type()),
          y,
          from,
          to,
          streams,
          mine.unpacker);
      if (mine.streams.asks()) {
        mine.streams.took(System.nanoTime() - start, (to - from) * w.rowBytes());
      }
      if (adds) {
        Vectors.add(y + 4L * from, to - from, target + 4L * from);
      }
    }
  }

  /** A tile of a kind is a part. */
  private final class Pack implements Team.Work {
    private int floatTiles;

    @Override
    public void run(int member, int part) {
      if (part < floatTiles) {
        floats.pack(scratch[member], part);
      } else {
        quantised.pack(scratch[member], part - floatTiles);
      }
    }
  }

  private final class MultiplyTiles implements Team.Work {
    @Override
    public void run(int member, int part) {
      int m = matrixOf(part);
      HostMatrix w = matrices[m];
      if (QuantisedMatmul.takes(w.type())) {
        quantised.multiply(scratch[member], w, targets[m], adds, from(m, part), to(m, part));
      } else {
        floats.multiply(scratch[member], w, targets[m], adds, from(m, part), to(m, part));
      }
    }
  }
}
