package dev.helixbg.insight.search;

import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.Vectors;
import dev.helixbg.insight.terms.TermVectors;
import dev.helixbg.insight.terms.Terms;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * The entries of a KB and passages of long entries, with vectors and words, prepared for searching.
 * Only one thread at a time may use an index.
 *
 * <p>The score of an entry is the sum of two numbers. One is the highest cosine of the query with
 * the entry or one of its passages. The other is 0.3 times the highest share of the query's words
 * that the entry or a passage has. In this share, rare words count more. Vectors alone miss names
 * and numbers; words alone miss the same fact in other words.
 */
public final class SearchIndex implements AutoCloseable {
  /** Maximum number of scores that are in memory at once: 64 MB. */
  private static final int SCORES_AT_ONCE = 8_000_000;

  private static final int NONE = -1;

  /** Number that is added to the score of an entry that contains all words of a query. */
  private static final float WORDS = 0.3f;

  private final List<NamedEntry> entries;
  private final Coverage coverage;

  /** Index of each vector's entry. Vectors of entries come first, then vectors of passages. */
  private final int[] owners;

  private final List<Passage> passages;

  /** The two sets of vectors, of entries and of passages, for a single search; otherwise empty. */
  private final List<Vectors> vectors;

  /** The vectors packed for the fastest kernel, if there are many searches. */
  private final Optional<PackedVectors> packed;

  private final TermVectors terms;
  private final TermVectors.Products words;

  /**
   * A query.
   *
   * @param text the text whose words are searched; empty to search by vectors alone
   * @param vector vector of the query, of unit length
   * @param topic the topic to search; all topics if empty
   * @param from number of the best hits that are skipped
   */
  public record Query(String text, float[] vector, Optional<String> topic, int from, int limit) {}

  /**
   * An entry that was found, and its passage that matches best.
   *
   * @param score the score by which hits are ranked: at most 1.3, and rarely below 0
   * @param similarity the cosine of the query with the nearest vector of the entry, at most 1
   */
  public record Hit(NamedEntry entry, double score, double similarity, Passage passage) {}

  /** Makes an index for any number of searches. */
  public static SearchIndex of(KbEntries kb, int modelTokens) {
    return new SearchIndex(kb, modelTokens, Optional.empty());
  }

  /** Makes an index for one search; only the words of {@code text} are counted, to save time. */
  public static SearchIndex forOne(KbEntries kb, int modelTokens, String text) {
    return new SearchIndex(kb, modelTokens, Optional.of(text));
  }

  private SearchIndex(KbEntries kb, int modelTokens, Optional<String> only) {
    this.entries = kb.named();
    this.coverage = kb.coverage();
    this.passages = kb.passages().passages();
    int count = entries.size();
    this.owners =
        IntStream.concat(IntStream.range(0, count), IntStream.of(kb.passages().owners())).toArray();
    IntFunction<String> textAt =
        i -> {
          Entry entry = entries.get(owners[i]).entry();
          return i < count
              ? entry.embeddedText()
              : passages.get(i - count).embeddedText(entry, modelTokens);
        };
    this.terms = TermVectors.forQueries(only, owners.length, textAt, count);
    List<Vectors> sets = List.of(kb.vectors(), kb.passages().vectors());
    this.vectors = only.isPresent() ? sets : List.of();
    this.packed =
        only.isPresent() ? Optional.empty() : Optional.of(PackedVectors.pack(Vectors.joined(sets)));
    this.words = terms.products();
  }

  public Coverage coverage() {
    return coverage;
  }

  /** Returns the hits of each query, best first. Queries share passes over the vectors. */
  public List<List<Hit>> search(List<Query> queries) {
    int together = Math.max(1, SCORES_AT_ONCE / Math.max(1, entries.size()));
    List<List<Hit>> hits = new ArrayList<>(queries.size());
    for (int from = 0; from < queries.size(); from += together) {
      searchTogether(queries.subList(from, Math.min(queries.size(), from + together)), hits);
    }
    return hits;
  }

