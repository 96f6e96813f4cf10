package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.TileProduct.DEPTH;
import static dev.helixbg.llm.cpu.kernel.TileProduct.ROWS;
import static dev.helixbg.llm.cpu.kernel.TileProduct.STRIDE;
import static dev.helixbg.llm.cpu.kernel.TileProduct.TOKENS;

import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostMatrix;
import dev.helixbg.llm.cpu.kernel.RowProduct;
import dev.helixbg.llm.cpu.kernel.TileProduct;
import dev.helixbg.llm.cpu.kernel.Tiles;
import dev.helixbg.llm.cpu.kernel.Vectors;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

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
   * Tokens whose inputs, {@link TileProduct#DEPTH} of them, stay in the second-level cache while
   * panels pass over them.
   */
  private static final int TOKENS_IN_CACHE = 256;

  private final Arena arena;
  private final Team team;
  private final Scratch[] scratch;
  private final Inputs inputs;
  private final Pack pack = new Pack();
  private final MultiplyRow multiplyRow = new MultiplyRow();
  private final MultiplyTiles multiplyTiles = new MultiplyTiles();

  private final HostMatrix[] matrices = new HostMatrix[3];
  private final HostActivations[] targets = new HostActivations[3];
  private int count;
  private boolean adds;
  private int columns;
  private int rows;
  private MemorySegment packed = MemorySegment.NULL;

  Products(Arena arena, Team team, Scratch[] scratch) {
    this.arena = arena;
    this.team = team;
    this.scratch = scratch;
    inputs = new Inputs(arena);
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

  /** Multiplies with rows 0 to {@code rows − 1} of {@code x}. */
  void run(HostActivations x, int rows) {
    this.rows = rows;
    columns = x.columns();
    if (rows <= FEW) {
      for (int r = 0; r < rows; r++) {
        for (int m = 0; m < count; m++) {
          inputs.prepare(matrices[m].type(), x.address(r), columns);
        }
        multiplyRow.row = r;
        team.run(multiplyRow);
      }
    } else {
      packed = Scratch.grown(arena, packed, (long) tiles() * TOKENS * columns);
      pack.x = x;
      team.run(pack);
      team.run(multiplyTiles);
    }
  }

  private int tiles() {
    return Math.ceilDiv(rows, TOKENS);
  }

  /** Tokens of a tile. */
  private int tokens(int tile) {
    return Math.min(TOKENS, rows - tile * TOKENS);
  }

  /**
   * Address of a tile's inputs from column {@code k} on, {@code depth} of them: tiles of the same
   * columns lie together.
   */
  private long packedAt(int tile, int k, int depth) {
    return packed.address() + 4L * TOKENS * ((long) tiles() * k + (long) tile * depth);
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
    private HostActivations x;

    @Override
    public void run(int member, int members) {
      for (int tile = member; tile < tiles(); tile += members) {
        for (int k = 0; k < columns; k += DEPTH) {
          int depth = Math.min(DEPTH, columns - k);
          Tiles.pack(
              x.address(tile * TOKENS) + 4L * k,
              4L * x.stride(),
              tokens(tile),
              depth,
              packedAt(tile, k, depth));
        }
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
        for (int k = 0; k < columns; k += DEPTH) {
          for (int tile = 0; tile < tiles(); tile += TOKENS_IN_CACHE / TOKENS) {
            int end = Math.min(tiles(), tile + TOKENS_IN_CACHE / TOKENS);
            multiply(scratch[member], w, targets[m], from, to, k, tile, end);
          }
        }
      }
    }

    private void multiply(
        Scratch mine,
        HostMatrix w,
        HostActivations target,
        int from,
        int to,
        int k,
        int firstTile,
        int endTile) {
      int depth = Math.min(DEPTH, columns - k);
      long skipped = w.type().bytes(k);
      for (int row = from; row < to; row += ROWS) {
        int panelRows = Math.min(ROWS, to - row);
        for (int r = 0; r < panelRows; r++) {
          mine.unpacker.row(
              w.type(), w.address(row + r) + skipped, depth, mine.panel + 4L * STRIDE * r);
        }
        for (int tile = firstTile; tile < endTile; tile++) {
          int tokens = tokens(tile);
          TileProduct.multiply(mine.panel, depth, packedAt(tile, k, depth), tokens, mine.tile);
          long at = target.address(tile * TOKENS) + 4L * row;
          if (adds || k > 0) {
            Tiles.unpackAndAdd(mine.tile, panelRows, tokens, at, 4L * target.stride());
          } else {
            Tiles.unpack(mine.tile, panelRows, tokens, at, 4L * target.stride());
          }
        }
      }
    }
  }
}
