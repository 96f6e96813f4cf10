package dev.helixbg.llm.cpu;

import static dev.helixbg.llm.cpu.kernel.TileProduct.DEPTH;
import static dev.helixbg.llm.cpu.kernel.TileProduct.ROWS;
import static dev.helixbg.llm.cpu.kernel.TileProduct.STRIDE;
import static dev.helixbg.llm.cpu.kernel.TileProduct.TOKENS;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.cpu.kernel.HalfFloats;
import dev.helixbg.llm.cpu.kernel.RowAttention;
import dev.helixbg.llm.cpu.kernel.TileProduct;
import dev.helixbg.llm.cpu.kernel.Tiles;
import dev.helixbg.llm.cpu.kernel.Vectors;

/**
 * Causal grouped attention over the caches of a batch, shared out by span and KV head.
 *
 * <p>Short spans go row by row. Longer ones take a tile of queries at a time through the kernel of
 * the matrix products: keys are the panel's rows for the scores; for the sums, the values' places
 * are. Which way a span goes depends on its own length only.
 */
final class Attention implements Team.Work {
  /** From here on a tile costs less than its rows. */
  private static final int TILE_FROM = 6;

  private final Scratch[] scratch;
  private Batch batch;
  private HostActivations q;
  private HostActivations target;
  private int layer;

  Attention(Scratch[] scratch) {
    this.scratch = scratch;
  }

  /** Sets what the next {@link #run} works on. */
  void of(Batch batch, HostActivations q, int layer, HostActivations target) {
    this.batch = batch;
    this.q = q;
    this.layer = layer;
    this.target = target;
  }

  @Override
  public void run(int member, int members) {
    int unit = 0;
    for (int span = 0; span < batch.spans(); span++) {
      HostKvCache cache = (HostKvCache) batch.cache(span);
      for (int kvHead = 0; kvHead < cache.shape().kvHeads(); kvHead++) {
        if (unit++ % members == member) {
          if (batch.count(span) < TILE_FROM) {
            rows(scratch[member], cache, span, kvHead);
          } else {
            tiles(scratch[member], cache, span, kvHead);
          }
        }
      }
    }
  }

  // ---- row by row -----------------------------------------------------------------------------

  private void rows(Scratch mine, HostKvCache cache, int span, int kvHead) {
    for (int i = 0; i < batch.count(span); i++) {
      row(mine, cache, kvHead, batch.start(span) + i + 1, batch.firstRow(span) + i);
    }
  }

  /** All heads that share a KV head, so that its keys and values are unpacked once. */
  private void row(Scratch mine, HostKvCache cache, int kvHead, int positions, int row) {
    int size = cache.shape().headSize();
    int group = q.columns() / size / cache.shape().kvHeads();
    float scale = (float) (1 / Math.sqrt(size));
    long queries = q.address(row) + 4L * kvHead * group * size;
    long results = target.address(row) + 4L * kvHead * group * size;
    // Whole cache lines for each head.
    long stride = 64L * Math.ceilDiv(positions, 16);
    long scores = mine.scores(stride / Float.BYTES * group);
    for (int run = 0; run < cache.runs() && cache.runStart(run) < positions; run++) {
      int start = cache.runStart(run);
      int count = Math.min(cache.runEnd(run), positions) - start;
      long keys = floats(mine, cache, run, cache.keys(run, layer, kvHead), count);
      for (int g = 0; g < group; g++) {
        long to = scores + stride * g + 4L * start;
        RowAttention.scores(queries + 4L * g * size, keys, count, size, scale, to);
      }
    }
    for (int g = 0; g < group; g++) {
      long at = scores + stride * g;
      float sum = Vectors.exponentials(at, positions, Vectors.max(at, positions), at);
      Vectors.multiply(at, positions, 1 / sum);
    }
    Vectors.clear(results, group * size);
    for (int run = 0; run < cache.runs() && cache.runStart(run) < positions; run++) {
      int start = cache.runStart(run);
      int count = Math.min(cache.runEnd(run), positions) - start;
      long values = floats(mine, cache, run, cache.values(run, layer, kvHead), count);
      for (int g = 0; g < group; g++) {
        long from = scores + stride * g + 4L * start;
        RowAttention.addWeighted(from, values, count, size, results + 4L * g * size);
      }
    }
  }

  private static boolean inPlace(HostKvCache cache) {
    return cache.shape().storage() == Storage.F32;
  }

  /**
   * Address of {@code count} keys or values as floats: where they lie, or unpacked to scratch
   * memory.
   */
  private static long floats(Scratch mine, HostKvCache cache, int run, long offset, int count) {
    long stored = cache.data(run).address() + offset;
    if (inPlace(cache)) {
      return stored;
    }
    int numbers = count * cache.shape().headSize();
    long unpacked = mine.floats(numbers);
    HalfFloats.unpackF16(stored, numbers, unpacked);
    return unpacked;
  }

