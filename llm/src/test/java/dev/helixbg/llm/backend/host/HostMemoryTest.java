package dev.helixbg.llm.backend.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.cpu.CpuBackend;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/**
 * Checks that only the used part of a buffer is resident. Linux shows this for each page of 4 KB.
 */
class HostMemoryTest {
  private static final long MB = 1 << 20;

  @Test
  void memoryIsZeroedAlignedAndWritableToItsLastByte() {
    try (Arena arena = Arena.ofConfined()) {
      for (long bytes : new long[] {1, 4095, 256 << 10, (256 << 10) + 1, 3 * MB - 1}) {
        MemorySegment memory = HostMemory.allocate(arena, bytes);
        assertEquals(bytes, memory.byteSize());
        assertEquals(0, memory.address() % HostMemory.ALIGNMENT);
        assertEquals(-1, memory.mismatch(MemorySegment.ofArray(new byte[(int) bytes])));
        memory.set(ValueLayout.JAVA_BYTE, bytes - 1, (byte) 1);
      }
    }
  }

  @Test
  void grownMemoryHasRoomAndIsAtLeastTwiceAsLarge() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment small = HostMemory.grown(arena, MemorySegment.NULL, 100);
      assertEquals(100, small.byteSize());
      assertSame(small, HostMemory.grown(arena, small, 100));
      MemorySegment large = HostMemory.grown(arena, small, MB);
      assertEquals(MB, large.byteSize());
      assertEquals(2 * MB, HostMemory.grown(arena, large, MB + 1).byteSize());
    }
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
  void whatWasOutgrownIsGivenBack() throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment held = HostMemory.allocate(arena, 8 * MB).fill((byte) 1);
      assertResident(8 * MB, held);
      MemorySegment grown = HostMemory.grown(arena, held, 9 * MB);
      assertNotEquals(held.address(), grown.address());
      assertEquals(0, resident(held));
      grown.fill((byte) 2);
      assertResident(16 * MB, grown);
    }
  }

  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64")
  void buffersOfABackendAreResidentAsFarAsTheyAreUsed() throws IOException {
    try (CpuBackend backend = new CpuBackend(1, () -> {})) {
      int vocabulary = 150_000;
      HostActivations logits = (HostActivations) backend.activations(32, vocabulary);
      float[] row = new float[vocabulary];
      Arrays.fill(row, 1);
      logits.write(0, row);
      assertResident(4L * vocabulary, logits.data());
      float[] read = new float[vocabulary];
      logits.read(0, read);
      assertArrayEquals(row, read);

      HostRope rope = (HostRope) backend.rope(128, 10_000, 40_960);
      rope.fillTo(100);
      assertResident(100 * 128 * 4L, rope.table());

      // Qwen3-0.6B: 112 KB per position, in pages of 128 positions.
      KvCache cache = backend.cache(new KvShape(28, 8, 128, 4096));
      cache.extend(300);
      long first = ((HostKvCache) cache).key(0, 0, 0);
      long bytes = 128L * cache.shape().bytesPerPosition();
      assertEquals(0, resident(MemorySegment.ofAddress(first).reinterpret(bytes)));
    }
  }

  /**
   * Permits 4 MB more than {@code bytes}, since a huge page of 2 MB can extend beyond either end.
   */
  private static void assertResident(long bytes, MemorySegment memory) throws IOException {
    long resident = resident(memory);
    assertTrue(
        resident >= bytes && resident <= bytes + 4 * MB,
        () -> "%,d bytes were written, %,d are resident".formatted(bytes, resident));
  }

  /** Returns the size of the resident pages, from {@code /proc/self/pagemap} (64 bits per page). */
  private static long resident(MemorySegment memory) throws IOException {
    long page = 4096;
    long first = memory.address() / page;
    long count = Math.ceilDiv(memory.address() + memory.byteSize(), page) - first;
    byte[] entries = new byte[Math.toIntExact(8 * count)];
    try (RandomAccessFile map = new RandomAccessFile("/proc/self/pagemap", "r")) {
      map.seek(8 * first);
      map.readFully(entries);
    }
    long resident = 0;
    for (int i = 7; i < entries.length; i += 8) {
      resident += entries[i] < 0 ? page : 0; // bit 63: present
    }
    return resident;
  }
}
