package dev.helixbg.insight.findings;

import dev.helixbg.insight.findings.MisfiledEntries.Misplaced;
import dev.helixbg.insight.findings.TopPairs.ScoredPair;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Analyses one KB: computes {@link Findings} from the entries and their vectors.
 *
 * <p>The same input gives the same findings with any number of threads. Findings of equal
 * similarity are ordered by the keys of their entries, then by offset. Keys are computed from
 * texts, so the order survives a compaction. Offsets decide only between entries with the same
 * text.
 */
public final class Analysis {
  /** Maximum number of topic overlaps; a longer list would not be readable. */
  static final int MAX_TOPIC_OVERLAPS = 1_000;

  private static final int MAX_COPIES = 1_000;

  private final List<NamedEntry> entries;
  private final Vectors vectors;
  private final PackedVectors packed;
  private final ComparedVectors texts;
  private final NearestNeighbours.Both nearest;
  private final TopicIndex topics;
  private final ExactCopies copies;
  private final int threads;

  /** Position that each entry has when all entries are ordered by key, then by offset. */
  private final int[] order;

  private final FindingIds ids = new FindingIds();

  Analysis(
      List<NamedEntry> entries,
      Vectors vectors,
      PackedVectors packed,
      ComparedVectors texts,
      NearestNeighbours.Both nearest,
      int threads) {
    this.vectors = vectors;
    this.packed = packed;
    this.texts = texts;
    this.nearest = nearest;
    this.threads = threads;
    this.topics = TopicIndex.of(entries);
    this.entries = entries;
    this.copies = ExactCopies.of(entries);
    this.order = orderByKey(keys(entries));
  }

  /**
   * @param entries entries, ordered by offset. Some live entries may be missing from the list, but
   *     the index of an entry in its topic also counts the missing entries. Keys have 32 lower-case
   *     hex digits
   * @param vectors unit vectors of the entries, in the same order
   */
  public static Findings run(
      List<NamedEntry> entries, Vectors vectors, PassageVectors passages, int threads) {
    return new IncrementalAnalysis().update(entries, vectors, passages, threads);
  }

  static List<String> keys(List<NamedEntry> entries) {
    return entries.stream().map(NamedEntry::key).toList();
  }

  /**
   * Returns the position that each entry has when all entries are ordered by key, then by their
   * places in the list.
   */
  static int[] orderByKey(List<String> keys) {
    int[] order = new int[keys.size()];
    List<Integer> sorted =
        IntStream.range(0, order.length).boxed().sorted(Comparator.comparing(keys::get)).toList();
    for (int position = 0; position < order.length; position++) {
      order[sorted.get(position)] = position;
    }
    return order;
  }

  Findings findings() {
    TopicCentroids centroids = new TopicCentroids(vectors, topics);
    Vectors middles = centroids.normalised();
    List<Misplaced> misplaced =
        MisfiledEntries.find(
            packed,
            centroids,
            middles,
            topics,
            nearest.own(),
            order,
            Finding.Misfiled.MARGIN,
            threads);
    misplaced.removeIf(one -> entries.get(one.entry()).entry().isFact());
    RankedRelations relations =
        new RankedRelations(entries, texts, nearest, copies, order, threads);
    return new Findings(
        entries,
        topics(),
        copies(),
        topicOverlaps(middles),
        misplaced.stream().map(this::misfiled).toList(),
        relations.best(2 * Findings.listedRelations(entries.size()), ids));
  }

  private List<Finding.Copies> copies() {
    return copies.groups(entries).stream()
        .limit(MAX_COPIES)
        .map(
            group ->
                new Finding.Copies(
                    ids.of(
                        FindingIds.COPIES, ExactCopies.text(group.getFirst()), "" + newest(group)),
                    group))
        .toList();
  }

  /**
   * Returns the time of the newest copy. The id of the finding includes this time, because a
   * decision about older copies must not apply to a later copy.
   */
  private static int newest(List<NamedEntry> copies) {
    return copies.stream().mapToInt(one -> one.entry().timestampMin()).max().orElse(0);
  }

  private List<Findings.Topic> topics() {
    return IntStream.range(0, topics.count())
        .mapToObj(topic -> new Findings.Topic(topics.names().get(topic), topics.sizes()[topic]))
        .toList();
  }

  private List<Finding.TopicOverlap> topicOverlaps(Vectors middles) {
    TopPairs best = new TopPairs(MAX_TOPIC_OVERLAPS, IntStream.range(0, topics.count()).toArray());
    BitSet single = foldersOfOneNote();
    PairSink sink =
        (a, b, similarity) -> {
          if (similarity > Finding.TopicOverlap.ABOVE
              && areApart(a, b)
              && !(single.get(a) && single.get(b))) {
            synchronized (best) {
              best.offer(a, b, similarity);
            }
          }
        };
    try (PackedVectors packedMiddles = PackedVectors.pack(middles)) {
      AllPairs.among(
          packedMiddles, Math.nextDown((float) Finding.TopicOverlap.ABOVE), threads, () -> sink);
    }
    return best.bestFirst().stream().map(this::topicOverlap).toList();
  }

  /**
   * Whether neither of two topics is a folder inside the other. Nested folders have the same
   * subject.
   */
  private boolean areApart(int a, int b) {
    String one = topics.names().get(a);
    String other = topics.names().get(b);
    return !NoteName.isWithin(one, other) && !NoteName.isWithin(other, one);
  }

  /**
   * Returns the topics that have only one note. Two such topics are not reported as an overlap,
   * because their notes are compared as a pair.
   */
  private BitSet foldersOfOneNote() {
    List<Set<Optional<String>>> files =
        IntStream.range(0, topics.count())
            .<Set<Optional<String>>>mapToObj(_ -> new HashSet<>())
            .toList();
    for (int i = 0; i < entries.size(); i++) {
      files.get(topics.topicOf()[i]).add(entries.get(i).entry().note());
    }
    return IntStream.range(0, files.size())
        .filter(i -> files.get(i).size() == 1 && !files.get(i).contains(Optional.empty()))
        .collect(BitSet::new, BitSet::set, BitSet::or);
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

  private Finding.Misfiled misfiled(Misplaced misplaced) {
    NamedEntry entry = entries.get(misplaced.entry());
    String nearer = topics.names().get(misplaced.nearer());
    return new Finding.Misfiled(
        ids.of("misfiled", entry.key(), nearer), entry, misplaced.own(), nearer, misplaced.other());
  }
}
