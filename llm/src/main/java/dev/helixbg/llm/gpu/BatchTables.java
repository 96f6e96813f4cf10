package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;

/**
 * A batch as the kernels see it: tables for the submission that is being encoded, made when the
 * first step of a pass asks for them.
 */
final class BatchTables {
  /** Rows of a tile of {@code attend_tile}. */
  private static final int TILE = 32;

  private final Recorder recorder;
  private Batch known;
  private int knownVersion;
  private long knownSubmission;
  private Uploads.Table allRows;
  private Uploads.Table wantedRows;
  private Uploads.Table places;
  private Uploads.Table blocks;
  private Uploads.Table tiles;
  private int tileCount;
  private int mostBlocks;
  private boolean distinct;

  BatchTables(Recorder recorder) {
    this.recorder = recorder;
  }

  /** Makes the tables of a batch, unless they are there. */
  BatchTables of(Batch batch) {
    long submission = recorder.submission();
    if (batch != known || batch.version() != knownVersion || submission != knownSubmission) {
      make(batch);
      known = batch;
      knownVersion = batch.version();
      knownSubmission = submission;
    }
    return this;
  }

  private void make(Batch batch) {
    int rows = batch.rows();
    int blockCount = 0;
    tileCount = 0;
    for (int span = 0; span < batch.spans(); span++) {
      blockCount += ((GpuKvCache) batch.cache(span)).blockCount();
      tileCount += Math.ceilDiv(batch.count(span), TILE);
    }
    int ints = 3 * rows + batch.wanted() + blockCount + 4 * tileCount;
    Uploads.Table all = recorder.table(ints);
    // Structs of two and four numbers first: they are aligned to their size.
    tiles = all;
    places = all.from(4 * tileCount);
    allRows = places.from(2 * rows);
    wantedRows = allRows.from(rows);
    blocks = wantedRows.from(batch.wanted());
    for (int r = 0; r < rows; r++) {
      allRows.set(r, r);
    }
    for (int i = 0; i < batch.wanted(); i++) {
      wantedRows.set(i, batch.wantedRow(i));
    }
    int block = 0;
    int tile = 0;
    mostBlocks = 0;
    for (int span = 0; span < batch.spans(); span++) {
      GpuKvCache cache = (GpuKvCache) batch.cache(span);
      for (int i = 0; i < batch.count(span); i++) {
        places.set(2 * (batch.firstRow(span) + i), batch.start(span) + i);
        places.set(2 * (batch.firstRow(span) + i) + 1, block);
      }
      for (int from = 0; from < batch.count(span); from += TILE) {
        tiles.set(4 * tile, batch.firstRow(span) + from);
        tiles.set(4 * tile + 1, Math.min(TILE, batch.count(span) - from));
        tiles.set(4 * tile + 2, batch.start(span) + from);
        tiles.set(4 * tile + 3, block);
        tile++;
      }
      for (int i = 0; i < cache.blockCount(); i++) {
        blocks.set(block++, cache.block(i));
      }
      mostBlocks = Math.max(mostBlocks, cache.blockCount());
    }
    recorder.upload(all, ints);
    distinct = isDistinct(batch);
  }

  private static boolean isDistinct(Batch batch) {
    if (batch.spans() != batch.rows()) {
      return false;
    }
    for (int span = 0; span < batch.spans(); span++) {
      KvCache cache = batch.cache(span);
      for (int other = 0; other < span; other++) {
        if (batch.cache(other) == cache) {
          return false;
        }
      }
    }
    return true;
  }

  /** The numbers 0, 1, 2 …, one per row. */
  Uploads.Table allRows() {
    return allRows;
  }

  Uploads.Table wantedRows() {
    return wantedRows;
  }

  /** Per row its position, and where its sequence begins in {@link #blocks}. */
  Uploads.Table places() {
    return places;
  }

  Uploads.Table blocks() {
    return blocks;
  }

  Uploads.Table tiles() {
    return tiles;
  }

  int tileCount() {
    return tileCount;
  }

  /** Blocks of the longest sequence. */
  int mostBlocks() {
    return mostBlocks;
  }

  /** Whether every row belongs to another sequence, as when decoding. */
  boolean isDistinct() {
    return distinct;
  }
}
