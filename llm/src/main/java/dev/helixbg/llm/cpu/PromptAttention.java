package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.DEPTH;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.ROOM;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.ROWS;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.STRIDE;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;

import dev.helixbg.llm.backend.Batch.Span;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.cpu.kernel.HalfFloats;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.attention.Softmax;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.cpu.kernel.tile.TokenTiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Computes the attention of many tokens of one sequence, on one thread, as matrix products. Queries
 * times tiles of keys give scores. Softmax turns scores into weights. Weights times tiles of values
 * give results.
 *
 * <p>A panel is a matrix of some queries, one per row, from all query heads that share a KV head.
 * The softmax of a row covers exactly the positions to which the row's query attends. Sums add the
 * positions in order. A query's result is therefore bit-identical for any values of the other
 * queries.
 */
final class PromptAttention {
  private final Arena arena;
  private final ThreadScratch scratch;
  private final CachedTiles cached = new CachedTiles();
  private final float[] inverses = new float[ROWS];
  private long scores;

  private HostKvCache cache;
  private int layer;
  private HostActivations q;
  private HostActivations target;
  private int size;
  private int group;
  private int head;
  private int firstRow;

  /** Position of row {@link #firstRow} in its sequence. */
  private int start;

  PromptAttention(Arena arena, ThreadScratch scratch) {
    this.arena = arena;
    this.scratch = scratch;
  }

  void begin(HostActivations q, int layer, HostActivations target) {
    this.q = q;
    this.layer = layer;
    this.target = target;
    cached.held = null;
  }

  void attend(Span span, int first, int count, int kvHead) {
    cache = (HostKvCache) span.cache();
    KvShape shape = cache.shape();
    size = shape.headSize();
    group = q.columns() / size / shape.kvHeads();
    head = kvHead;
    firstRow = span.firstRow() + first;
    start = span.start() + first;
    cached.hold(start + count);
    int parts = Math.ceilDiv(start + count, DEPTH);
    // The memory has room for rows after the last row, because kernels also read such rows.
    scores = scratch.scores((long) parts * ROWS * STRIDE + ROOM * STRIDE);
    // Processes one panel at a time, so that the panel's scores stay in the first-level cache.
    for (int query = 0; query < count * group; query += ROWS) {
      int rows = Math.min(ROWS, count * group - query);
      int seen = seen(query + rows - 1);
      score(query, rows, seen);
      weigh(query, rows, seen);
    }
  }

  /**
   * Returns the number of positions to which a query attends. The index {@code query} counts
   * queries by token, then by head.
   */
  private int seen(int query) {
    return start + query / group + 1;
  }

  private long column(int query) {
    return 4L * (head * group + query % group) * size;
  }

  /**
   * Returns the address of the score for a position in the panel's first row. Scores are stored in
   * blocks of {@link TileProduct#DEPTH} positions.
   */
  private long scoresAt(int position) {
    long part = (long) position / DEPTH * ROWS * STRIDE;
    return scores + 4L * (part + position % DEPTH);
  }

  private void score(int query, int rows, int seen) {
    for (int r = 0; r < rows; r++) {
      long from = q.address(firstRow + (query + r) / group) + column(query + r);
      VectorOps.copy(from, size, scratch.panel + 4L * STRIDE * r);
    }
    for (int position = 0; position < seen; position += TOKENS) {
      int keys = Math.min(TOKENS, seen - position);
      long tile = cached.keys(position);
      TileProduct.multiply(scratch.panel, rows, size, tile, keys, true, scratch.sums);
      TokenTiles.move(scratch.sums, 4L * TOKENS, ROWS, scoresAt(position), 4L * STRIDE);
    }
  }

  private void weigh(int query, int rows, int seen) {
    for (int r = 0; r < rows; r++) {
      inverses[r] = 1 / exponentials(r, seen(query + r), seen);
    }
    for (int number = 0; number < size; number += TOKENS) {
      int width = Math.min(TOKENS, size - number);
      for (int position = 0; position < seen; position += DEPTH) {
        int depth = Math.min(DEPTH, seen - position);
        long values = cached.values(position, number);
        TileProduct.multiply(
            scoresAt(position), rows, depth, values, width, position == 0, scratch.sums);
      }
      for (int r = 0; r < rows; r++) {
        long row = target.address(firstRow + (query + r) / group);
        long to = row + column(query + r) + 4L * number;
        VectorOps.multiply(scratch.sums + 4L * TOKENS * r, width, inverses[r], to);
      }
    }
  }

