package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.Backend.Rope;
import dev.helixbg.llm.backend.RopeAngles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Table of cosines and sines of the rotation angles, computed when a position is first used. */
public final class HostRope implements Rope {
  private final MemorySegment table;
  private final int pairs;
  private final double[] turns;
  private final int positions;
  private int filled;

  public HostRope(Arena arena, RopeAngles angles, int positions) {
    turns = angles.turns();
    pairs = turns.length;
    this.positions = positions;
    table = HostMemory.allocate(arena, 2L * pairs * Float.BYTES * positions);
  }

  /**
   * Returns the table, as floats in native byte order. Each position has the cosines of all pairs,
   * then their sines.
   */
  public MemorySegment table() {
    return table;
  }

  /** Returns the offset of a position's cosines, in bytes. */
  public long cosines(int position) {
    return 2L * pairs * Float.BYTES * position;
  }

  /** Returns the offset of a position's sines, in bytes. */
  public long sines(int position) {
    return cosines(position) + (long) pairs * Float.BYTES;
  }

  /** Returns the number of pairs per head: half the head's size. */
  public int pairs() {
    return pairs;
  }

  /** Computes the missing positions below {@code end}. */
  public void fillTo(int end) {
    if (end > positions) {
      throw new IndexOutOfBoundsException("position " + (end - 1) + " of " + positions);
    }
    for (; filled < end; filled++) {
      for (int pair = 0; pair < pairs; pair++) {
        double angle = filled * turns[pair];
        put(cosines(filled), pair, Math.cos(angle));
        put(sines(filled), pair, Math.sin(angle));
      }
    }
  }

  private void put(long offset, int pair, double value) {
    table.setAtIndex(ValueLayout.JAVA_FLOAT, offset / Float.BYTES + pair, (float) value);
  }
}
