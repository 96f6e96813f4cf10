package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.DEPTH;
import static dev.helixbg.llm.cpu.kernel.tile.TileProduct.TOKENS;

import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.cpu.kernel.tile.Tiles;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Keys and values of one head of one cache as tiles for the kernel of the matrix products: of keys,
 * {@code [position / TOKENS][number][position % TOKENS]}, of values, {@code [position /
 * DEPTH][number / TOKENS][position % DEPTH][number % TOKENS]}.
 *
 * <p>What a cache shares with the one before it stays: the entries of a labelling pass are forks,
 * and what all of them share is most of what they attend to.
 */
final class CachedTiles {
  /** Positions of values side by side do not fall into the same cache sets. */
  private static final int APART = DEPTH + 16;

  private final Arena arena;
  private final Scratch scratch;
  private MemorySegment keys = MemorySegment.NULL;
  private MemorySegment values = MemorySegment.NULL;
  private HostKvCache held;
  private int heldHead;
  private int heldPositions;
  private int size;

  CachedTiles(Arena arena, Scratch scratch) {
    this.arena = arena;
    this.scratch = scratch;
  }

  /** Nothing is held: another layer comes, or caches have changed. */
  void forget() {
    held = null;
  }

  /** Holds the first {@code positions} of a cache's head. */
  void hold(HostKvCache cache, int layer, int head, int positions) {
    size = cache.shape().headSize();
    int from = held != null && heldHead == head ? Math.min(cache.shared(held), heldPositions) : 0;
    MemorySegment oldKeys = keys;
    MemorySegment oldValues = values;
    keys = Scratch.grown(arena, keys, (long) Math.ceilDiv(positions, TOKENS) * TOKENS * size);
    values =
        Scratch.grown(arena, values, (long) Math.ceilDiv(positions, DEPTH) * panels() * panel());
    if (keys != oldKeys || values != oldValues) {
      from = 0;
    }
    for (int tile = from / TOKENS * TOKENS; tile < positions; tile += TOKENS) {
      fill(cache, layer, head, tile, Math.min(TOKENS, positions - tile));
    }
    held = cache;
    heldHead = head;
    heldPositions = positions;
  }

  /** The tile of keys that begins at a position. */
  long keys(int position) {
    return keys.address() + 4L * position * size;
  }

  /** Values from a position on, in the tile of numbers that begins at {@code number}. */
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

  /** Fills in positions of one tile. */
  private void fill(HostKvCache cache, int layer, int head, int position, int count) {
    // Moved by whole vectors, which may reach behind the last number.
    long floats = scratch.floats((long) TOKENS * size + TOKENS);
    unpack(cache, layer, head, false, position, count, floats);
    // Rows of a whole tile: what lies in those behind the last position is never looked at.
    Tiles.pack(floats, 4L * size, TOKENS, size, keys(position), scratch.turned);
    unpack(cache, layer, head, true, position, count, floats);
    for (int number = 0; number < size; number += TOKENS) {
      Tiles.move(floats + 4L * number, 4L * size, count, values(position, number), 4L * TOKENS);
    }
  }

  /** Keys, or else values, of {@code count} positions as rows of floats. */
  private void unpack(
      HostKvCache cache,
      int layer,
      int head,
      boolean ofValues,
      int position,
      int count,
      long floats) {
    KvShape shape = cache.shape();
    int done = 0;
    for (int run = cache.runOf(position); done < count; run++) {
      int part = Math.min(count, cache.runEnd(run) - position) - done;
      long offset = ofValues ? cache.values(run, layer, head) : cache.keys(run, layer, head);
      long skipped = (position + done - cache.runStart(run)) * shape.headBytes();
      long stored = cache.data(run).address() + offset + skipped;
      scratch.unpacker.row(shape.storage().type(), stored, part * size, floats + 4L * done * size);
      done += part;
    }
  }
}
