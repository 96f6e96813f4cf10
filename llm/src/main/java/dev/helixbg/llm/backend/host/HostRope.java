package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.Backend.Rope;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Table of the cosines and sines by which queries and keys are rotated at each position. The values
 * of a position are computed when the position is first used.
 */
public final class HostRope implements Rope {
  private final MemorySegment table;
  private final int pairs;

  /** Angle by which each pair of values turns from one position to the next, in radians. */
  private final double[] turns;

  private int filled;

  public HostRope(Arena arena, int headSize, double base, int positions) {
    pairs = headSize / 2;
    turns = new double[pairs];
    Arrays.setAll(turns, pair -> Math.pow(base, -pair / (double) pairs));
    table = HostMemory.allocate(arena, 2L * pairs * Float.BYTES * positions);
  }

  /**
   * Returns floats in native byte order: for each position the cosines of all pairs, then their
   * sines.
   */
  public MemorySegment table() {
    return table;
  }

  /** Returns the offset of a position's cosines and sines in {@link #table}, in bytes. */
  public long cosines(int position) {
    return 2L * pairs * Float.BYTES * position;
  }

  public int pairs() {
    return pairs;
  }

  /** Computes the cosines and sines that are still missing for positions below {@code end}. */
  public void fillTo(int end) {
    for (; filled < end; filled++) {
      long at = 2L * pairs * filled;
      for (int pair = 0; pair < pairs; pair++) {
        double angle = filled * turns[pair];
        table.setAtIndex(ValueLayout.JAVA_FLOAT, at + pair, (float) Math.cos(angle));
        table.setAtIndex(ValueLayout.JAVA_FLOAT, at + pairs + pair, (float) Math.sin(angle));
      }
    }
  }
}
