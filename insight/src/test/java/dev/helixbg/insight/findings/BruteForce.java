package dev.helixbg.insight.findings;

import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.terms.TermVectors;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A slow analysis by the same rules: it computes all pairs, and takes no shortcut. */
final class BruteForce {
  private record Scored(int a, int b, float similarity) {}

  /** The similarities of all pairs of entries by one measure, and the ten nearest of each entry. */
  private final class Nearness {
    private final float[][] of = new float[named.size()][named.size()];
    private final List<List<Integer>> nearest = new ArrayList<>();

    void set(Scored pair, float similarity) {
      of[pair.a][pair.b] = similarity;
      of[pair.b][pair.a] = similarity;
    }

    /** Finds the ten nearest entries of each entry whose similarity is above {@code than}. */
    void rank(float than) {
      for (float[] similarities : of) {
        int entry = nearest.size();
        nearest.add(
            IntStream.range(0, named.size())
                .filter(other -> other != entry && similarities[other] > than)
                .boxed()
                .sorted(
                    Comparator.comparing((Integer other) -> similarities[other])
                        .reversed()
                        .thenComparing(BruteForce.this::place))
                .limit(10)
                .toList());
      }
    }

    boolean lists(int a, int b) {
      return nearest.get(a).contains(b) || nearest.get(b).contains(a);
    }

    /** Returns a similarity minus the mean similarity of both entries to their nearest entries. */
    double above(int a, int b) {
      return of[a][b] - (mean(a) + mean(b)) / 2;
    }

    private double mean(int entry) {
      double sum = 0;
      for (int other : nearest.get(entry)) {
        sum += of[entry][other];
      }
      return sum / Math.min(10, named.size() - 1);
    }
  }

  private final Corpus corpus;
  private final List<NamedEntry> named;
  private final List<Scored> pairs = new ArrayList<>();
  private final Nearness nearOwn;
  private final TreeMap<String, List<Integer>> topics = new TreeMap<>();
  private final TreeMap<String, float[]> middles = new TreeMap<>();
  private final FindingIds ids = new FindingIds();

  private BruteForce(Corpus corpus) {
    this.corpus = corpus;
    this.named = corpus.named();
    for (int j = 0; j < named.size(); j++) {
      topics.computeIfAbsent(topic(j), name -> new ArrayList<>()).add(j);
      for (int i = 0; i < j; i++) {
        pairs.add(new Scored(i, j, dot(corpus.vectors.get(i), corpus.vectors.get(j))));
      }
    }
    nearOwn = new Nearness();
    pairs.forEach(pair -> nearOwn.set(pair, pair.similarity));
    nearOwn.rank(-2);
    topics.forEach((name, members) -> middles.put(name, toFloats(mean(members))));
  }

  static Findings of(Corpus corpus) {
    return new BruteForce(corpus).findings();
  }

  static float dot(float[] a, float[] b) {
    float sum = 0;
    for (int k = 0; k < a.length; k++) {
      sum = Math.fma(a[k], b[k], sum);
    }
    return sum;
  }

  private String topic(int entry) {
    return named.get(entry).entry().topic();
  }

  private String place(int entry) {
    return named.get(entry).key() + "%012d".formatted(named.get(entry).entry().offset());
  }

  private double[] mean(List<Integer> members) {
    double[] sum = new double[corpus.vectors.getFirst().length];
    for (int member : members) {
      for (int k = 0; k < sum.length; k++) {
        sum[k] += corpus.vectors.get(member)[k];
      }
    }
    double length = length(sum);
    for (int k = 0; k < sum.length && length > 0; k++) {
      sum[k] /= length;
    }
    return sum;
  }

  private static double length(double[] values) {
    double squares = 0;
    for (double value : values) {
      squares += value * value;
    }
    return Math.sqrt(squares);
  }

  private static float[] toFloats(double[] values) {
    float[] floats = new float[values.length];
    for (int k = 0; k < values.length; k++) {
      floats[k] = (float) values[k];
    }
    return floats;
  }

  private Findings findings() {
    return new Findings(
        named,
        topics.entrySet().stream()
            .map(t -> new Findings.Topic(t.getKey(), t.getValue().size()))
            .toList(),
        copies(),
        overlaps(),
        relations());
  }

  private String text(int entry) {
    return named.get(entry).entry().text().content().strip();
  }

  /** Whether both entries are originals: no entry earlier in the order has the same text. */
  private boolean isOriginal(Scored pair) {
    return Stream.of(pair.a, pair.b)
        .noneMatch(
            one ->
                !text(one).isEmpty()
                    && IntStream.range(0, named.size())
                        .anyMatch(
                            other ->
                                text(other).equals(text(one))
                                    && place(other).compareTo(place(one)) < 0));
  }

  private List<Finding.Copies> copies() {
    Map<String, List<NamedEntry>> groups = new LinkedHashMap<>();
    for (int i = 0; i < named.size(); i++) {
      groups.computeIfAbsent(text(i), text -> new ArrayList<>()).add(named.get(i));
    }
    return groups.entrySet().stream()
        .filter(group -> group.getValue().size() > 1 && !group.getKey().isEmpty())
        .sorted(Comparator.comparingInt(group -> -group.getValue().size()))
        .map(group -> new Finding.Copies(ids.of("copies", group.getKey()), group.getValue()))
        .toList();
  }

