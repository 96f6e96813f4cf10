package dev.helixbg.insight.findings;

import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.insight.log.Entry;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * TF-IDF vectors of entries: of each term {@code (1 + ln n) · ln(N / d)}, n times in the entry and
 * in d of N entries, together at unit length (Salton, Buckley 1988). Frequencies are those of the
 * KB as it is. A term that very many entries have says little and would cost most: it is left out.
 */
final class TermVectors {
  /** Entries whose neighbours one step of a loop seeks. */
  private static final int CHUNK = 256;

  /** A term in so many entries, or in one of a hundred, is rare. */
  private static final int RARE = 5;

  private final int count;
  private final String[] terms;

  /** Entries with each term. */
  private final int[] frequencies;

  /** Where each entry's terms begin, rising, with their weights; only those of products. */
  private final int[] starts;

  private final int[] termAt;
  private final float[] weightAt;

  private TermVectors(
      int count, String[] terms, int[] frequencies, int[] starts, int[] termAt, float[] weightAt) {
    this.count = count;
    this.terms = terms;
    this.frequencies = frequencies;
    this.starts = starts;
    this.termAt = termAt;
    this.weightAt = weightAt;
  }

  /** A term in more of {@code entries} entries is left out. */
  static int mostEntries(int entries) {
    return Math.clamp(entries / 10, 50, 1_000);
  }

  static TermVectors of(List<Entry> entries) {
    int count = entries.size();
    Map<String, Integer> numbers = new HashMap<>();
    int[][] found = new int[count][]; // of each entry: number of a term, how often, and so on
    int[] frequencies = new int[1 << 10];
    for (int i = 0; i < count; i++) {
      Map<String, Integer> counts = Terms.of(entries.get(i).embeddedText()).counts();
      found[i] = new int[2 * counts.size()];
      int at = 0;
      for (Map.Entry<String, Integer> term : counts.entrySet()) {
        int number = numbers.computeIfAbsent(term.getKey(), key -> numbers.size());
        if (number >= frequencies.length) {
          frequencies = Arrays.copyOf(frequencies, 2 * number);
        }
        frequencies[number]++;
        found[i][at++] = number;
        found[i][at++] = term.getValue();
      }
    }
    return weighted(found, numbers, frequencies);
  }

  private static TermVectors weighted(
      int[][] found, Map<String, Integer> numbers, int[] frequencies) {
    int count = found.length;
    // Sums of floats depend on their order: that of the words, not that of the log.
    String[] terms = numbers.keySet().toArray(String[]::new);
    Arrays.parallelSort(terms);
    int[] sorted = new int[terms.length];
    int[] sortedFrequencies = new int[terms.length];
    for (int t = 0; t < terms.length; t++) {
      int number = numbers.get(terms[t]);
      sorted[number] = t;
      sortedFrequencies[t] = frequencies[number];
    }
    int[] starts = new int[count + 1];
    int[] termAt = new int[Arrays.stream(found).mapToInt(f -> f.length / 2).sum()];
    float[] weightAt = new float[termAt.length];
    int most = mostEntries(count);
    for (int entry = 0; entry < count; entry++) {
      int end = starts[entry];
      long[] occurrences = new long[found[entry].length / 2];
      for (int i = 0; i < occurrences.length; i++) {
        occurrences[i] = (long) sorted[found[entry][2 * i]] << 32 | found[entry][2 * i + 1];
      }
      found[entry] = null;
      Arrays.sort(occurrences);
      double squares = 0;
      for (long occurrence : occurrences) {
        int term = (int) (occurrence >>> 32);
        int frequency = sortedFrequencies[term];
        if (frequency <= most) {
          double weight = (1 + Math.log((int) occurrence)) * Math.log((double) count / frequency);
          squares += weight * weight;
          if (frequency > 1 && weight > 0) { // else no part of any product
            termAt[end] = term;
            weightAt[end++] = (float) weight;
          }
        }
      }
      double scale = squares == 0 ? 0 : 1 / Math.sqrt(squares);
      for (int i = starts[entry]; i < end; i++) {
        weightAt[i] = (float) (weightAt[i] * scale);
      }
      starts[entry + 1] = end;
    }
    return new TermVectors(
        count,
        terms,
        sortedFrequencies,
        starts,
        Arrays.copyOf(termAt, starts[count]),
        Arrays.copyOf(weightAt, starts[count]));
  }

  /** Cosine of two entries. */
  float similarity(int a, int b) {
    float sum = 0;
    int i = starts[a];
    int j = starts[b];
    while (i < starts[a + 1] && j < starts[b + 1]) {
      if (termAt[i] == termAt[j]) {
        sum += weightAt[i++] * weightAt[j++];
      } else if (termAt[i] < termAt[j]) {
        i++;
      } else {
        j++;
      }
    }
    return sum;
  }

  /** The rare terms that two entries share: the rarest first, of equally rare ones the longer. */
  List<String> shared(int a, int b) {
    int rare = Math.max(RARE, count / 100);
    return IntStream.range(starts[a], starts[a + 1])
        .map(i -> termAt[i])
        .filter(term -> frequencies[term] <= rare)
        .filter(term -> Arrays.binarySearch(termAt, starts[b], starts[b + 1], term) >= 0)
        .boxed()
        .sorted(
            Comparator.comparingInt((Integer term) -> frequencies[term])
                .thenComparing(term -> -terms[term].length())
                .thenComparing(term -> term))
        .map(term -> terms[term])
        .toList();
  }

  /**
   * The nearest of each entry, among those that share a term with it. No pair is looked at that
   * shares none.
   *
   * @param order of the entries, see {@link BestPairs}
   */
  NearestLists nearest(int[] order, int threads) {
    NearestLists lists = new NearestLists(order);
    int[] postingStarts = new int[terms.length + 1];
    for (int term : termAt) {
      postingStarts[term + 1]++;
    }
    Arrays.parallelPrefix(postingStarts, Integer::sum);
    int[] entryAt = new int[termAt.length];
    float[] postedWeight = new float[termAt.length];
    int[] next = Arrays.copyOf(postingStarts, terms.length);
    for (int entry = 0; entry < count; entry++) {
      for (int i = starts[entry]; i < starts[entry + 1]; i++) {
        int at = next[termAt[i]]++;
        entryAt[at] = entry;
        postedWeight[at] = weightAt[i];
      }
    }
    ParallelLoop.runToTheEnd(
        "relations",
        threads,
        Math.ceilDiv(count, CHUNK),
        chunk -> {
          float[] sums = new float[count];
          int[] touched = new int[count];
          int end = Math.min(count, (chunk + 1) * CHUNK);
          for (int entry = chunk * CHUNK; entry < end; entry++) {
            int met = 0;
            for (int i = starts[entry]; i < starts[entry + 1]; i++) {
              for (int at = postingStarts[termAt[i]]; at < postingStarts[termAt[i] + 1]; at++) {
                if (sums[entryAt[at]] == 0) {
                  touched[met++] = entryAt[at];
                }
                sums[entryAt[at]] += weightAt[i] * postedWeight[at];
              }
            }
            for (int t = 0; t < met; t++) {
              int other = touched[t];
              if (other != entry && sums[other] > 0) {
                lists.offer(entry, other, sums[other]);
              }
              sums[other] = 0;
            }
          }
        });
    return lists;
  }
}
