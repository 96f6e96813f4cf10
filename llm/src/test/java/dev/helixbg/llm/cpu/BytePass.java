package dev.helixbg.llm.cpu;

import dev.helixbg.llm.cpu.kernel.ByteRows;
import dev.helixbg.llm.cpu.kernel.tile.ByteTiles;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.RandomWeights;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * Unpacks rows and packs activations to bytes, also on processors that cannot multiply bytes:
 * whether C2 allocates vectors does not depend on that.
 */
final class BytePass implements Runnable {
  /** Whether vectors are wide enough for the kernels that pack and unpack bytes. */
  static final boolean APPLIES = Lanes.COUNT >= 8;

  private static final int ROWS = 4;

  private final TensorType type;
  private final boolean pairs;
  private final ByteRows rows;
  private final MemorySegment weights;
  private final MemorySegment x;
  private final MemorySegment tile;
  private final MemorySegment scratch;

  /**
   * @param pairs whether to pack for sums of pairs (see {@link ByteRows})
   */
  BytePass(Arena arena, TensorType type, boolean pairs) {
    this.type = type;
    this.pairs = pairs;
    rows = new ByteRows(arena, ROWS, pairs);
    weights = arena.allocate(type.bytes(ByteTiles.COLUMNS), 64);
    RandomWeights.fill(type, weights, 0, ByteTiles.COLUMNS, 0.04f, new SplittableRandom(1));
    x = arena.allocate(4L * ByteTiles.COLUMNS * ByteTiles.TOKENS, 64);
    tile = arena.allocate((long) ByteTiles.SUBS * ByteTiles.SUB_BYTES, 64);
    scratch = arena.allocate(4L * ByteTiles.SCRATCH, 64);
  }

  @Override
  public void run() {
    for (int row = 0; row < ROWS; row++) {
      rows.unpack(type, weights.address(), ByteTiles.COLUMNS, row);
    }
    pack(1, ByteTiles.COLUMNS);
    pack(ByteTiles.TOKENS, ByteTiles.COLUMNS);
    pack(ByteTiles.TOKENS / 2 + 1, ByteTiles.SUB);
  }

  private void pack(int tokens, int columns) {
    ByteTiles.pack(
        x.address(),
        4L * ByteTiles.COLUMNS,
        tokens,
        columns,
        tile.address(),
        pairs,
        scratch.address());
  }
}