  private List<Finding.Relation> relations() {
    int count = named.size();
    TermVectors terms = corpus.termVectors();
    Nearness near = new Nearness();
    Nearness alike = new Nearness();
    Nearness alikeOwn = new Nearness();
    int[][] matches = new int[count * count][];
    for (Scored pair : pairs) {
      int[] match = {pair.a, pair.b};
      float nearest = pair.similarity;
      float alikest = terms.similarity(pair.a, pair.b);
      alikeOwn.set(pair, alikest);
      for (int one : textsOf(pair.a)) {
        for (int other : textsOf(pair.b)) {
          float similarity = dot(vector(one), vector(other));
          match = similarity > nearest ? new int[] {one, other} : match;
          nearest = Math.max(nearest, similarity);
          alikest = Math.max(alikest, terms.similarity(one, other));
        }
      }
      matches[pair.a * count + pair.b] = match;
      near.set(pair, nearest);
      alike.set(pair, alikest);
    }
    near.rank(-2);
    alike.rank(0);
    alikeOwn.rank(0);
    Map<Scored, Double> own = new HashMap<>();
    List<Scored> scored = new ArrayList<>();
    for (Scored pair : pairs) {
      int a = pair.a;
      int b = pair.b;
      if (isOriginal(pair)
          && Stream.of(near, alike, nearOwn, alikeOwn).anyMatch(one -> one.lists(a, b))) {
        double whole = nearOwn.above(a, b) + 0.3 * alikeOwn.above(a, b);
        double passages = near.above(a, b) + 0.3 * alike.above(a, b) - 0.03;
        boolean any = !corpus.owners.isEmpty();
        Scored one = new Scored(a, b, (float) (any ? Math.max(whole, passages) : whole));
        scored.add(one);
        own.put(one, whole);
      }
    }
    scored.sort(
        Comparator.comparing(Scored::similarity)
            .reversed()
            .thenComparing(p -> lower(p, 0))
            .thenComparing(p -> lower(p, 1)));
    return scored.stream()
        .limit(2L * Math.max(200, (count + 1) / 2))
        .map(
            p ->
                new Finding.Relation(
                    ids.ofPair("rel", named.get(p.a).key(), named.get(p.b).key()),
                    named.get(p.a),
                    named.get(p.b),
                    own.get(p).floatValue(),
                    dot(corpus.vectors.get(p.a), corpus.vectors.get(p.b)),
                    new Finding.Evidence(
                        1 + near.nearest.get(p.a).indexOf(p.b),
                        1 + near.nearest.get(p.b).indexOf(p.a),
                        List.of(),
                        Optional.empty(),
                        matching(matches[p.a * count + p.b], near.of[p.a][p.b]))))
        .toList();
  }

  /** Returns the numbers of an entry and of its passages among all texts. */
  private List<Integer> textsOf(int entry) {
    List<Integer> texts = new ArrayList<>(List.of(entry));
    for (int i = 0; i < corpus.owners.size(); i++) {
      if (corpus.owners.get(i) == entry) {
        texts.add(named.size() + i);
      }
    }
    return texts;
  }

  private float[] vector(int text) {
    return text < named.size()
        ? corpus.vectors.get(text)
        : corpus.passageVectors.get(text - named.size());
  }

  private Optional<Finding.Matching> matching(int[] match, double similarity) {
    int count = named.size();
    return match[0] < count && match[1] < count
        ? Optional.empty()
        : Optional.of(
            new Finding.Matching(
                passage(match[0]),
                passage(match[1]),
                similarity,
                readFrom(match[0]),
                readFrom(match[1])));
  }

  /** Returns the start of the passage before a text's passage, or of the entry's first passage. */
  private int readFrom(int text) {
    int count = named.size();
    if (text < count) {
      return 0;
    }
    List<Integer> texts = textsOf(corpus.owners.get(text - count));
    return corpus.passages.get(texts.get(Math.max(1, texts.indexOf(text) - 1)) - count).start();
  }

  private Passage passage(int text) {
    int count = named.size();
    return text >= count
        ? corpus.passages.get(text - count)
        : new Passage(
            0,
            textsOf(text).size() > 1
                ? corpus.passages.get(textsOf(text).get(1) - count).start()
                : named.get(text).entry().text().content().length());
  }

  private String lower(Scored pair, int which) {
    return Stream.of(place(pair.a), place(pair.b)).sorted().toList().get(which);
  }

  private List<Finding.TopicOverlap> overlaps() {
    List<Finding.TopicOverlap> overlaps = new ArrayList<>();
    for (String a : topics.keySet()) {
      for (String b : topics.tailMap(a, false).keySet()) {
        float similarity = dot(middles.get(a), middles.get(b));
        if (similarity > Finding.TopicOverlap.ABOVE) {
          String id = ids.ofPair("topic", a, b);
          int sizeOfA = topics.get(a).size();
          int sizeOfB = topics.get(b).size();
          overlaps.add(new Finding.TopicOverlap(id, a, b, similarity, sizeOfA, sizeOfB));
        }
      }
    }
    overlaps.sort(Comparator.comparing(Finding.TopicOverlap::similarity).reversed());
    return overlaps;
  }
}
