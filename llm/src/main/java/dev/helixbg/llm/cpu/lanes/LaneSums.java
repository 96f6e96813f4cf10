package dev.helixbg.llm.cpu.lanes;

import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * Adds a vector's lanes in a fixed order. The upper half is added to the lower half, until two
 * lanes remain.
 *
 * <p>{@code reduceLanes(ADD)} has no fixed order. Interpreted and compiled code add in different
 * orders, so a result's last bits would change while a program warms up.
 */
public final class LaneSums {
  /** Swaps lanes whose indices differ by 8, in vectors of 16 lanes. */
  public static final VectorShuffle<Float> BY_8 = partners(8);

  /** Swaps lanes whose indices differ by 4, in vectors of at least 8 lanes. */
  public static final VectorShuffle<Float> BY_4 = partners(4);

  public static final VectorShuffle<Float> BY_2 = partners(2);

  private LaneSums() {}

  private static VectorShuffle<Float> partners(int apart) {
    return VectorShuffle.fromOp(FLOATS, lane -> (lane ^ apart) % COUNT);
  }

  public static float sum(FloatVector lanes) {
    FloatVector four = toFour(toEight(lanes));
    FloatVector two = four.add(four.rearrange(BY_2));
    return two.lane(0) + two.lane(1);
  }

  private static FloatVector toEight(FloatVector lanes) {
    return COUNT == 16 ? lanes.add(lanes.rearrange(BY_8)) : lanes;
  }

  private static FloatVector toFour(FloatVector lanes) {
    return COUNT >= 8 ? lanes.add(lanes.rearrange(BY_4)) : lanes;
  }
}
