package dev.helixbg.llm.backend.host;

import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * A cache of keys and values that consists of a list of runs. A run is a range of consecutive
 * positions whose keys and values are stored at the start of a page (a block of memory).
 *
 * <p>A fork shares the pages of its prefix and begins a new run after them, so a fork copies
 * nothing. Only the cache that took a page from the pool writes to the page. That cache writes only
 * to positions after the positions that forks read.
 */
public final class HostKvCache extends KvCache {
  private final Pool pool;
  private final List<Run> runs = new ArrayList<>();

  /** A page whose first key and value belong to position {@code start} of the sequence. */
  private record Run(Page page, int start) {}

  HostKvCache(KvShape shape, Pool pool) {
    super(shape);
    this.pool = pool;
  }

  private int runOf(int position) {
    int run = runs.size() - 1;
    while (runs.get(run).start > position) {
      run--;
    }
    return run;
  }

  /**
   * Returns the end (exclusive) of the run that contains {@code position}. The positions of a run
   * are adjacent in memory.
   */
  public int runEnd(int position) {
    return endOf(runOf(position));
  }

  private int endOf(int run) {
    return run + 1 < runs.size() ? runs.get(run + 1).start : length;
  }

  /** Returns the number of leading positions that this cache and {@code other} share in memory. */
  public int shared(HostKvCache other) {
    int shared = 0;
    int most = Math.min(runs.size(), other.runs.size());
    for (int run = 0; run < most && runs.get(run).equals(other.runs.get(run)); run++) {
      shared = Math.min(endOf(run), other.endOf(run));
    }
    return shared;
  }

  /**
   * Returns the address of a head's key at a position. The keys of the next positions follow, up to
   * {@link #runEnd}. Each key has {@code headSize} values.
   */
  public long key(int position, int layer, int kvHead) {
    return address(position, 2L * layer * shape().kvHeads() + kvHead);
  }

  /** Returns the address of a head's value vector, which is stored in the same way as keys. */
  public long value(int position, int layer, int kvHead) {
    return address(position, (2L * layer + 1) * shape().kvHeads() + kvHead);
  }

  private long address(int position, long head) {
    Run run = runs.get(runOf(position));
    long skipped = head * Pool.POSITIONS + position - run.start;
    return run.page.data.address() + skipped * shape().headBytes();
  }

  @Override
  protected void makeRoom(int end) {
    while (length < end) {
      if (lastRunRoom() == 0) {
        runs.add(new Run(pool.take(this), length));
      }
      length += Math.min(lastRunRoom(), end - length);
    }
  }

  private int lastRunRoom() {
    if (runs.isEmpty()) {
      return 0;
    }
    Page last = runs.getLast().page;
    int used = length - runs.getLast().start;
    return last.writer == this && used >= last.frozen ? Pool.POSITIONS - used : 0;
  }

  @Override
  protected void release(int end) {
    while (!runs.isEmpty() && runs.getLast().start >= end) {
      pool.release(runs.removeLast().page);
    }
  }

  @Override
  protected KvCache share(int prefix) {
    HostKvCache child = new HostKvCache(shape(), pool);
    for (int i = 0; i < runs.size() && runs.get(i).start < prefix; i++) {
      Run run = runs.get(i);
      run.page.holders++;
      run.page.frozen = Math.max(run.page.frozen, Math.min(endOf(i), prefix) - run.start);
      child.runs.add(run);
    }
    return child;
  }

  /** Pages of memory for caches of one shape, which are reused until the arena closes. */
  static final class Pool {
    /** Number of positions in a page. Parts of a page that were never written take no memory. */
    static final int POSITIONS = 128;

    private final Arena arena;
    private final KvShape shape;

    private final Deque<Page> free = new ArrayDeque<>();

    Pool(Arena arena, KvShape shape) {
      this.arena = arena;
      this.shape = shape;
    }

    Page take(HostKvCache writer) {
      Page page = free.pollFirst();
      if (page == null) {
        long bytes = Math.multiplyExact(shape.bytesPerPosition(), (long) POSITIONS);
        page = new Page(HostMemory.allocate(arena, bytes));
      }
      page.writer = writer;
      page.holders = 1;
      page.frozen = 0;
      return page;
    }

    void release(Page page) {
      if (--page.holders == 0) {
        page.writer = null;
        free.addFirst(page);
      }
    }
  }

  /** Memory in the layout {@code [layer][key, value][kvHead][position][headSize]}. */
  static final class Page {
    final MemorySegment data;

    /** The cache that may write to the page; other caches only read. */
    HostKvCache writer;

    int holders;

    /** Number of leading positions that forks read. No cache writes to these positions again. */
    int frozen;

    Page(MemorySegment data) {
      this.data = data;
    }
  }
}
