package dev.helixbg.insight.terms;

import dev.helixbg.embed.ParallelLoop;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * TF-IDF vectors of texts, of unit length (Salton, Buckley 1988). The weight of a term that occurs
 * n times in the text and in d of N entries of the KB is {@code (1 + ln n) · ln(N / d)}. A term
 * that very many entries have is left out, because it says little and would take most of the time.
 */
public final class TermVectors {
  /**
   * Maximum number of entries that have a rare term. In a large KB, the maximum is one entry in a
   * hundred.
   */
  private static final int RARE = 5;

  /** Number of texts per step, which takes a few milliseconds in a JVM that has just started. */
  private static final int TEXTS_PER_STEP = 500;

  /** Maximum number of texts whose terms are in memory at once. */
  private static final int TEXTS_AT_ONCE = 16 * TEXTS_PER_STEP;

  /** Number of entries. The texts of entries come before all other texts. */
  private final int entries;

  /** Maximum number of entries that may have a term; terms in more entries are ignored. */
  private final int most;

  /** The terms, sorted. */
  private final String[] terms;

  /** Number of entries with each term. */
  private final int[] frequencies;

  /**
   * Start of each text's terms in {@link #termAt}. The terms of each text are sorted. Terms that
   * affect no dot product are left out.
   */
  private final int[] starts;

  private final int[] termAt;
  private final float[] weightAt;

  private final Postings postings;

  /**
   * For each term, the texts that contain it; used to multiply one vector with the vectors of all
   * texts.
   */
  private record Postings(int[] starts, int[] textAt, float[] weightAt) {}

  /** Makes vectors of texts to compare. The entries come first; frequencies count only entries. */
  public static TermVectors of(int count, IntFunction<String> textAt, int entries, int threads) {
    int most = Math.clamp(entries / 10, 50, 1_000);
    return of(count, threads, i -> Terms.of(textAt.apply(i)).counts(), entries, 2, most);
  }

  /**
   * Makes vectors for searching. They also have the terms that only one entry has, and frequent
   * terms that up to half of the entries have. A word with accents also counts without them.
   *
   * @param only the query, if there is only one. The vectors then have only the query's terms, and
   *     {@link Products#share} and {@link #overlap} still give the same results for this query
   */
  public static TermVectors forQueries(
      Optional<String> only, int count, IntFunction<String> textAt, int entries) {
    Function<String, Map<String, Integer>> terms =
        only.map(query -> Terms.among(Terms.of(query).counts().keySet()))
            .orElse(text -> Terms.of(text).counts());
    int threads = Runtime.getRuntime().availableProcessors();
    return of(
        count,
        threads,
        i -> terms.apply(Terms.withAndWithoutAccents(textAt.apply(i))),
        entries,
        1,
        Math.max(50, entries / 2));
  }

  /** Makes vectors; {@code termsAt} takes a text's number and returns its counts of terms. */
  private static TermVectors of(
      int count,
      int threads,
      IntFunction<Map<String, Integer>> termsAt,
      int entries,
      int fewest,
      int most) {
    Map<String, Integer> numbers = new HashMap<>();
    // per text: the number of a term, its count, the next term's number, and so on
    int[][] found = new int[count][];
    List<Map<String, Integer>> counts = List.of();
    for (int i = 0; i < count; i++) {
      if (i % TEXTS_AT_ONCE == 0) {
        counts = counts(i, Math.min(count, i + TEXTS_AT_ONCE), threads, termsAt);
      }
      Map<String, Integer> ofText = counts.get(i % TEXTS_AT_ONCE);
      found[i] = new int[2 * ofText.size()];
      int at = 0;
      for (Map.Entry<String, Integer> term : ofText.entrySet()) {
        found[i][at++] = numbers.computeIfAbsent(term.getKey(), _ -> numbers.size());
        found[i][at++] = term.getValue();
      }
    }
    return new TermVectors(found, entries, fewest, most, numbers);
  }

  private static List<Map<String, Integer>> counts(
      int from, int to, int threads, IntFunction<Map<String, Integer>> termsAt) {
    return ParallelLoop.map(
            "words",
            threads,
            Math.ceilDiv(to - from, TEXTS_PER_STEP),
            step -> {
              int first = from + step * TEXTS_PER_STEP;
              return IntStream.range(first, Math.min(to, first + TEXTS_PER_STEP))
                  .mapToObj(termsAt)
                  .toList();
            })
        .stream()
        .flatMap(List::stream)
        .toList();
  }