  /**
   * Turns the scores of row r into weights and returns the sum of the weights. Positions {@code
   * seen} to {@code end − 1} get the weight 0.
   */
  private float exponentials(int r, int seen, int end) {
    float max = Float.NEGATIVE_INFINITY;
    for (int position = 0; position < seen; position += DEPTH) {
      long at = scoresAt(position) + 4L * STRIDE * r;
      max = Math.max(max, Softmax.max(at, Math.min(DEPTH, seen - position)));
    }
    float scale = (float) (1 / Math.sqrt(size));
    float sum = 0;
    for (int position = 0; position < end; position += DEPTH) {
      long at = scoresAt(position) + 4L * STRIDE * r;
      int here = Math.clamp(seen - position, 0, DEPTH);
      sum += Softmax.exponentials(at, here, max, scale, Math.min(DEPTH, end - position));
    }
    return sum;
  }

  /**
   * Keys and values of the KV head {@link #head} in {@link #cache}, as tiles for matrix products.
   * Keys are stored as {@code [position / TOKENS][number][position % TOKENS]}, and values as {@code
   * [position / DEPTH][number / TOKENS][position % DEPTH][number % TOKENS]}. Here {@code number} is
   * an index in the key or value.
   *
   * <p>If a cache shares positions with the cache that was unpacked before it, these positions are
   * not unpacked again. The prompts of a batch are usually forks of one sequence and share most of
   * their positions.
   */
  private final class CachedTiles {
    /**
     * Distance from one panel of values to the next panel, in rows. It is not a power of two, so
     * that panels use different sets of the processor's cache.
     */
    private static final int APART = DEPTH + 16;

    private MemorySegment keys = MemorySegment.NULL;
    private MemorySegment values = MemorySegment.NULL;
    private HostKvCache held;
    private int heldHead;
    private int heldPositions;

    void hold(int positions) {
      int from = held != null && heldHead == head ? Math.min(cache.shared(held), heldPositions) : 0;
      MemorySegment oldKeys = keys;
      MemorySegment oldValues = values;
      keys = HostMemory.grown(arena, keys, 4L * Math.ceilDiv(positions, TOKENS) * TOKENS * size);
      values =
          HostMemory.grown(arena, values, 4L * Math.ceilDiv(positions, DEPTH) * panels() * panel());
      if (keys != oldKeys || values != oldValues) {
        from = 0;
      }
      for (int tile = from / TOKENS * TOKENS; tile < positions; tile += TOKENS) {
        fill(tile, Math.min(TOKENS, positions - tile));
      }
      held = cache;
      heldHead = head;
      heldPositions = positions;
    }

    long keys(int position) {
      return keys.address() + 4L * position * size;
    }

    /**
     * Returns the address of {@link TileProduct#TOKENS} numbers of a position's value vector, from
     * index {@code number} on. The same numbers of the next positions follow.
     */
    long values(int position, int number) {
      long panel = (long) position / DEPTH * panels() + number / TOKENS;
      return values.address() + 4 * (panel * panel() + (long) TOKENS * (position % DEPTH));
    }

    private int panels() {
      return Math.ceilDiv(size, TOKENS);
    }

    private static long panel() {
      return (long) TOKENS * APART;
    }

    private void fill(int position, int count) {
      // Rows are moved in whole vectors, which can reach past the last number.
      long floats = scratch.floats((long) TOKENS * size + TOKENS);
      unpack(false, position, count, floats);
      // A whole tile is packed; rows after the last position are never read.
      TokenTiles.pack(floats, 4L * size, TOKENS, size, keys(position), scratch.turned);
      unpack(true, position, count, floats);
      for (int number = 0; number < size; number += TOKENS) {
        TokenTiles.move(
            floats + 4L * number, 4L * size, count, values(position, number), 4L * TOKENS);
      }
    }

    private void unpack(boolean ofValues, int position, int count, long floats) {
      for (int done = 0; done < count; ) {
        int at = position + done;
        int part = Math.min(count - done, cache.runEnd(at) - at);
        long stored = ofValues ? cache.value(at, layer, head) : cache.key(at, layer, head);
        HalfFloats.unpackF16(stored, part * size, floats + 4L * done * size);
        done += part;
      }
    }
  }
}
