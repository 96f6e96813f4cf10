package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;

import jdk.incubator.vector.VectorShuffle;

/**
 * The one order in which kernels add up the lanes of a vector: the upper half to the lower half,
 * until two are left.
 *
 * <p>{@code reduceLanes(ADD)} leaves the order open; it is one when interpreted and another when
 * compiled, so that a result would change in its last bits while a program warms up. Each kernel
 * spells the steps out, because C2 would box a vector that goes to another method. To leave a
 * vector per row in memory, and add those of many rows at once, decoded a tenth slower: the
 * processor stops fetching weights ahead meanwhile.
 */
final class LaneSums {
  /** Each lane's partner: lanes whose numbers differ by 8 change places. Of 16 lanes. */
  static final VectorShuffle<Float> BY_8 = partners(8);

  /** Of 8 lanes or more. */
  static final VectorShuffle<Float> BY_4 = partners(4);

  static final VectorShuffle<Float> BY_2 = partners(2);

  private LaneSums() {}

  private static VectorShuffle<Float> partners(int apart) {
    return VectorShuffle.fromOp(FLOATS, lane -> (lane ^ apart) % COUNT);
  }
}
