package dev.helixbg.llm.cpu.kernel.wide;

import dev.helixbg.llm.cpu.kernel.RowKernel;

/** A kernel that takes four blocks at a time, as {@link FourBlocks} orders the activations. */
interface FourBlockKernel extends RowKernel {
  @Override
  default int multiple() {
    return FourBlocks.WEIGHTS;
  }

  @Override
  default int floats(int columns) {
    return columns + columns / 8;
  }

  @Override
  default void prepare(long x, int columns, long prepared) {
    FourBlocks.prepare(x, columns, prepared);
  }
}
