package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Tokens;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Token ids that host and GPU share.
 *
 * @param buffers one per slot: the host may read one while the GPU writes another
 */
record GpuTokens(List<GpuBuffer> buffers, int rows) implements Tokens {

  static GpuTokens allocate(GpuDevice device, Arena arena, int slots, int rows) {
    return new GpuTokens(
        IntStream.range(0, slots)
            .mapToObj(slot -> device.shared(arena, "tokens " + slot, 4L * rows))
            .toList(),
        rows);
  }

  @Override
  public int slots() {
    return buffers.size();
  }

  @Override
  public int get(int slot, int row) {
    return buffers.get(slot).data().getAtIndex(ValueLayout.JAVA_INT, row);
  }

  @Override
  public void set(int slot, int row, int id) {
    buffers.get(slot).data().setAtIndex(ValueLayout.JAVA_INT, row, id);
  }
}
