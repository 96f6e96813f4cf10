package dev.helixbg.insight.findings;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.notes.Scope;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** A result for the user. Its id survives compaction, renames of other entries and new runs. */
public sealed interface Finding {
  /**
   * Minimum similarity of two texts about the same matter, for the bundled model. In {@code bench
   * findings}, 88 notes rewrite or overtake another note, and have a similarity of at least 0.452
   * with it. Another 154 notes are on other subjects. For 132 of them, the similarity to the
   * nearest note is below this limit.
   */
  double FAR = 0.45;

  /** Returns a name such as {@code rel-3f9a01c2d4}, derived from content, never from offsets. */
  String id();

  /** Entries with the same text, ordered by offset. All entries except one can be deleted. */
  record Copies(String id, List<NamedEntry> entries) implements Finding {}

  /** Kinds of pairs, by similarity and by whether both entries have the same topic. */
  enum PairKind {
    NEAR_DUPLICATE,
    CROSS_LINK,
    RELATION;

    public static final double NEAR_DUPLICATE_FROM = 0.92;

    private static final double CROSS_LINK_FROM = 0.75;

    /** Returns the kind of a pair whose two whole entries have the cosine {@code similarity}. */
    public static PairKind of(double similarity, boolean oneTopic) {
      if (similarity >= NEAR_DUPLICATE_FROM) {
        return NEAR_DUPLICATE;
      }
      return !oneTopic && similarity >= CROSS_LINK_FROM ? CROSS_LINK : RELATION;
    }

    /** Returns the name as text, such as {@code near-duplicate}. */
    public String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Two entries that may be about the same matter, from the ranked list.
   *
   * @param a the entry with the lower offset
   * @param score score of the whole texts, see {@link RankedRelations}
   * @param similarity cosine of the vectors of the two whole entries
   * @param assessment empty if no pair judge has read the pair
   */
  record Relation(
      String id,
      NamedEntry a,
      NamedEntry b,
      double score,
      double similarity,
      Evidence evidence,
      Optional<Assessment> assessment)
      implements Finding {
    public Relation(
        String id, NamedEntry a, NamedEntry b, double score, double similarity, Evidence evidence) {
      this(id, a, b, score, similarity, evidence, Optional.empty());
    }

    /** Returns the assessed pair. It may not lead a report if {@link Scope#apart} has a reason. */
    public Relation assessed(Assessment said) {
      Assessment given = Scope.apart(a.entry(), b.entry()).map(said::apart).orElse(said);
      return new Relation(id, a, b, score, similarity, evidence, Optional.of(given));
    }

    public PairKind kind() {
      return PairKind.of(similarity, a.topic().equals(b.topic()));
    }

    /** Returns the files of two notes; empty for facts, which can be read without their files. */
    public Optional<Set<String>> files() {
      Set<String> files = new TreeSet<>();
      a.entry().note().ifPresent(files::add);
      b.entry().note().ifPresent(files::add);
      return Optional.of(files).filter(some -> !areFacts() && !some.isEmpty());
    }

    public boolean areFacts() {
      return a.entry().isFact() && b.entry().isFact();
    }

    public NamedEntry older() {
      return a.isOlderThan(b) ? a : b;
    }

    public NamedEntry newer() {
      return a.isOlderThan(b) ? b : a;
    }

    /** Returns the place from which to read an entry of the pair, in UTF-16 units. */
    public int readFrom(NamedEntry entry) {
      return evidence
          .matching()
          .map(match -> entry == a ? match.readFromA() : match.readFromB())
          .orElse(0);
    }

    /** Returns the cosine of the nearest passages, or of the whole entries if they are nearer. */
    public double nearest() {
      return evidence.matching().map(Matching::similarity).orElse(similarity);
    }

    /** Whether even the nearest passages of the two entries are far apart. */
    public boolean isFar() {
      return nearest() < FAR;
    }
  }

  /**
   * The evidence for a relation.
   *
   * @param rankOfB rank of b, from 1, among the ten nearest neighbours of a; 0 if b is not among
   *     them
   * @param rankOfA in the same way, the rank of a among the neighbours of b
   * @param sharedWords the rarest words, identifiers and numbers that both entries contain, as a
   *     spells them. The rarest is first
   * @param newer the later entry; empty if the order is unknown, or if both entries were written in
   *     the same minute
   * @param matching the passages of a and b that are nearest to each other; empty if the whole
   *     entries are nearer to each other than any of their passages
   */
  record Evidence(
      int rankOfB,
      int rankOfA,
      List<String> sharedWords,
      Optional<Side> newer,
      Optional<Matching> matching) {

    public boolean mutualNearest() {
      return rankOfA == 1 && rankOfB == 1;
    }
  }

  /**
   * The matching passages of two entries and their cosine. The entries are shown from the places
   * {@code readFromA} and {@code readFromB}, in UTF-16 units, so that some text before the passages
   * is visible.
   */
  record Matching(Passage a, Passage b, double similarity, int readFromA, int readFromB) {}

