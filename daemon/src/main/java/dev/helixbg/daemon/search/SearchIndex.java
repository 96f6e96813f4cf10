package dev.helixbg.daemon.search;

import dev.helixbg.daemon.kb.Kb;
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
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;

/** The entries of a KB with their vectors, laid out for searching. */
public final class SearchIndex implements AutoCloseable {
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
  public static SearchIndex of(List<Entry> live, Function<Entry, Optional<float[]>> vectors) {
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
    return new SearchIndex(entries, names, PackedVectors.pack(Vectors.of(found)));
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
  public List<List<SearchHit>> search(List<float[]> queries, int[] limits) {
    if (entries.isEmpty()) {
      return queries.stream().map(query -> List.<SearchHit>of()).toList();
    }
    Vectors asked = Vectors.of(queries);
    try (PackedVectors rows = PackedVectors.pack(asked)) {
      Best best =
          AllPairs.between(rows, packed, Float.NEGATIVE_INFINITY, 1, () -> new Best(limits))
              .getFirst();
      return Arrays.stream(best.rows).map(this::hits).toList();
    }
  }

  private List<SearchHit> hits(Top top) {
    return IntStream.range(0, top.size)
        .mapToObj(i -> hit(top.entries[i], top.similarities[i]))
        .toList();
  }

  private SearchHit hit(int index, float similarity) {
    Entry entry = entries.get(index);
    String text = entry.text().content();
    return new SearchHit(
        names.get(index),
        similarity,
        entry.offset(),
        SearchHit.written(entry.timestampMin()),
        text.substring(0, Math.min(SearchHit.MAX_TEXT, text.length())));
  }

  /** The best of each row; of equals those that come first. */
  private static final class Best implements PairSink {
    private final Top[] rows;

    Best(int[] limits) {
      rows = Arrays.stream(limits).mapToObj(Top::new).toArray(Top[]::new);
    }

    /** Hears of entries in rising order, since one thread scans. */
    @Override
    public void accept(int row, int entry, float similarity) {
      Top top = rows[row];
      if (similarity > top.floor) { // most are not
        top.insert(entry, similarity);
      }
    }
  }

  /** Entries in falling order of similarity, as many as are wanted. */
  private static final class Top {
    private final int[] entries;
    private final float[] similarities;
    private int size;

    /** What must be exceeded to get in. */
    private float floor = Float.NEGATIVE_INFINITY;

    Top(int limit) {
      entries = new int[limit];
      similarities = new float[limit];
    }

    void insert(int entry, float similarity) {
      int at = size < entries.length ? size++ : size - 1;
      for (; at > 0 && similarities[at - 1] < similarity; at--) {
        entries[at] = entries[at - 1];
        similarities[at] = similarities[at - 1];
      }
      entries[at] = entry;
      similarities[at] = similarity;
      if (size == entries.length) {
        floor = similarities[size - 1];
      }
    }
  }

  @Override
  public void close() {
    packed.close();
  }
}
