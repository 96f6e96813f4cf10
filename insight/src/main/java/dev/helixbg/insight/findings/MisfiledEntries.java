package dev.helixbg.insight.findings;

import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Finds entries that are nearer to another topic than to their own. */
final class MisfiledEntries {
  /**
   * Minimum number of other entries in an entry's topic; nearness to a single entry may be chance.
   */
  private static final int MIN_OTHERS = 2;

  /** Minimum number of entries in the other topic. */
  private static final int MIN_ENTRIES = 3;

  /** A {@link Finding.Misfiled} with indices instead of the entry and the nearer topic. */
  record Misplaced(int entry, double own, int nearer, double other) {
    double margin() {
      return other - own;
    }
  }

  private MisfiledEntries() {}

  /**
   * Finds all misfiled entries, ordered by the difference between their cosines to the nearer topic
   * and to their own topic. The largest difference is first.
   *
   * @param neighbours neighbours of each entry. For a misfiled entry, neighbours in the nearer
   *     topic must have a larger sum of similarities than neighbours in its own topic. The
   *     centroids alone do not suffice, because most entries are far from the centre of a large,
   *     mixed topic
   * @param order result of {@link Analysis#orderByKey}, which decides between findings with equal
   *     differences of the two cosines
   * @param margin difference of the two cosines that a misfiled entry must exceed
   */
  static List<Misplaced> find(
      PackedVectors entries,
      TopicIndex topics,
      NearestNeighbours neighbours,
      int[] order,
      double margin,
      int threads) {
    int[] candidates =
        IntStream.range(0, topics.count()).filter(t -> topics.sizes()[t] >= MIN_ENTRIES).toArray();
    int[] topicOf = topics.topicOf();
    NearestNeighbours nearest =
        // of topics with equal cosines, the first by name counts as nearest
        new NearestNeighbours(IntStream.range(0, entries.count()).toArray(), 1);
    PairSink sink =
        (candidate, entry, cosine) -> {
          if (candidates[candidate] != topicOf[entry]) {
            nearest.offer(entry, candidates[candidate], cosine);
          }
        };
    try (PackedVectors rows = PackedVectors.pack(topics.centroids().select(candidates))) {
      AllPairs.between(rows, entries, Float.NEGATIVE_INFINITY, threads, sink);
    }
    List<Misplaced> found = new ArrayList<>();
    for (int entry = 0; entry < entries.count(); entry++) {
      int nearer = nearest.neighbour(entry, 0);
      if (nearer != NearestNeighbours.NONE && topics.sizes()[topicOf[entry]] > MIN_OTHERS) {
        Misplaced misplaced =
            new Misplaced(entry, topics.withoutItself(entry), nearer, nearest.similarity(entry, 0));
        if (misplaced.margin() > margin && isAmong(neighbours, misplaced, topicOf)) {
          found.add(misplaced);
        }
      }
    }
    found.sort(
        Comparator.comparingDouble(Misplaced::margin)
            .reversed()
            .thenComparingInt(misplaced -> order[misplaced.entry()]));
    return found;
  }

  private static boolean isAmong(NearestNeighbours neighbours, Misplaced misplaced, int[] topicOf) {
    double nearer = 0;
    for (int place = 0; place < NearestNeighbours.LENGTH; place++) {
      int other = neighbours.neighbour(misplaced.entry(), place);
      if (other != NearestNeighbours.NONE) {
        double weight = Math.max(0, neighbours.similarity(misplaced.entry(), place));
        nearer += topicOf[other] == misplaced.nearer() ? weight : 0;
        nearer -= topicOf[other] == topicOf[misplaced.entry()] ? weight : 0;
      }
    }
    return nearer > 0;
  }
}
