package dev.helixbg.llm.gpu;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuCommands;
import dev.helixbg.llm.gpu.driver.GpuKernel;
import java.lang.foreign.MemorySegment;

/** Commands of a rehearsal: nothing is encoded, and nothing runs. */
final class NoCommands implements GpuCommands {
  @Override
  public void kernel(GpuKernel kernel) {}

  @Override
  public void buffer(int index, GpuBuffer buffer, long offset) {}

  @Override
  public void constants(int index, MemorySegment constants, int length) {}

  @Override
  public void threadgroupBytes(int length) {}

  @Override
  public void dispatch(int x, int y, int z, int threads) {}

  @Override
  public void commit(String label) {}

  @Override
  public boolean ended() {
    return true;
  }

  @Override
  public void await() {}

  @Override
  public double seconds() {
    return 0;
  }

  @Override
  public void close() {}
}
