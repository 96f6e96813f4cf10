package dev.helixbg.llm.cpu.lanes;

import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorShuffle;

/**
 * The one order in which kernels add up the lanes of a vector: the upper half to the lower half,
 * until two are left.
 *
 * <p>{@code reduceLanes(ADD)} leaves the order open; it is one when interpreted and another when
 * compiled, so that a result would change in its last bits while a program warms up. To leave a
 * vector per row in memory, and add those of many rows at once, decoded a tenth slower: the
 * processor stops fetching weights ahead meanwhile.
 */
public final class LaneSums {
  /** Each lane's partner: lanes whose numbers differ by 8 change places. Of 16 lanes. */
  public static final VectorShuffle<Float> BY_8 = partners(8);

  /** The same for a distance of 4, in vectors of 8 lanes or more. */
  public static final VectorShuffle<Float> BY_4 = partners(4);

  public static final VectorShuffle<Float> BY_2 = partners(2);

  private LaneSums() {}

  private static VectorShuffle<Float> partners(int apart) {
    return VectorShuffle.fromOp(FLOATS, lane -> (lane ^ apart) % COUNT);
  }

  /** The sum of all lanes. */
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
