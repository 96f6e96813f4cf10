package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.Batch.Span;
import dev.helixbg.llm.gpu.GpuKvCache.KvBlocks;

/**
 * Tables that describe a batch to the kernels, for the submission that is being encoded.
 *
 * @param rows number of rows
 * @param memory memory of the KV caches of the batch's sequences
 * @param allRows the numbers 0, 1, 2 …, one per row
 * @param wantedRows the rows whose logits are wanted
 * @param places two numbers for each row: the row's position in its sequence, and the index in
 *     {@code blocks} at which the sequence's blocks begin
 * @param blocks numbers of the blocks of the KV cache that have the keys and values of all
 *     sequences, one sequence after the other
 * @param tiles tiles for the kernel {@code attend_tile}; a tile is a run of up to 32 rows of one
 *     sequence
 * @param mostBlocks number of cache blocks of the longest sequence
 * @param distinct whether every row belongs to a different sequence, as in decoding
 */
record BatchTables(
    int rows,
    KvBlocks memory,
    UploadTables.Table allRows,
    UploadTables.Table wantedRows,
    UploadTables.Table places,
    UploadTables.Table blocks,
    UploadTables.Table tiles,
    int tileCount,
    int mostBlocks,
    boolean distinct) {
  /** Maximum number of rows in a tile of {@code attend_tile}. */
  private static final int TILE = 32;

  /** Tables of the most recent batch, which all its steps in one submission share. */
  static final class Last {
    private final CommandRecorder recorder;
    private BatchTables tables;
    private Batch batch;
    private int version;
    private long submission;

    Last(CommandRecorder recorder) {
      this.recorder = recorder;
    }

    BatchTables of(Batch asked) {
      long now = recorder.submission();
      if (asked != batch || asked.version() != version || now != submission) {
        tables = make(asked, recorder);
        batch = asked;
        version = asked.version();
        submission = now;
      }
      return tables;
    }
  }

  private static BatchTables make(Batch batch, CommandRecorder recorder) {
    int rows = batch.rows();
    int blockCount = 0;
    int tileCount = 0;
    int mostBlocks = 0;
    for (Span span : batch.spans()) {
      int ofSpan = ((GpuKvCache) span.cache()).blocks().size();
      blockCount += ofSpan;
      mostBlocks = Math.max(mostBlocks, ofSpan);
      tileCount += Math.ceilDiv(span.count(), TILE);
    }
    int ints = 3 * rows + batch.wanted() + blockCount + 4 * tileCount;
    // Tiles (four numbers each) and places (two numbers each) come first, because kernels read them
    // as structs that are aligned to their size.
    UploadTables.Table tiles = recorder.table(ints);
    UploadTables.Table places = tiles.from(4 * tileCount);
    UploadTables.Table allRows = places.from(2 * rows);
    UploadTables.Table wantedRows = allRows.from(rows);
    UploadTables.Table blocks = wantedRows.from(batch.wanted());
    for (int r = 0; r < rows; r++) {
      allRows.set(r, r);
    }
    for (int i = 0; i < batch.wanted(); i++) {
      wantedRows.set(i, batch.wantedRow(i));
    }
    int block = 0;
    int tile = 0;
    for (Span span : batch.spans()) {
      for (int i = 0; i < span.count(); i++) {
        places.set(2 * (span.firstRow() + i), span.start() + i);
        places.set(2 * (span.firstRow() + i) + 1, block);
      }
      for (int from = 0; from < span.count(); from += TILE) {
        tiles.set(4 * tile, span.firstRow() + from);
        tiles.set(4 * tile + 1, Math.min(TILE, span.count() - from));
        tiles.set(4 * tile + 2, span.start() + from);
        tiles.set(4 * tile + 3, block);
        tile++;
      }
      for (int number : ((GpuKvCache) span.cache()).blocks()) {
        blocks.set(block++, number);
      }
    }
    recorder.upload(tiles, ints);
    return new BatchTables(
        rows,
        ((GpuKvCache) batch.spans().getFirst().cache()).memory(), // all caches of a model share it
        allRows,
        wantedRows,
        places,
        blocks,
        tiles,
        tileCount,
        mostBlocks,
        batch.spans().stream().map(Span::cache).distinct().count() == rows);
  }
}
