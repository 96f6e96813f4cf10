package dev.helixbg.insight.findings;

import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.insight.findings.TopPairs.ScoredPair;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Script;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.terms.TermVectors;
import dev.helixbg.insight.terms.Terms;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/**
 * The ranked list of the pairs of entries that are most likely about the same matter, in the same
 * or different topics.
 *
 * <p>The score of a pair is {@code CSLS(cosine of vectors) + 0.3 · CSLS(cosine of TF-IDF)}, where
 * {@code CSLS(s) = s − (m(a) + m(b)) / 2}. Here s is a cosine of the entries a and b, and m is the
 * mean of an entry's ten highest cosines (cross-domain similarity local scaling: Conneau et al.
 * 2018, "Word Translation Without Parallel Data"). The score shows whether two entries are nearer
 * to each other than to their other neighbours. An entry that is near to all entries, or to its
 * whole topic, has no advantage.
 *
 * <p>The score is computed from the whole texts of the entries. It is computed again from the most
 * similar passages of the two entries, minus a discount. The higher score counts. The discount is
 * needed because two notes often share passages, such as sample output, that say nothing about the
 * notes.
 *
 * <p>Candidates are the pairs of an entry and one of its ten nearest neighbours. Neighbours are
 * found by vectors and by terms, with and without passages. Pairs with a declared link ({@code
 * [links: …]}), exact copies, sections of one file and neighbouring facts are left out.
 */
final class RankedRelations {
  /**
   * Weight of the cosine of TF-IDF. It was chosen on notes that do not belong to this project.
   * Weights from 0.2 to 0.5 give nearly the same ranking.
   */
  private static final double TERM_WEIGHT = 0.3;

  /**
   * Discount on a score that is computed from passages. In {@code bench findings}, some notes
   * rewrite a late part of a long note. With a larger discount, some of these rewrites would rank
   * below place n/2, where n is the number of notes.
   */
  private static final double PASSAGE_DISCOUNT = 0.03;

  private static final int SHARED_WORDS = 6;

  private final List<NamedEntry> entries;
  private final ComparedVectors texts;
  private final NearestNeighbours.Both byVector;
  private final ExactCopies copies;

  /**
   * For each entry, whether the model cannot read its text. The vectors of such texts are similar
   * even if the texts are not.
   */
  private final boolean[] unreadable;

  /** Pairs in which one entry links to the other. A copy is represented by its original. */
  private final Set<Long> declared;

  private final TermVectors terms;
  private final NearestNeighbours.Both byTerms;
  private final int[] order;
  private final int threads;

  RankedRelations(
      List<NamedEntry> entries,
      ComparedVectors texts,
      NearestNeighbours.Both byVector,
      ExactCopies copies,
      int[] order,
      int threads) {
    this.entries = entries;
    this.texts = texts;
    this.byVector = byVector;
    this.copies = copies;
    this.unreadable = new boolean[entries.size()];
    for (int i = 0; i < unreadable.length; i++) {
      unreadable[i] = Script.isUnreadable(entries.get(i).content());
    }
    this.declared = declared();
    this.order = order;
    this.threads = threads;
    int[] owners = texts.owners();
    this.terms =
        TermVectors.of(
            owners.length,
            i -> texts.text(i, entries.get(owners[i]).entry()),
            entries.size(),
            threads);
    this.byTerms = NearestNeighbours.Both.of(terms, texts, order, threads);
  }

  List<Finding.Relation> best(int max, FindingIds ids) {
    long[] possible = candidates().filter(this::mayBeListed).toArray();
    float[] scores = new float[possible.length];
    ParallelLoop.runToTheEnd(
        "relations",
        threads,
        possible.length,
        i -> scores[i] = (float) score((int) (possible[i] >>> 32), (int) possible[i]));
    TopPairs best = new TopPairs(max, order);
    for (int i = 0; i < scores.length; i++) {
      best.offer((int) (possible[i] >>> 32), (int) possible[i], scores[i]);
    }
    List<ScoredPair> listed = best.bestFirst();
    // Ids are made in the order of the list, because pairs with the same content get numbered ids.
    List<String> named =
        listed.stream()
            .map(one -> ids.ofPair("rel", entries.get(one.a()).key(), entries.get(one.b()).key()))
            .toList();
    return ParallelLoop.map(
        "relations", threads, listed.size(), i -> relation(listed.get(i), named.get(i)));
  }

  private boolean mayBeListed(long pair) {
    int a = (int) (pair >>> 32);
    int b = (int) pair;
    Entry one = entries.get(a).entry();
    Entry other = entries.get(b).entry();
    return !copies.isCopy(a)
        && !copies.isCopy(b)
        && copies.mayBeRelated(entries, a, b)
        && !declared.contains(pair)
        && !NoteName.areSectionsOfOneFile(one, other)
        && !FactOrder.areNeighbours(one, other);
  }

  private Set<Long> declared() {
    Map<EntryText.Link, Integer> places = HashMap.newHashMap(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      places.put(entries.get(i).link(), i);
    }
    Set<Long> declared = new HashSet<>();
    for (int i = 0; i < entries.size(); i++) {
      for (EntryText.Link link : entries.get(i).text().links()) {
        Integer other = places.get(link);
        if (other != null) {
          declared.add(pair(copies.originals()[i], copies.originals()[other]));
        }
      }
    }
    return declared;
  }

