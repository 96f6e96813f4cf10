package dev.helixbg.llm.gpu;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;

/**
 * A buffer for data that passes from one dispatch to a later dispatch. If more room is needed, a
 * larger buffer replaces the old buffer. The old buffer is released once no work in flight uses it.
 */
final class GrowableBuffer {
  private final GpuDevice device;
  private final CommandRecorder recorder;
  private final String label;
  private Arena arena;
  private GpuBuffer buffer;

  GrowableBuffer(GpuDevice device, CommandRecorder recorder, String label) {
    this.device = device;
    this.recorder = recorder;
    this.label = label;
  }

  /** Returns a buffer of at least {@code bytes} bytes with undefined content. */
  GpuBuffer of(long bytes) {
    return buffer == null || buffer.bytes() < bytes ? renewed(bytes) : buffer;
  }

  /** Returns a new buffer of {@code bytes} bytes, all zero. */
  GpuBuffer renewed(long bytes) {
    Arena next = Arena.ofShared();
    try {
      buffer = device.buffer(next, label, bytes);
    } catch (RuntimeException e) {
      next.close();
      throw e;
    }
    if (arena != null) {
      recorder.inFlight().closeAfterLast(arena);
    }
    arena = next;
    return buffer;
  }

  void close() {
    if (arena != null) {
      arena.close();
    }
  }
}
