package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Tokens;
import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.IntStream;

/** Token ids that host and GPU share: the host may read one slot while the GPU writes another. */
final class GpuTokens extends Tokens {
  private final List<GpuBuffer> buffers;

  private GpuTokens(List<GpuBuffer> buffers) {
    super(buffers.stream().map(GpuBuffer::data).toList());
    this.buffers = buffers;
  }

  static GpuTokens allocate(GpuDevice device, Arena arena, int slots, int rows) {
    return new GpuTokens(
        IntStream.range(0, slots)
            .mapToObj(slot -> device.shared(arena, "tokens " + slot, 4L * rows))
            .toList());
  }

  GpuBuffer buffer(int slot) {
    return buffers.get(slot);
  }
}