  private TermVectors(
      int[][] found, int entries, int fewest, int most, Map<String, Integer> numbers) {
    this.entries = entries;
    this.most = most;
    // Sums of floats depend on their order. Terms are therefore sorted, so that the sums do not
    // depend on the order of texts in the log.
    this.terms = numbers.keySet().toArray(String[]::new);
    Arrays.parallelSort(terms);
    this.frequencies = new int[terms.length];
    int[] sorted = new int[terms.length];
    for (int t = 0; t < terms.length; t++) {
      sorted[numbers.get(terms[t])] = t;
    }
    for (int entry = 0; entry < entries; entry++) {
      for (int i = 0; i < found[entry].length; i += 2) {
        frequencies[sorted[found[entry][i]]]++;
      }
    }
    this.starts = new int[found.length + 1];
    int[] termOf = new int[Arrays.stream(found).mapToInt(f -> f.length / 2).sum()];
    float[] weightOf = new float[termOf.length];
    for (int text = 0; text < found.length; text++) {
      int end = starts[text];
      long[] occurrences = new long[found[text].length / 2];
      for (int i = 0; i < occurrences.length; i++) {
        occurrences[i] = (long) sorted[found[text][2 * i]] << 32 | found[text][2 * i + 1];
      }
      found[text] = null;
      Arrays.sort(occurrences);
      double squares = 0;
      for (long occurrence : occurrences) {
        int term = (int) (occurrence >>> 32);
        int frequency = frequencies[term];
        // If a passage begins inside a word, it may have a term that no entry has.
        if (frequency > 0 && frequency <= most) {
          double weight = weight((int) occurrence, entries, frequency);
          squares += weight * weight;
          if (frequency >= fewest && weight > 0) { // other terms contribute to no product
            termOf[end] = term;
            weightOf[end++] = (float) weight;
          }
        }
      }
      double scale = squares == 0 ? 0 : 1 / Math.sqrt(squares);
      for (int i = starts[text]; i < end; i++) {
        weightOf[i] = (float) (weightOf[i] * scale);
      }
      starts[text + 1] = end;
    }
    this.termAt = Arrays.copyOf(termOf, starts[found.length]);
    this.weightAt = Arrays.copyOf(weightOf, starts[found.length]);
    this.postings = postings();
  }

  private static double weight(int occurrences, int entries, int frequency) {
    return (1 + Math.log(occurrences)) * Math.log((double) entries / frequency);
  }

  private double rarity(int frequency) {
    return weight(1, entries, Math.max(1, frequency));
  }

  public int count() {
    return starts.length - 1;
  }

  /** Returns the cosine of the vectors of two texts. */
  public float similarity(int a, int b) {
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

  /**
   * Returns the rare terms that both texts have, the rarest first. Equally rare terms are ordered
   * by length, the longest first.
   */
  public List<String> shared(int a, int b) {
    int rare = Math.max(RARE, entries / 100);
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
   * Returns the sum of the weights of the terms that are in both texts. A rarer term has a larger
   * weight.
   */
  public double overlap(Terms one, Terms other) {
    double sum = 0;
    for (String term : one.counts().keySet()) {
      if (other.counts().containsKey(term)) {
        int number = Arrays.binarySearch(terms, term);
        sum += number < 0 ? 0 : rarity(frequencies[number]);
      }
    }
    return sum;
  }

  /** Returns an object that compares a text with all texts. Only one thread may use the object. */
  public Products products() {
    return new Products();
  }

  private Postings postings() {
    int[] postingStarts = new int[terms.length + 1];
    for (int term : termAt) {
      postingStarts[term + 1]++;
    }
    Arrays.parallelPrefix(postingStarts, Integer::sum);
    int[] textAt = new int[termAt.length];
    float[] postedWeight = new float[termAt.length];
    int[] next = Arrays.copyOf(postingStarts, terms.length);
    for (int text = 0; text < count(); text++) {
      for (int i = starts[text]; i < starts[text + 1]; i++) {
        int at = next[termAt[i]]++;
        textAt[at] = text;
        postedWeight[at] = weightAt[i];
      }
    }
    return new Postings(postingStarts, textAt, postedWeight);
  }

  /** Receives a text and its cosine, or its share of a query's terms, if this number is above 0. */
  public interface Sink {
    void accept(int text, float similarity);
  }

  /** Compares a text with all texts that share a term with it; other texts are never read. */
  public final class Products {
    private final float[] sums = new float[count()];
    private final int[] touched = new int[count()];
    private int met;

    private Products() {}

    /** Compares one of the texts with all texts that share a term with it, including itself. */
    public void of(int text, Sink sink) {
      for (int i = starts[text]; i < starts[text + 1]; i++) {
        for (int at = postings.starts[termAt[i]]; at < postings.starts[termAt[i] + 1]; at++) {
          add(postings.textAt[at], weightAt[i] * postings.weightAt[at]);
        }
      }
      hand(sink);
    }

    /**
     * Computes the share of a query's terms that each text has. Rare terms count more; a term that
     * no entry has counts most.
     */
    public void share(String query, Sink sink) {
      List<String> asked = Terms.of(query).counts().keySet().stream().sorted().toList();
      int[] found = new int[asked.size()];
      int at = 0;
      double sum = 0;
      for (String term : asked) {
        int number = Arrays.binarySearch(terms, term);
        int frequency = number < 0 ? 0 : frequencies[number];
        if (frequency <= most) {
          sum += rarity(frequency);
          if (frequency > 0) {
            found[at++] = number;
          }
        }
      }
      for (int i = 0; i < at; i++) {
        float share = (float) (rarity(frequencies[found[i]]) / sum);
        for (int p = postings.starts[found[i]]; p < postings.starts[found[i] + 1]; p++) {
          add(postings.textAt[p], share);
        }
      }
      hand(sink);
    }

    private void add(int text, float part) {
      if (sums[text] == 0) {
        touched[met++] = text;
      }
      sums[text] += part;
    }

    private void hand(Sink sink) {
      for (int t = 0; t < met; t++) {
        int text = touched[t];
        if (sums[text] > 0) {
          sink.accept(text, sums[text]);
        }
        sums[text] = 0;
      }
      met = 0;
    }
  }
}
