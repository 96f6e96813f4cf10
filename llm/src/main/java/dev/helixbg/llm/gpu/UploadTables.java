package dev.helixbg.llm.gpu;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.helixbg.llm.gpu.driver.GpuBuffer;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Small tables that the host writes for a submission, such as positions and block lists. Each
 * submission in flight has its own memory, which a later submission reuses.
 */
final class UploadTables {
  private static final long SMALLEST = 16 * 1024;

  /** Ints for a kernel. They begin at byte {@code offset} of the buffer. */
  record Table(GpuBuffer buffer, long offset) {
    void set(int index, int value) {
      buffer.data().set(JAVA_INT, offset + 4L * index, value);
    }

    Table from(int index) {
      return new Table(buffer, offset + 4L * index);
    }
  }

  private final GpuDevice device;
  private final Arena arena;
  private final List<List<GpuBuffer>> buffers = new ArrayList<>();
  private int slot;
  private int current;
  private long used;

  UploadTables(GpuDevice device, Arena arena) {
    this.device = device;
    this.arena = arena;
    for (int i = 0; i < CommandBufferRing.DEPTH; i++) {
      buffers.add(new ArrayList<>());
    }
  }

  void begin(int newSlot) {
    slot = newSlot;
    current = 0;
    used = 0;
  }

  /** Returns a table of {@code ints} numbers with undefined content. */
  Table table(int ints) {
    long bytes = (4L * ints + 15) & -16L;
    List<GpuBuffer> own = buffers.get(slot);
    while (current < own.size() && own.get(current).bytes() - used < bytes) {
      current++;
      used = 0;
    }
    if (current == own.size()) {
      long size =
          Math.max(Math.max(SMALLEST, bytes), own.isEmpty() ? 0 : 2 * own.getLast().bytes());
      List<GpuBuffer> first = buffers.getFirst();
      GpuBuffer other =
          current < first.size() && first.get(current).bytes() == size ? first.get(current) : null;
      own.add(device.staged(arena, "uploads", size, other));
      used = 0;
    }
    Table table = new Table(own.get(current), used);
    used += bytes;
    return table;
  }
}
