package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.KvShape;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Pages for caches of one shape. Memory is taken when first needed, and kept for reuse until the
 * arena closes.
 */
final class KvPool {
  static final int SMALLEST = 16;
  static final int LARGEST = 256;

  private final Arena arena;
  private final KvShape shape;

  /** Free pages of 16, 32, 64, 128 and 256 positions. */
  private final List<Deque<KvPage>> free = new ArrayList<>();

  KvPool(Arena arena, KvShape shape) {
    this.arena = arena;
    this.shape = shape;
    for (int capacity = SMALLEST; capacity <= LARGEST; capacity *= 2) {
      free.add(new ArrayDeque<>());
    }
  }

  /** A page for at least {@code positions}, or the largest there is. */
  KvPage take(int positions, HostKvCache writer) {
    int capacity = SMALLEST;
    while (capacity < Math.min(positions, LARGEST)) {
      capacity *= 2;
    }
    KvPage page = pagesOf(capacity).pollFirst();
    if (page == null) {
      long bytes = Math.multiplyExact(shape.bytesPerPosition(), (long) capacity);
      page = new KvPage(HostMemory.allocate(arena, bytes), capacity);
    }
    page.writer = writer;
    page.holders = 1;
    page.frozen = 0;
    return page;
  }

  void release(KvPage page) {
    if (--page.holders == 0) {
      page.writer = null;
      pagesOf(page.capacity).addFirst(page);
    }
  }

  private Deque<KvPage> pagesOf(int capacity) {
    return free.get(Integer.numberOfTrailingZeros(capacity / SMALLEST));
  }
}