  private void searchTogether(List<Query> queries, List<List<Hit>> hits) {
    if (entries.isEmpty()) {
      queries.forEach(query -> hits.add(List.of()));
      return;
    }
    int count = entries.size();
    float[][] similarities = new float[queries.size()][count];
    int[][] nearest = new int[queries.size()][count];
    for (float[] row : similarities) {
      Arrays.fill(row, Float.NEGATIVE_INFINITY);
    }
    compare(
        queries.stream().map(Query::vector).toList(),
        (row, vector, similarity) -> {
          int entry = owners[vector];
          if (similarity > similarities[row][entry]) {
            similarities[row][entry] = similarity;
            nearest[row][entry] = vector;
          }
        });
    for (int i = 0; i < queries.size(); i++) {
      hits.add(hits(queries.get(i), similarities[i], nearest[i]));
    }
  }

  /**
   * Compares rows with all vectors. For one search, the vectors are not packed, because packing
   * them and compiling a kernel would take longer than computing all products. Packed vectors give
   * the same bits.
   */
  private void compare(List<float[]> rows, PairSink sink) {
    if (packed.isPresent()) {
      try (PackedVectors asked = PackedVectors.pack(Vectors.of(rows))) {
        AllPairs.between(asked, packed.get(), Float.NEGATIVE_INFINITY, 1, sink);
      }
      return;
    }
    int before = 0;
    for (Vectors set : vectors) {
      float[] products = new float[set.count()];
      for (int row = 0; row < rows.size(); row++) {
        set.products(rows.get(row), 0, 0, products.length, products);
        for (int i = 0; i < products.length; i++) {
          sink.accept(row, before + i, products[i]);
        }
      }
      before += products.length;
    }
  }

  private List<Hit> hits(Query query, float[] similarities, int[] nearest) {
    float[] said = new float[similarities.length];
    int[] saying = new int[similarities.length];
    Arrays.fill(saying, NONE);
    words.share(
        query.text(),
        (text, share) -> {
          int entry = owners[text];
          // If the shares are equal, the passage is preferred to the entry, because it shows the
          // place.
          if (share > said[entry] || share == said[entry] && text >= entries.size()) {
            said[entry] = share;
            saying[entry] = text;
          }
        });
    float[] scores = new float[similarities.length];
    Comparator<Integer> bestFirst =
        Comparator.<Integer>comparingDouble(entry -> -scores[entry])
            .thenComparing(Comparator.naturalOrder());
    PriorityQueue<Integer> worstFirst = new PriorityQueue<>(bestFirst.reversed());
    int wanted = query.from() + query.limit();
    for (int entry = 0; entry < scores.length; entry++) {
      scores[entry] = similarities[entry] + WORDS * said[entry];
      boolean isAsked =
          query.topic().isEmpty() || query.topic().get().equals(entries.get(entry).entry().topic());
      if (isAsked && (worstFirst.size() < wanted || scores[entry] > scores[worstFirst.element()])) {
        worstFirst.add(entry);
        if (worstFirst.size() > wanted) {
          worstFirst.remove();
        }
      }
    }
    return worstFirst.stream()
        .sorted(bestFirst)
        .skip(query.from())
        .map(
            entry ->
                new Hit(
                    entries.get(entry),
                    scores[entry],
                    // rounding can make a cosine slightly greater than 1
                    Math.min(1, similarities[entry]),
                    matching(query, entry, nearest[entry], saying[entry])))
        .toList();
  }

  /**
   * Returns the passage to show: the nearest one. If the whole entry is nearer than any passage,
   * returns the passage with the largest share of the query's words, in which rare words count
   * more.
   */
  private Passage matching(Query query, int entry, int nearest, int saying) {
    int count = entries.size();
    if (nearest >= count) {
      return passages.get(nearest - count);
    }
    return saying >= count
        ? passages.get(saying - count)
        : saying(query, entries.get(entry).entry());
  }

  private Passage saying(Query query, Entry entry) {
    Terms asked = Terms.of(query.text());
    Passage best = new Passage(0, 0);
    double most = -1;
    for (Passage window : Passage.windows(entry.text().content())) {
      double overlap =
          terms.overlap(asked, Terms.of(Terms.withAndWithoutAccents(window.text(entry))));
      if (overlap > most) {
        most = overlap;
        best = window;
      }
    }
    return best;
  }

  @Override
  public void close() {
    packed.ifPresent(PackedVectors::close);
  }
}
