package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The similarities among drawn entries, and of each to its nearest neighbour among all, kept from
 * one analysis to the next. Entries are known by slots, see {@link KnownPairs}, and stand at
 * positions without gaps: the last one moves to where one is taken out.
 */
final class DrawnPairs {
  private static final int NONE = -1;

  private int count;
  private int[] slotAt = new int[0];

  /** That of positions i &lt; j at j(j−1)/2 + i. */
  private float[] triangle = new float[0];

  private float[] nearest = new float[0];

  /** Slot of the nearest neighbour; {@link #NONE} when it has to be sought anew. */
  private int[] nearestSlot = new int[0];

  /** Takes out entries that are gone; call before their slots are given to others. */
  void forget(BitSet gone) {
    for (int position = count - 1; position >= 0; position--) {
      if (gone.get(slotAt[position])) {
        takeOut(position);
      } else if (nearestSlot[position] != NONE && gone.get(nearestSlot[position])) {
        nearestSlot[position] = NONE;
      }
    }
    for (int position = 0; position < count; position++) { // those that were moved meanwhile
      if (nearestSlot[position] != NONE && gone.get(nearestSlot[position])) {
        nearestSlot[position] = NONE;
      }
    }
  }

  /**
   * Brings everything up to date, after {@link #forget}.
   *
   * @param drawn indices of the entries to be kept here
   * @param fresh indices of the entries that were not there at the last update
   * @param slotOf by index
   * @param indexOf by slot
   * @param packed the same vectors
   */
  void update(
      int[] drawn,
      int[] fresh,
      int[] slotOf,
      int[] indexOf,
      Vectors vectors,
      PackedVectors packed,
      int threads) {
    BitSet wanted = new BitSet();
    IntStream.of(drawn).forEach(index -> wanted.set(slotOf[index]));
    for (int position = count - 1; position >= 0; position--) {
      if (!wanted.get(slotAt[position])) {
        takeOut(position);
      }
    }
    int before = count;
    for (int position = 0; position < before; position++) {
      wanted.clear(slotAt[position]);
    }
    grow(before + wanted.cardinality());
    wanted.stream()
        .forEach(
            slot -> {
              slotAt[count] = slot;
              nearestSlot[count++] = NONE;
            });
    int[] indices = IntStream.range(0, count).map(p -> indexOf[slotAt[p]]).toArray();
    if (count > before) {
      compareAmong(before, indices, vectors, threads);
    }
    seekNearest(indices, fresh, slotOf, vectors, packed, threads);
  }

  private void takeOut(int position) {
    int last = --count;
    if (position == last) {
      return;
    }
    for (int other = 0; other < last; other++) {
      if (other != position) {
        triangle[at(position, other)] = triangle[at(last, other)];
      }
    }
    slotAt[position] = slotAt[last];
    nearest[position] = nearest[last];
    nearestSlot[position] = nearestSlot[last];
  }

  private static int at(int a, int b) {
    int j = Math.max(a, b);
    return j * (j - 1) / 2 + Math.min(a, b);
  }

  private void grow(int size) {
    int pairs = size * Math.max(0, size - 1) / 2;
    if (triangle.length < pairs) {
      triangle = Arrays.copyOf(triangle, pairs);
    }
    if (slotAt.length < size) {
      slotAt = Arrays.copyOf(slotAt, size);
      nearest = Arrays.copyOf(nearest, size);
      nearestSlot = Arrays.copyOf(nearestSlot, size);
    }
  }

  /** Compares the entries from position {@code from} on with all drawn ones. */
  private void compareAmong(int from, int[] indices, Vectors vectors, int threads) {
    int[] added = Arrays.copyOfRange(indices, from, count);
    try (PackedVectors rows = PackedVectors.pack(vectors.select(added));
        PackedVectors columns = PackedVectors.pack(vectors.select(indices))) {
      // Two workers may write the same element, but they write the same value.
      AllPairs.between(
          rows,
          columns,
          Float.NEGATIVE_INFINITY,
          threads,
          () ->
              (row, column, similarity) -> {
                if (from + row != column) {
                  triangle[at(from + row, column)] = similarity;
                }
              });
    }
  }

  private void seekNearest(
      int[] indices,
      int[] fresh,
      int[] slotOf,
      Vectors vectors,
      PackedVectors packed,
      int threads) {
    int[] unknown = positions(true);
    int[] known = positions(false);
    for (int position : unknown) {
      nearest[position] = Float.NEGATIVE_INFINITY;
    }
    if (unknown.length > 0) {
      int[] everyEntry = IntStream.range(0, vectors.count()).toArray();
      seek(unknown, indices, packed, everyEntry, slotOf, vectors, threads);
    }
    if (known.length > 0 && fresh.length > 0) {
      try (PackedVectors columns = PackedVectors.pack(vectors.select(fresh))) {
        seek(known, indices, columns, fresh, slotOf, vectors, threads);
      }
    }
  }

  private int[] positions(boolean unknown) {
    return IntStream.range(0, count).filter(p -> (nearestSlot[p] == NONE) == unknown).toArray();
  }

  /**
   * Looks for nearer neighbours of the entries at some positions.
   *
   * @param columnEntries the entries that the columns are
   */
  private void seek(
      int[] positions,
      int[] indices,
      PackedVectors columns,
      int[] columnEntries,
      int[] slotOf,
      Vectors vectors,
      int threads) {
    int[] rowEntries = IntStream.of(positions).map(position -> indices[position]).toArray();
    try (PackedVectors rows = PackedVectors.pack(vectors.select(rowEntries))) {
      List<Nearest> found =
          AllPairs.between(
              rows,
              columns,
              Float.NEGATIVE_INFINITY,
              threads,
              () -> new Nearest(rowEntries, columnEntries));
      for (Nearest part : found) {
        for (int row = 0; row < positions.length; row++) {
          int position = positions[row];
          if (part.entry[row] != NONE && part.similarity[row] > nearest[position]) {
            nearest[position] = part.similarity[row];
            nearestSlot[position] = slotOf[part.entry[row]];
          }
        }
      }
    }
  }

  /** The nearest neighbours that one worker met. */
  private static final class Nearest implements PairSink {
    private final int[] rowEntries;
    private final int[] columnEntries;
    private final float[] similarity;
    private final int[] entry;

    Nearest(int[] rowEntries, int[] columnEntries) {
      this.rowEntries = rowEntries;
      this.columnEntries = columnEntries;
      this.similarity = new float[rowEntries.length];
      this.entry = new int[rowEntries.length];
      Arrays.fill(similarity, Float.NEGATIVE_INFINITY);
      Arrays.fill(entry, NONE);
    }

    @Override
    public void accept(int row, int column, float cosine) {
      if (cosine > similarity[row] && rowEntries[row] != columnEntries[column]) {
        similarity[row] = cosine;
        entry[row] = columnEntries[column];
      }
    }
  }

  /** Of all pairs of drawn entries, in no particular order. */
  float[] similarities() {
    int pairs = count * Math.max(0, count - 1) / 2;
    return triangle.length == pairs ? triangle : Arrays.copyOf(triangle, pairs);
  }

  /** Of each drawn entry to its nearest neighbour, in no particular order. */
  float[] nearest() {
    return Arrays.copyOf(nearest, count);
  }
}
