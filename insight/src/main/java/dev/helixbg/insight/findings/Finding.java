package dev.helixbg.insight.findings;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.notes.Scope;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A result of an analysis that the user sees, such as two similar entries. Its id stays the same
 * when helix compacts the log, when other entries are renamed, and in later runs.
 */
public sealed interface Finding {
  /**
   * Minimum cosine of two texts about the same matter, for vectors of the bundled model. In the
   * benchmark {@code bench findings}, 88 notes rewrite or overtake another note. Each of them has a
   * cosine of at least 0.452 with that other note. Another 154 notes are about subjects that the KB
   * lacks. For 132 of them, the cosine with the nearest note of the KB is below this limit.
   */
  double FAR = 0.45;

  /** Returns an id such as {@code rel-3f9a01c2d4}, a hash of texts or of topic names. */
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

    /** Returns the kind of a pair; {@code similarity} is the cosine of the two whole entries. */
    public static PairKind of(double similarity, boolean oneTopic) {
      if (similarity >= NEAR_DUPLICATE_FROM) {
        return NEAR_DUPLICATE;
      }
      return !oneTopic && similarity >= CROSS_LINK_FROM ? CROSS_LINK : RELATION;
    }

    /** Returns the name of the kind as users see it, such as {@code near-duplicate}. */
    public String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Two entries that may be about the same matter. {@link RankedRelations} finds and ranks them.
   *
   * @param a the entry with the lower offset
   * @param score score of the two whole texts, by the formula of {@link RankedRelations}
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

    /**
     * Returns this relation with an assessment. If {@link Scope#apart} gives a reason why both
     * entries are needed, the relation gets the tier {@link Tier#SERIES} and cannot be in the top
     * section of a report.
     */
    public Relation assessed(Assessment said) {
      Assessment given = Scope.apart(a.entry(), b.entry()).map(said::apart).orElse(said);
      return new Relation(id, a, b, score, similarity, evidence, Optional.of(given));
    }

    public PairKind kind() {
      return PairKind.of(similarity, a.topic().equals(b.topic()));
    }

    /** Returns the files of the two notes; empty for two facts, and for entries of helix. */
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

    /**
     * Returns the position in an entry's text, in UTF-16 units, from which to read the entry:
     * shortly before its matching passage, or 0 if no passages match.
     */
    public int readFrom(NamedEntry entry) {
      return evidence
          .matching()
          .map(match -> entry == a ? match.readFromA() : match.readFromB())
          .orElse(0);
    }

    /**
     * Returns the cosine of the matching passages. If no passages match, returns the cosine of the
     * whole entries.
     */
    public double nearest() {
      return evidence.matching().map(Matching::similarity).orElse(similarity);
    }

    /** Whether even the nearest passages of the two entries have a cosine below {@link #FAR}. */
    public boolean isFar() {
      return nearest() < FAR;
    }
  }

  /**
   * What shows that two entries, a and b, may be about the same matter.
   *
   * @param rankOfB rank of b, from 1, among the ten nearest neighbours of a; 0 if b is not among
   *     them
   * @param rankOfA rank of a among the neighbours of b, in the same way
   * @param sharedWords the rarest words, identifiers and numbers that both entries contain, the
   *     rarest first, in the spelling of entry a
   * @param newer the entry that was written later; empty if the order is unknown, or if both
   *     entries were written in the same minute
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
   * The matching passages of two entries and the cosine of the passages. The entries are read from
   * the positions {@code readFromA} and {@code readFromB}, in UTF-16 units, which are shortly
   * before the passages.
   */
  record Matching(Passage a, Passage b, double similarity, int readFromA, int readFromB) {}

  /**
   * A pair judge's assessment of two entries that it has read. The probabilities were calibrated on
   * texts that were not used to train the judge.
   *
   * @param same probability that both entries state the same fact
   * @param overtaken probability that the older entry is no longer valid as written; 0 for two
   *     facts of unknown order
   * @param related probability that the two entries state different things about one subject
   * @param logOdds log odds that one of the entries can be removed. For two facts, they are
   *     computed from {@link #act}. For other pairs, they come from the judge of notes, before
   *     calibration
   * @param objection reason against a claim that would otherwise be made, or the difference between
   *     two texts of a {@link Tier#SERIES}; else empty
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

    /** Whether one entry can probably be removed, and {@link #mayLead} is true. */
    public boolean isActLikely() {
      return act() >= 0.5 && mayLead();
    }

    /**
     * Whether {@link #mayLead} is true, and one entry can probably be removed or contains all words
     * of the other entry.
     */
    public boolean mayBeWorthAnAct() {
      return isActLikely() || repeats && mayLead();
    }

    /** Whether the tier allows the pair to lead the report, that is, to be in its top section. */
    public boolean mayLead() {
      return tier != Tier.SERIES && tier != Tier.UNKNOWN;
    }
  }

  /** What a report claims about a pair that a pair judge has read; the strongest claim is first. */
  enum Tier {
    /** The entries probably say the same; nine of ten such claims are right. */
    LIKELY_SAME,
    /** The older entry was probably overtaken; nine of ten such claims are right. */
    LIKELY_OVERTAKEN,
    /** The entries are about the same thing. */
    RELATED,
    /**
     * The entries have the same form, but different dates, periods, instances, versions or
     * subjects, or they are for different agents, projects or folders.
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

  /**
   * Two topics that seem to be about the same thing: {@code a} is the first by name, and {@code
   * similarity} is the cosine of the topics' centroids.
   */
  record TopicOverlap(String id, String a, String b, double similarity, int entriesA, int entriesB)
      implements Finding {
    /** Cosine that the centroids of two topics must exceed. */
    public static final double ABOVE = 0.60;
  }

  /**
   * An outdated file name in an entry, or wrong lines in an index of memory files.
   *
   * @param named name of the file, perhaps with a line number, as the entry writes it; for an
   *     index, the target of the first wrong line
   * @param path path of the file when the entry was written, relative to {@code folder}; for an
   *     index, the path of the index and the numbers of its wrong lines
   * @param now new path of a renamed file; else empty
   * @param since commit that removed the file; empty for lines of an index
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
    /**
     * Returns a sentence that says what happened to the file, or what is wrong with the lines. The
     * sentence does not name the entry.
     */
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
              ? "%1$s: each line points to a file that %3$s (the first line points to %2$s)"
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

    /** Returns the name as report files contain it, such as {@code line dead}. */
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
