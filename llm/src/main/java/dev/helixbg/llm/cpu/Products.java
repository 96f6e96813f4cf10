package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.RowProduct;
import dev.helixbg.llm.cpu.kernel.Vectors;
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
    if (few) {
      for (int r = 0; r < rows; r++) {
        inputs.of(x.address(r), columns);
        for (int m = 0; m < count; m++) {
          inputs.prepare(matrices[m].type());
        }
        multiplyRow.row = r;
        team.run(multiplyRow);
      }
    } else {
      beforeTiles.accept(rows);
      pack.floats = false;
      pack.quantised = false;
      for (int m = 0; m < count; m++) {
        boolean integers = QuantisedMatmul.takes(matrices[m].type());
        pack.floats |= !integers;
        pack.quantised |= integers;
      }
      if (pack.floats) {
        floats.of(x, rows);
      }
      if (pack.quantised) {
        quantised.of(x, rows);
      }
      team.run(pack);
      team.run(multiplyTiles);
    }
  }

  /** The first row of a member's share, whole cache lines of results. */
  private static int share(int rows, int member, int members) {
    return member == members ? rows : (int) ((long) rows * member / members / 16 * 16);
  }

  private final class MultiplyRow implements Team.Work {
    private int row;

    @Override
    public void run(int member, int members) {
      Scratch mine = scratch[member];
      for (int m = 0; m < count; m++) {
        HostMatrix w = matrices[m];
        int from = share(w.rows(), member, members);
        int to = share(w.rows(), member + 1, members);
        long row = mine.floats((long) columns + (adds ? w.rows() : 0));
        long target = targets[m].address(this.row);
        long y = adds ? row + 4L * columns : target;
        RowProduct.multiply(
            w.type(), w.address(0), columns, inputs.of(w.type()), y, from, to, mine.unpacker, row);
        if (adds) {
          Vectors.add(y + 4L * from, to - from, target + 4L * from);
        }
      }
    }
  }

  private final class Pack implements Team.Work {
    private boolean floats;
    private boolean quantised;

    @Override
    public void run(int member, int members) {
      if (floats) {
        Products.this.floats.pack(scratch[member], member, members);
      }
      if (quantised) {
        Products.this.quantised.pack(scratch[member], member, members);
      }
    }
  }

  private final class MultiplyTiles implements Team.Work {
    @Override
    public void run(int member, int members) {
      for (int m = 0; m < count; m++) {
        HostMatrix w = matrices[m];
        int from = share(w.rows(), member, members);
        int to = share(w.rows(), member + 1, members);
        if (QuantisedMatmul.takes(w.type())) {
          quantised.multiply(scratch[member], w, targets[m], adds, from, to);
        } else {
          floats.multiply(scratch[member], w, targets[m], adds, from, to);
        }
      }
    }
  }
}
