package dev.helixbg.llm.backend;

import dev.helixbg.llm.backend.KvCache.ContextFullException;
import java.util.ArrayList;
import java.util.List;

/**
 * The tokens of one forward pass: a list of spans, in the order in which they were added. A span is
 * a range of consecutive positions of one sequence. Row r of every buffer of activations belongs to
 * the r-th token. A row is wanted if its logits are needed.
 *
 * <p>A batch is refilled for each pass.
 */
public final class Batch {

  /**
   * A range of consecutive positions of one sequence.
   *
   * @param firstRow row of the batch that belongs to the range's first position
   * @param start the range's first position in the sequence
   */
  public record Span(KvCache cache, int firstRow, int start, int count) {}

  private final List<Span> spans = new ArrayList<>();
  private final int[] wantedRows;
  private final int maxRows;
  private int rows;
  private int wanted;
  private int passRows;
  private int version;

  public Batch(int maxRows, int maxWanted) {
    this.maxRows = maxRows;
    wantedRows = new int[maxWanted];
  }

  public void clear() {
    spans.clear();
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
    spans.add(new Span(cache, rows, start, count));
    for (int i = count - wantedCount; i < count; i++) {
      wantedRows[wanted++] = rows + i;
    }
    rows += count;
    passRows = rows;
    version++;
    return rows - count;
  }

  /**
   * Refills this batch with only those rows of {@code pass} whose logits are needed (the wanted
   * rows). Row i becomes the i-th wanted row of {@code pass}, at the same position of the same
   * sequence. All rows of this batch are then wanted. The method claims no positions in caches.
   */
  public void narrow(Batch pass) {
    clear();
    for (int i = 0; i < pass.wanted; i++) {
      int row = pass.wantedRows[i];
      Span span = pass.spanOf(row);
      spans.add(new Span(span.cache, i, span.start + row - span.firstRow, 1));
      wantedRows[i] = i;
    }
    rows = pass.wanted;
    wanted = pass.wanted;
    passRows = pass.passRows;
  }

  /** Returns a number that changes whenever this batch changes. */
  public int version() {
    return version;
  }

  public int rows() {
    return rows;
  }

  /**
   * Returns the number of tokens of the whole pass, even after {@link #narrow} left out rows. In
   * all steps except {@link Backend#logits}, a backend may choose its method of computation by this
   * number, but not by the number of wanted rows.
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

  public List<Span> spans() {
    return spans;
  }

  public Span spanOf(int row) {
    int i = 0;
    while (row >= spans.get(i).firstRow + spans.get(i).count) {
      i++;
    }
    return spans.get(i);
  }

  public int wanted() {
    return wanted;
  }

  public int wantedRow(int i) {
    return wantedRows[i];
  }
}