  /**
   * A pair judge's assessment of two entries that it has read. The probabilities were calibrated on
   * texts outside its training.
   *
   * @param same probability that both entries state the same fact
   * @param overtaken probability that the older entry is no longer valid as written; 0 for two
   *     facts of unknown order
   * @param related probability that the entries state different things about one subject
   * @param logOdds log odds of <i>same</i> or <i>overtaken</i>. For two facts, they are the log
   *     odds of {@link #act}. For other pairs, they are the log odds that the judge of notes gives,
   *     before calibration
   * @param objection reason why a likely claim is not made, or the difference between two texts of
   *     a series; else empty
   * @param repeats whether one entry contains all words of the other entry. This does not change
   *     the probabilities
   */
  record Assessment(
      double same,
      double overtaken,
      double related,
      double logOdds,
      Tier tier,
      Optional<String> objection,
      boolean repeats) {
    Assessment apart(String why) {
      return new Assessment(
          same, overtaken, related, logOdds, Tier.SERIES, Optional.of(why), repeats);
    }

    /** Returns the probability that one of the two entries can be removed. */
    public double act() {
      return same + overtaken;
    }

    /** Whether the pair is probably worth an act, and its tier allows it to lead the report. */
    public boolean isActLikely() {
      return act() >= 0.5 && mayLead();
    }

    /** Whether the pair judge's opinion suffices for the pair to lead the report. */
    public boolean mayBeWorthAnAct() {
      return isActLikely() || repeats && mayLead();
    }

    /** Whether the tier allows the pair to lead the report, that is, to be in its top section. */
    public boolean mayLead() {
      return tier != Tier.SERIES && tier != Tier.UNKNOWN;
    }
  }

  /** The claim that may be made about a pair that was read; the strongest claim is first. */
  enum Tier {
    /** The entries probably say the same; nine of ten such claims are right. */
    LIKELY_SAME,
    /** The older entry was probably overtaken; nine of ten such claims are right. */
    LIKELY_OVERTAKEN,
    /** The entries are about the same thing. */
    RELATED,
    /**
     * Entries of the same form with different dates, periods, instances, versions or subjects, or
     * entries for different agents, projects or folders.
     */
    SERIES,
    /** No claim: the models cannot read the writing system of an entry. */
    UNKNOWN,
    /** No claim. */
    NONE
  }

  enum Side {
    A,
    B
  }

  /** Two topics about the same thing, sorted by name, with the cosine of their centroids. */
  record TopicOverlap(String id, String a, String b, double similarity, int entriesA, int entriesB)
      implements Finding {
    /** Similarity that the centroids must exceed. */
    public static final double ABOVE = 0.60;
  }

  /**
   * An entry that is nearer to another topic than to its own topic.
   *
   * @param own cosine to the centroid of the other entries of its topic
   * @param other cosine to the centroid of the nearest topic
   */
  record Misfiled(String id, NamedEntry entry, double own, String nearer, double other)
      implements Finding {
    /** Value that {@code other} minus {@code own} must exceed. */
    public static final double MARGIN = 0.15;

    /** Maximum number of misfiled entries in a report. */
    public static final int LISTED = 100;
  }

  /**
   * An outdated file name in an entry, or wrong lines in an index of memory files.
   *
   * @param named name of the file, perhaps with a line number, as the entry writes it; for an
   *     index, the target of the first wrong line
   * @param path path that the file had when the entry was written, from the top of the folder; for
   *     an index, its own path and the numbers of its wrong lines
   * @param now new path of a renamed file; else empty
   * @param since commit of the change; empty for lines of an index
   */
  record MovedSource(
      String id,
      NamedEntry entry,
      SourceChange change,
      String folder,
      String named,
      String path,
      Optional<String> now,
      Optional<Since> since)
      implements Finding {
    /** Returns a sentence that describes the change without the name of the entry. */
    public String words() {
      String when = since.map(one -> one.commit() + " of " + one.date()).orElse("");
      String place = now.map(to -> "; its new path is probably " + QuotedName.of(to)).orElse("");
      return switch (change) {
        case GONE ->
            "%s was removed from %s by commit %s%s"
                .formatted(QuotedName.of(path), QuotedName.of(folder), when, place);
        case LINE_DEAD -> led("is not there");
        case LINE_WRONG -> led("contains none of the words of the line");
      };
    }

    private String led(String where) {
      String form =
          path.contains(", ")
              ? "%1$s: each points to a file that %3$s (the first one points to %2$s)"
              : "%1$s points to %2$s, which %3$s";
      return form.formatted(QuotedName.of(path), QuotedName.of(named), where);
    }
  }

  enum SourceChange {
    /** The file does not exist any more. */
    GONE,
    /** Lines of an index refer to files that do not exist. */
    LINE_DEAD,
    /** Lines of an index refer to existing files, but these files contain no word of the lines. */
    LINE_WRONG;

    /** Returns the name as files contain it, such as {@code line dead}. */
    public String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /** An entry with its secret masked, and the kind of the secret, such as {@code GitHub token}. */
  record Secret(String id, NamedEntry entry, String held) implements Finding {

    public String says() {
      return "its form suggests that it holds a secret: " + held;
    }
  }

  /** The abbreviated id and the date, {@code yyyy-MM-dd}, of the commit that removed a file. */
  record Since(String commit, String date) {}
}
