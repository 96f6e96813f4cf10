package dev.helixbg.daemon;

import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PairSink;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Function;

/** The entries of a KB with their vectors, laid out for searching. */
final class SearchIndex implements AutoCloseable {
  private final List<Entry> entries;
  private final List<String> names;
  private final PackedVectors packed;

  private SearchIndex(List<Entry> entries, List<String> names, PackedVectors packed) {
    this.entries = entries;
    this.names = names;
    this.packed = packed;
  }

  /**
   * @param vectors of an entry, where there is one yet
   */
  static SearchIndex of(List<Entry> live, Function<Entry, Optional<float[]>> vectors) {
    Map<String, Integer> sizes = new HashMap<>();
    List<Entry> entries = new ArrayList<>(live.size());
    List<String> names = new ArrayList<>(live.size());
    List<float[]> found = new ArrayList<>(live.size());
    for (Entry entry : live) {
      int index = sizes.merge(entry.topic(), 1, Integer::sum) - 1;
      vectors
          .apply(entry)
          .ifPresent(
              vector -> {
                entries.add(entry);
                names.add(entry.topic() + ":" + index);
                found.add(vector);
              });
    }
    return new SearchIndex(entries, names, PackedVectors.pack(Pipeline.matrix(found)));
  }

  /** The entries whose vectors are in the cache: all of them, once a run has ended. */
  static SearchIndex read(Kb kb, String modelId) {
    CachedVectors cached = new EmbeddingCache(kb.folder()).read();
    return of(
        DataLog.read(kb.dataLog()).entries(),
        entry -> cached.vector(TextKey.of(modelId, entry.embeddedText())));
  }

  int size() {
    return entries.size();
  }

  /**
   * Searches for several things in one pass over the vectors.
   *
   * @param queries unit vectors
   * @param limits how many hits of each are wanted
   * @return per query the best hits, best first
   */
  List<List<SearchHit>> search(List<float[]> queries, List<Integer> limits) {
    if (entries.isEmpty()) {
      return queries.stream().map(query -> List.<SearchHit>of()).toList();
    }
    Vectors asked = Pipeline.matrix(queries);
    try (PackedVectors rows = PackedVectors.pack(asked)) {
      Best best =
          AllPairs.between(rows, packed, Float.NEGATIVE_INFINITY, 1, () -> new Best(limits))
              .getFirst();
      return best.rows.stream().map(this::hits).toList();
    }
  }

  private List<SearchHit> hits(PriorityQueue<Scored> found) {
    return found.stream().sorted(Scored.BEST_FIRST).map(this::hit).toList();
  }

  private SearchHit hit(Scored scored) {
    Entry entry = entries.get(scored.entry());
    String text = entry.text().content();
    return new SearchHit(
        names.get(scored.entry()),
        scored.similarity(),
        entry.offset(),
        SearchHit.written(entry.timestampMin()),
        text.substring(0, Math.min(SearchHit.MAX_TEXT, text.length())));
  }

  private record Scored(int entry, float similarity) {
    static final Comparator<Scored> BEST_FIRST =
        Comparator.comparingDouble(Scored::similarity).reversed().thenComparingInt(Scored::entry);
  }

  /** The best of each row. */
  private static final class Best implements PairSink {
    private final List<Integer> limits;
    private final List<PriorityQueue<Scored>> rows = new ArrayList<>();

    Best(List<Integer> limits) {
      this.limits = limits;
      limits.forEach(limit -> rows.add(new PriorityQueue<>(Scored.BEST_FIRST.reversed())));
    }

    @Override
    public void accept(int row, int entry, float similarity) {
      PriorityQueue<Scored> best = rows.get(row);
      if (best.size() < limits.get(row)) {
        best.add(new Scored(entry, similarity));
      } else if (similarity > best.peek().similarity()) {
        best.poll();
        best.add(new Scored(entry, similarity));
      }
    }
  }

  @Override
  public void close() {
    packed.close();
  }
}