  // ---- by tiles of queries --------------------------------------------------------------------

  private void tiles(Scratch mine, HostKvCache cache, int span, int kvHead) {
    KvShape shape = cache.shape();
    int size = shape.headSize();
    int group = q.columns() / size / shape.kvHeads();
    int count = batch.count(span);
    int start = batch.start(span);
    transposeValues(mine, cache, kvHead, start + count);
    for (int tile = 0; tile < count; tile += TOKENS) {
      int tokens = Math.min(TOKENS, count - tile);
      int row = batch.firstRow(span) + tile;
      int first = start + tile;
      int keys = first + tokens;
      int paddedKeys = Math.ceilDiv(keys, ROWS) * ROWS;
      long queries = mine.floats((long) group * size * TOKENS);
      long scores = mine.scores((long) group * paddedKeys * TOKENS);
      for (int g = 0; g < group; g++) {
        long column = 4L * (kvHead * group + g) * size;
        Tiles.pack(
            q.address(row) + column,
            4L * q.stride(),
            tokens,
            size,
            queries + 4L * g * size * TOKENS);
      }
      for (int key = 0; key < keys; key += ROWS) {
        keysToPanel(mine, cache, kvHead, key, Math.min(ROWS, keys - key));
        for (int g = 0; g < group; g++) {
          TileProduct.multiply(
              mine.panel,
              size,
              queries + 4L * g * size * TOKENS,
              tokens,
              scores + 4L * TOKENS * ((long) g * paddedKeys + key));
        }
      }
      for (int g = 0; g < group; g++) {
        long headScores = scores + 4L * TOKENS * g * paddedKeys;
        Tiles.softmax(headScores, keys, first, (float) (1 / Math.sqrt(size)), mine.factors);
        weigh(mine, headScores, keys, size, tokens, row, 4L * (kvHead * group + g) * size);
      }
    }
  }

  private void keysToPanel(Scratch mine, HostKvCache cache, int kvHead, int from, int count) {
    int size = cache.shape().headSize();
    int run = cache.runOf(from);
    for (int i = 0; i < count; i++) {
      int position = from + i;
      if (position == cache.runEnd(run)) {
        run++;
      }
      long numbers = (long) (position - cache.runStart(run)) * size;
      long offset = cache.keys(run, layer, kvHead) + numbers * cache.shape().storage().bytes();
      long stored = cache.data(run).address() + offset;
      if (inPlace(cache)) {
        Vectors.copy(stored, size, mine.panel + 4L * STRIDE * i);
      } else {
        HalfFloats.unpackF16(stored, size, mine.panel + 4L * STRIDE * i);
      }
    }
  }

  /**
   * Values as panels: one row per number of a head, {@link TileProduct#DEPTH} positions each,
   * panels of later positions behind.
   */
  private void transposeValues(Scratch mine, HostKvCache cache, int kvHead, int positions) {
    int size = cache.shape().headSize();
    long panels = mine.values((long) Math.ceilDiv(positions, DEPTH) * panelRows(size) * STRIDE);
    for (int run = 0; run < cache.runs() && cache.runStart(run) < positions; run++) {
      int start = cache.runStart(run);
      int count = Math.min(cache.runEnd(run), positions) - start;
      long values = floats(mine, cache, run, cache.values(run, layer, kvHead), count);
      for (int done = 0; done < count; ) {
        int position = start + done;
        int part = Math.min(count - done, DEPTH - position % DEPTH);
        long panel = position / DEPTH * panelRows(size) * STRIDE + position % DEPTH;
        Tiles.transposeToPanel(values + 4L * done * size, part, size, panels + 4L * panel);
        done += part;
      }
    }
  }

  private static int panelRows(int size) {
    return Math.ceilDiv(size, ROWS) * ROWS;
  }

  private void weigh(
      Scratch mine, long scores, int keys, int size, int tokens, int row, long column) {
    long panels = mine.values(0);
    long sum = mine.sums;
    for (int d = 0; d < size; d += ROWS) {
      int panelRows = Math.min(ROWS, size - d);
      for (int key = 0; key < keys; key += DEPTH) {
        TileProduct.multiply(
            panels + 4L * STRIDE * ((long) key / DEPTH * panelRows(size) + d),
            Math.min(DEPTH, keys - key),
            scores + 4L * TOKENS * key,
            tokens,
            key == 0 ? sum : mine.tile);
        if (key > 0) {
          Tiles.add(mine.tile, panelRows, sum);
        }
      }
      Tiles.scale(sum, panelRows, mine.factors);
      Tiles.unpack(
          sum,
          TOKENS,
          panelRows,
          tokens,
          target.address(row) + column + 4L * d,
          4L * target.stride(),
          mine.turned);
    }
  }
}
