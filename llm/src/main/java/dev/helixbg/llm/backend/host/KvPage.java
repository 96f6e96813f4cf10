package dev.helixbg.llm.backend.host;

import java.lang.foreign.MemorySegment;

/**
 * Room for the keys and values of a few positions in all layers: {@code [layer][key,
 * value][kvHead][position][headSize]}.
 */
final class KvPage {
  final MemorySegment data;
  final int capacity;

  /** The cache that may write; others only read. */
  HostKvCache writer;

  /** Caches that use it; at none it goes back to the pool. */
  int holders;

  /** So many of its first positions are read by forks, and never written again. */
  int frozen;

  KvPage(MemorySegment data, int capacity) {
    this.data = data;
    this.capacity = capacity;
  }
}
