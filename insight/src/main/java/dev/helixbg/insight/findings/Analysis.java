package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.TopPairs.ScoredPair;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Analyses one KB: computes {@link Findings} from the entries and their vectors.
 *
 * <p>The same input gives the same findings with any number of threads. Findings of equal
 * similarity are ordered by the keys of their entries. Keys are computed from texts, so the order
 * survives a compaction. Offsets decide only between entries with the same text.
 */
public final class Analysis {
  /** Maximum number of topic overlaps; a longer list would not be readable. */
  static final int MAX_TOPIC_OVERLAPS = 1_000;

  private static final int MAX_COPIES = 1_000;

  private final List<NamedEntry> entries;
  private final TopicIndex topics;
  private final FindingIds ids = new FindingIds();

  Analysis(List<NamedEntry> entries, Vectors vectors) {
    this.entries = entries;
    this.topics = TopicIndex.of(entries, vectors);
  }

  /**
   * Returns the findings on a list of entries.
   *
   * @param entries entries, ordered by offset. Some live entries may be missing; {@link
   *     NamedEntry#index} counts the missing entries, too
   * @param vectors unit vectors of the entries, in the same order
   */
  public static Findings run(
      List<NamedEntry> entries, Vectors vectors, PassageVectors passages, int threads) {
    return new IncrementalAnalysis().update(entries, vectors, passages, threads);
  }

  /** Returns the position of each key in the sorted list of keys. Equal keys keep their order. */
  static int[] orderByKey(List<String> keys) {
    int[] order = new int[keys.size()];
    List<Integer> sorted =
        IntStream.range(0, order.length).boxed().sorted(Comparator.comparing(keys::get)).toList();
    for (int position = 0; position < order.length; position++) {
      order[sorted.get(position)] = position;
    }
    return order;
  }

  /** Computes the findings. {@code order} is the result of {@link #orderByKey} for the entries. */
  Findings findings(
      ComparedVectors texts, NearestNeighbours.Both nearest, int[] order, int threads) {
    ExactCopies copies = ExactCopies.of(entries);
    RankedRelations relations =
        new RankedRelations(entries, texts, nearest, copies, order, threads);
    return new Findings(
        entries,
        IntStream.range(0, topics.count())
            .mapToObj(topic -> new Findings.Topic(topics.names().get(topic), topics.sizes()[topic]))
            .toList(),
        copies.groups(entries).stream().limit(MAX_COPIES).map(this::copies).toList(),
        topicOverlaps(topics.centroids(), threads),
        relations.best(2 * Findings.listedRelations(entries.size()), ids));
  }

  private Finding.Copies copies(List<NamedEntry> group) {
    // The id includes the time of the newest copy, because a decision about older copies must not
    // apply to a later copy.
    int newest = group.stream().mapToInt(one -> one.entry().timestampMin()).max().orElse(0);
    return new Finding.Copies(
        ids.of("copies", ExactCopies.text(group.getFirst()), "" + newest), group);
  }

  private List<Finding.TopicOverlap> topicOverlaps(Vectors middles, int threads) {
    TopPairs best = new TopPairs(MAX_TOPIC_OVERLAPS, IntStream.range(0, topics.count()).toArray());
    Set<String> single = foldersOfOneNote();
    PairSink sink =
        (a, b, similarity) -> {
          String one = topics.names().get(a);
          String other = topics.names().get(b);
          if (similarity > Finding.TopicOverlap.ABOVE
              // nested folders have the same subject
              && !NoteName.isWithin(one, other)
              && !NoteName.isWithin(other, one)
              && !(single.contains(one) && single.contains(other))) {
            synchronized (best) {
              best.offer(a, b, similarity);
            }
          }
        };
    try (PackedVectors packedMiddles = PackedVectors.pack(middles)) {
      AllPairs.among(
          packedMiddles, Math.nextDown((float) Finding.TopicOverlap.ABOVE), threads, sink);
    }
    return best.bestFirst().stream().map(this::topicOverlap).toList();
  }

  /**
   * Returns the topics that consist of one note. An overlap of two such topics is not reported,
   * because their notes are already compared as a pair.
   */
  private Set<String> foldersOfOneNote() {
    Map<String, Set<Optional<String>>> files =
        entries.stream()
            .collect(
                Collectors.groupingBy(
                    NamedEntry::topic,
                    Collectors.mapping(one -> one.entry().note(), Collectors.toSet())));
    files.values().removeIf(of -> of.size() > 1 || of.contains(Optional.empty()));
    return files.keySet();
  }

  private Finding.TopicOverlap topicOverlap(ScoredPair pair) {
    String a = topics.names().get(pair.a());
    String b = topics.names().get(pair.b());
    return new Finding.TopicOverlap(
        ids.ofPair("topic", a, b),
        a,
        b,
        pair.similarity(),
        topics.sizes()[pair.a()],
        topics.sizes()[pair.b()]);
  }
}