  /** Returns two indices as one number. The order of the indices does not matter. */
  private static long pair(int a, int b) {
    return (long) Math.min(a, b) << 32 | Math.max(a, b);
  }

  private double score(int a, int b) {
    double own = ownScore(a, b);
    if (byVector.areOne()) {
      return own;
    }
    float cosine = nearest(byVector.all(), a, b, texts::cosines);
    float ofTerms = nearest(byTerms.all(), a, b, this::termSimilarities);
    double nearest = score(byVector.all(), byTerms.all(), a, b, cosine, ofTerms);
    return Math.max(own, nearest - PASSAGE_DISCOUNT);
  }

  private double ownScore(int a, int b) {
    return score(byVector.own(), byTerms.own(), a, b, cosine(a, b), terms.similarity(a, b));
  }

  private double score(
      NearestNeighbours vectors,
      NearestNeighbours words,
      int a,
      int b,
      float cosine,
      float ofTerms) {
    return (unreadable[a] || unreadable[b] ? 0 : csls(vectors, a, b, cosine))
        + TERM_WEIGHT * csls(words, a, b, ofTerms);
  }

  private static double csls(NearestNeighbours lists, int a, int b, float similarity) {
    return similarity - (lists.mean(a) + lists.mean(b)) / 2;
  }

  /**
   * Returns the highest similarity of a text of entry a to a text of entry b. It is read from
   * {@code lists}, or computed if it is not there.
   */
  private float nearest(NearestNeighbours lists, int a, int b, ComparedVectors.Measure measure) {
    int place = lists.place(a, b);
    if (place != NearestNeighbours.NONE) {
      return lists.similarity(a, place);
    }
    place = lists.place(b, a);
    return place != NearestNeighbours.NONE
        ? lists.similarity(b, place)
        : texts.best(a, b, measure).similarity();
  }

  private void termSimilarities(int a, int from, float[] similarities, int count) {
    for (int i = 0; i < count; i++) {
      similarities[i] = terms.similarity(a, from + i);
    }
  }

  private float cosine(int a, int b) {
    float[] one = new float[1];
    texts.cosines(a, b, one, 1);
    return one[0];
  }

  private LongStream candidates() {
    LongStream.Builder pairs = LongStream.builder();
    Set<NearestNeighbours> all =
        new HashSet<>(List.of(byVector.all(), byTerms.all(), byVector.own(), byTerms.own()));
    for (NearestNeighbours lists : all) {
      for (int entry = 0; entry < entries.size(); entry++) {
        for (int place = 0; place < NearestNeighbours.LENGTH; place++) {
          int other = lists.neighbour(entry, place);
          if (other != NearestNeighbours.NONE) {
            pairs.add(pair(entry, other));
          }
        }
      }
    }
    return pairs.build().sorted().distinct();
  }

  private Finding.Relation relation(ScoredPair pair, String id) {
    int a = pair.a();
    int b = pair.b();
    NamedEntry first = entries.get(a);
    NamedEntry second = entries.get(b);
    ComparedVectors.Match match = texts.best(a, b, texts::cosines);
    return new Finding.Relation(
        id,
        first,
        second,
        (float) ownScore(a, b),
        cosine(a, b),
        new Finding.Evidence(
            1 + byVector.all().place(a, b),
            1 + byVector.all().place(b, a),
            sharedWords(a, b),
            newer(first, second),
            matching(match, first.entry(), second.entry())));
  }

  /** Returns the passages of {@code match}; empty if it matches the two whole entries. */
  private Optional<Finding.Matching> matching(ComparedVectors.Match match, Entry a, Entry b) {
    return match.a() < texts.entries() && match.b() < texts.entries()
        ? Optional.empty()
        : Optional.of(
            new Finding.Matching(
                texts.passage(match.a(), a),
                texts.passage(match.b(), b),
                match.similarity(),
                texts.viewStart(match.a()),
                texts.viewStart(match.b())));
  }

  /**
   * Returns the rare words that both entries contain. A part of another word, such as {@code 1412}
   * of {@code PAY-1412}, is left out.
   */
  private List<String> sharedWords(int a, int b) {
    Terms written = Terms.of(entries.get(a).entry().embeddedText());
    List<String> shared = new ArrayList<>();
    List<String> spelled = new ArrayList<>();
    for (String term : terms.shared(a, b)) {
      boolean isPart = shared.stream().anyMatch(other -> other.contains(term));
      if (!isPart && shared.size() < SHARED_WORDS) {
        shared.add(term);
        spelled.add(written.spellings().get(term));
      }
    }
    return List.copyOf(spelled);
  }

  /**
   * Returns the newer entry. The order of entries of helix is known only if their times differ. For
   * notes, {@link FactOrder} may know the order, too.
   */
  private static Optional<Finding.Side> newer(NamedEntry a, NamedEntry b) {
    boolean known =
        FactOrder.areDated(a.entry(), b.entry()) || a.entry().note().isPresent() && a.isAgeKnown(b);
    return known
        ? Optional.of(a.isOlderThan(b) ? Finding.Side.B : Finding.Side.A)
        : Optional.empty();
  }
}
