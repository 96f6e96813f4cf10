package dev.helixbg.llm.backend;

import dev.helixbg.llm.backend.KvCache.ContextFullException;
import java.util.Arrays;

/**
 * The tokens of one pass: a list of spans. A span has consecutive positions of one sequence. Row r
 * of every activation belongs to the r-th token; spans are in the order in which they were added. A
 * row is wanted if its logits are needed.
 *
 * <p>A batch is refilled for each pass, so that decoding allocates no memory.
 */
public final class Batch {
  private final KvCache[] caches;
  private final int[] firstRows;
  private final int[] starts;
  private final int[] counts;
  private final int[] wantedRows;
  private final int maxRows;
  private int spans;
  private int rows;
  private int wanted;
  private int passRows;
  private int version;

  /**
   * @param maxWanted largest number of rows of one pass whose logits are wanted
   */
  public Batch(int maxRows, int maxWanted) {
    this.maxRows = maxRows;
    caches = new KvCache[maxRows];
    firstRows = new int[maxRows];
    starts = new int[maxRows];
    counts = new int[maxRows];
    wantedRows = new int[maxWanted];
  }

  public void clear() {
    Arrays.fill(caches, 0, spans, null);
    spans = 0;
    rows = 0;
    wanted = 0;
    passRows = 0;
    version++;
  }

  /**
   * Adds the next {@code count} positions of a sequence and claims them in the sequence's cache.
   *
   * @param wantedCount number of rows at the span's end whose logits are wanted: 0 if the prompt
   *     goes on after the span, 1 to generate the next token, more to score the given tokens
   * @return the span's first row
   * @throws ContextFullException if the cache has no room; the batch is then unchanged
   * @throws IllegalArgumentException if the batch has no room
   */
  public int add(KvCache cache, int count, int wantedCount) {
    if (count < 1 || count > freeRows() || wantedCount > count || wantedCount > freeWanted()) {
      throw new IllegalArgumentException(
          "cannot add %d rows (%d with logits): the batch has room for %d rows (%d with logits)"
              .formatted(count, wantedCount, freeRows(), freeWanted()));
    }
    int start = cache.length();
    cache.extend(count);
    caches[spans] = cache;
    firstRows[spans] = rows;
    starts[spans] = start;
    counts[spans] = count;
    spans++;
    for (int i = count - wantedCount; i < count; i++) {
      wantedRows[wanted++] = rows + i;
    }
    rows += count;
    passRows = rows;
    version++;
    return rows - count;
  }

  /**
   * Refills this batch with the wanted rows of {@code pass}. Row i is the i-th wanted row of {@code
   * pass}, at the same position of the same sequence. All rows of this batch are wanted. The method
   * claims no positions in caches.
   */
  public void narrow(Batch pass) {
    clear();
    int span = 0;
    for (int i = 0; i < pass.wanted; i++) {
      int row = pass.wantedRows[i];
      while (row >= pass.firstRows[span] + pass.counts[span]) {
        span++;
      }
      caches[i] = pass.caches[span];
      firstRows[i] = i;
      starts[i] = pass.starts[span] + row - pass.firstRows[span];
      counts[i] = 1;
      wantedRows[i] = i;
    }
    spans = pass.wanted;
    rows = pass.wanted;
    wanted = pass.wanted;
    passRows = pass.passRows;
  }

  /** Returns a number by which backends notice changes: it changes whenever this batch changes. */
  public int version() {
    return version;
  }

  public int rows() {
    return rows;
  }

  /**
   * Returns the number of tokens of the pass, also after {@link #narrow}. Except for logits, the
   * method by which a row is computed may depend on this number, but not on the number of wanted
   * rows.
   */
  public int passRows() {
    return passRows;
  }

  public int freeRows() {
    return maxRows - rows;
  }

  public int freeWanted() {
    return wantedRows.length - wanted;
  }

  public int spans() {
    return spans;
  }

  public KvCache cache(int span) {
    return caches[span];
  }

  public int firstRow(int span) {
    return firstRows[span];
  }

  /** Returns the position of a span's first row in its sequence. */
  public int start(int span) {
    return starts[span];
  }

  public int count(int span) {
    return counts[span];
  }

  public int wanted() {
    return wanted;
  }

  public int wantedRow(int i) {
    return wantedRows[i];
  }
}
