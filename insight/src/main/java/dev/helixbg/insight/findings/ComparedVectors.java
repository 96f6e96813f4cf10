package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;
import java.util.stream.IntStream;

/**
 * All vectors of the texts of a KB: one for each entry, then one for each passage of long entries.
 *
 * @param owners for each vector, index of its entry
 * @param firsts for each entry, the index of its first passage's vector; the last element is the
 *     number of all vectors
 * @param passages passage of each vector whose index is {@code entries} or higher
 */
record ComparedVectors(
    int entries, int[] owners, int[] firsts, List<Passage> passages, Vectors vectors) {
  /**
   * Maximum number of compared passages. A comparison with this number of passages takes 25 times
   * as long as one without passages if there are 10,000 entries, and twice as long if there are
   * 100,000 entries.
   */
  static final int MAX_PASSAGES = 40_000;

  /**
   * Selects the vectors to compare: {@code own}, which are the vectors of whole entries, and the
   * vectors of passages. If there are more than {@code most} passages, only every n-th passage of
   * each entry is taken.
   */
  static ComparedVectors of(Vectors own, PassageVectors passages, int most) {
    int[] taken = taken(own.count(), passages.owners(), most);
    int count = own.count();
    int[] owners =
        IntStream.concat(
                IntStream.range(0, count), IntStream.of(taken).map(i -> passages.owners()[i]))
            .toArray();
    int[] firsts = new int[count + 1];
    for (int i = count; i < owners.length; i++) {
      firsts[owners[i] + 1]++;
    }
    firsts[0] = count;
    for (int i = 1; i <= count; i++) {
      firsts[i] += firsts[i - 1];
    }
    return new ComparedVectors(
        count,
        owners,
        firsts,
        IntStream.of(taken).mapToObj(passages.passages()::get).toList(),
        taken.length == 0 ? own : Vectors.joined(List.of(own, passages.vectors().select(taken))));
  }

  boolean hasPassages() {
    return vectors.count() > entries;
  }

  private static int[] taken(int entries, int[] owners, int most) {
    int[] place = new int[owners.length]; // the passage's place among the passages of its entry
    int[] sizes = new int[entries];
    for (int i = 0; i < owners.length; i++) {
      place[i] = sizes[owners[i]]++;
    }
    int every =
        IntStream.range(1, Passage.MAX)
            .filter(
                step ->
                    IntStream.of(sizes).mapToLong(size -> Math.ceilDiv(size, step)).sum() <= most)
            .findFirst()
            .orElse(Passage.MAX);
    return IntStream.range(0, owners.length).filter(i -> place[i] % every == 0).toArray();
  }

  /** Returns the indices of all vectors of the given entries. */
  int[] of(int[] some) {
    return IntStream.concat(
            IntStream.of(some),
            IntStream.of(some).flatMap(entry -> IntStream.range(firsts[entry], firsts[entry + 1])))
        .toArray();
  }

  String text(int vector, Entry owner) {
    return vector < entries
        ? owner.embeddedText()
        : owner.topic() + " " + passages.get(vector - entries).text(owner);
  }

  /**
   * Returns the passage that a vector represents. For the vector of a whole entry, it is the text
   * before the first passage, or the whole text if the entry has no passages.
   */
  Passage passage(int vector, Entry owner) {
    if (vector >= entries) {
      return passages.get(vector - entries);
    }
    return new Passage(
        0,
        firsts[vector] < firsts[vector + 1]
            ? passages.get(firsts[vector] - entries).start()
            : owner.text().content().length());
  }

  /**
   * Returns the position, in UTF-16 units, from which to show a vector's passage: the start of the
   * previous passage, for context. The first passage of an entry is shown from its own start. For
   * the vector of a whole entry, the position is 0.
   */
  int viewStart(int vector) {
    if (vector < entries) {
      return 0;
    }
    int before = Math.max(vector - 1, firsts[owners[vector]]);
    return passages.get(before - entries).start();
  }

  /**
   * Computes the similarities of the text {@code a} to {@code count} successive texts, beginning
   * with the text {@code from}.
   */
  interface Measure {
    void of(int a, int from, float[] similarities, int count);
  }

  /** The {@link Measure} that compares texts by their vectors. */
  void cosines(int a, int from, float[] cosines, int count) {
    vectors.products(vectors.values(), a * vectors.dimension(), from, count, cosines);
  }

  /** A vector of one entry and a vector of another entry, with their similarity. */
  record Match(int a, int b, float similarity) {}

  /** Returns the nearest pair of vectors of two entries; of equally near pairs, the first. */
  Match best(int a, int b, Measure measure) {
    int parts = firsts[b + 1] - firsts[b];
    float[] similarities = new float[1 + parts];
    Match best = null;
    for (int i = firsts[a] - 1; i < firsts[a + 1]; i++) {
      int one = i < firsts[a] ? a : i;
      measure.of(one, firsts[b], similarities, parts);
      System.arraycopy(similarities, 0, similarities, 1, parts);
      measure.of(one, b, similarities, 1);
      for (int j = 0; j <= parts; j++) {
        if (best == null || similarities[j] > best.similarity()) {
          best = new Match(one, j == 0 ? b : firsts[b] + j - 1, similarities[j]);
        }
      }
    }
    return best;
  }
}
