package dev.helixbg.insight.findings;

import dev.helixbg.config.text.QuotedName;
import dev.helixbg.insight.log.Passage;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Something worth telling the user. Its id survives compaction, renames of other entries and new
 * runs.
 */
public sealed interface Finding {
  /**
   * Two texts that are less similar are about different matters, as the model that comes with the
   * program sees them. Measured on the notes of {@code bench findings}: of 88 rewrites and
   * overtaken notes the least similar to anything has 0.456, and the least similar pair of them
   * that is listed 0.452; of 154 notes on other subjects 132 have less.
   */
  double FAR = 0.45;

  /**
   * Stable name, such as {@code dup-3f9a01c2d4}: a kind and ten hex digits over what was found,
   * never over offsets.
   */
  String id();

  /** All ids under which it may have been decided on, its own among them. */
  default Set<String> aliases() {
    return Set.of(id());
  }

  /**
   * Entries with the very same text, in any topics: all but one can go. Other findings know only
   * one of them.
   *
   * @param entries two or more, by offset
   */
  record Copies(String id, List<NamedEntry> entries) implements Finding {}

  /** Names for a pair, by its similarity and topics. */
  enum PairKind {
    NEAR_DUPLICATE,
    CROSS_LINK,
    RELATION;

    /** From this cosine on, a pair is a near-duplicate. */
    public static final double NEAR_DUPLICATE_FROM = 0.92;

    private static final double CROSS_LINK_FROM = 0.75;

    /**
     * Names a pair.
     *
     * @param similarity cosine of both entries as they are embedded whole
     * @param oneTopic whether both entries have the same topic
     */
    public static PairKind of(double similarity, boolean oneTopic) {
      if (similarity >= NEAR_DUPLICATE_FROM) {
        return NEAR_DUPLICATE;
      }
      return !oneTopic && similarity >= CROSS_LINK_FROM ? CROSS_LINK : RELATION;
    }

    /** Returns the name in words, such as {@code near-duplicate}. */
    public String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /**
   * Two entries that may be about one matter, in the one ranked list of them.
   *
   * @param a the entry with the lower offset
   * @param score how much nearer the two are to each other than to what is around them, by their
   *     own texts, see {@link RankedRelations}
   * @param similarity cosine of both as they are embedded whole, of the float vectors
   * @param assessment what the pair judge says of them; nothing where it has not read them
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
    /** A pair that the pair judge has not read. */
    public Relation(
        String id, NamedEntry a, NamedEntry b, double score, double similarity, Evidence evidence) {
      this(id, a, b, score, similarity, evidence, Optional.empty());
    }

    /** The same, read. */
    public Relation assessed(Assessment said) {
      return new Relation(id, a, b, score, similarity, evidence, Optional.of(said));
    }

    @Override
    public Set<String> aliases() {
      return FindingIds.allOfPair(id, a.key(), b.key());
    }

    /** Names the pair by its similarity and topics. */
    public PairKind kind() {
      return PairKind.of(similarity, a.topic().equals(b.topic()));
    }

    /** The two files of notes that both are of, the same for all pairs of their sections. */
    public Optional<Set<String>> files() {
      return a.entry().note().isPresent() && b.entry().note().isPresent()
          ? Optional.of(
              Stream.of(a, b)
                  .flatMap(named -> named.entry().note().stream())
                  .collect(Collectors.toUnmodifiableSet()))
          : Optional.empty();
    }

    /** The entry that was written earlier. */
    public NamedEntry older() {
      return a.isOlderThan(b) ? a : b;
    }

    /** The other one. */
    public NamedEntry newer() {
      return a.isOlderThan(b) ? b : a;
    }

    /**
     * Returns the place from which to read one of both first: where it matches the other; in UTF-16
     * units.
     */
    public int readFrom(NamedEntry entry) {
      return evidence
          .matching()
          .map(match -> entry == a ? match.readFromA() : match.readFromB())
          .orElse(0);
    }

    /** Returns the larger cosine: of the two entries as wholes, or of their nearest passages. */
    public double nearest() {
      return evidence.matching().map(Matching::similarity).orElse(similarity);
    }

    /** Whether nothing in both is near: then the pair goes to the end of a list, with any score. */
    public boolean isFar() {
      return nearest() < FAR;
    }
  }

  /**
   * The evidence for a relation.
   *
   * @param rankOfB position of b among a's ten nearest, from 1; 0 if it is not among them
   * @param rankOfA position of a among b's ten nearest, from 1; 0 if it is not among them
   * @param sharedWords the rarest words, identifiers and numbers that both have, as a has them,
   *     rarest first
   * @param newer the one that was written later; nothing when unknown or in the same minute
   * @param matching the passages of a and b that are nearest to each other; nothing where that are
   *     the entries as they are embedded whole
   */
  record Evidence(
      int rankOfB,
      int rankOfA,
      List<String> sharedWords,
      Optional<Side> newer,
      Optional<Matching> matching) {

    /** Whether each is the other's nearest of all entries. */
    public boolean mutualNearest() {
      return rankOfA == 1 && rankOfB == 1;
    }
  }

  /**
   * The passages that match in two entries.
   *
   * @param a in the content of a
   * @param b in the content of b
   * @param similarity cosine of these
   * @param readFromA where to begin reading a so that its passage is seen with what is before it,
   *     in UTF-16 units of its content
   * @param readFromB the same of b
   */
  record Matching(Passage a, Passage b, double similarity, int readFromA, int readFromB) {}

  /**
   * The pair judge's assessment of two entries that it has read. Probabilities are those of
   * collections that it was not trained on.
   *
   * @param same that both state the same fact
   * @param overtaken that the older one no longer holds as it is
   * @param related that each says something of its own about one thing
   * @param logOdds of same or overtaken, as the judge computed them, before any calibration
   * @param tier what may be said
   * @param objection why they are not called the same though it is likely, or what tells two of a
   *     series apart; or nothing
   * @param repeats whether one of both has no word of its own, which no probability tells
   */
  record Assessment(
      double same,
      double overtaken,
      double related,
      double logOdds,
      Tier tier,
      Optional<String> objection,
      boolean repeats) {
    /** How likely one of both can go. */
    public double act() {
      return same + overtaken;
    }

    /**
     * The same with another likelihood of that, where it is above 0; its parts keep their shares.
     */
    public Assessment withAct(double likely) {
      double part = likely / act();
      double rest = act() < 1 ? (1 - likely) / (1 - act()) : 0;
      return new Assessment(
          same * part, overtaken * part, related * rest, logOdds, tier, objection, repeats);
    }

    /** Whether that is likelier than not. */
    public boolean isActLikely() {
      return act() >= 0.5 && mayLead();
    }

    /** Whether it leads. */
    public boolean mayBeWorthAnAct() {
      return isActLikely() || repeats && mayLead();
    }

    /** Whether it may lead, were it likely to be worth an act. */
    public boolean mayLead() {
      return tier != Tier.SERIES && tier != Tier.UNKNOWN;
    }
  }

  /** The claim that may be made about a pair that was read; the first claim the most. */
  enum Tier {
    /** Nine of ten such pairs say the same. */
    LIKELY_SAME,
    /** The older entry was overtaken in nine of ten such pairs. */
    LIKELY_OVERTAKEN,
    /** About one thing. */
    RELATED,
    /** Two of one form, each about another date, period, instance, version or subject. */
    SERIES,
    /** Not to be said: the models cannot read the script of both. */
    UNKNOWN,
    /** Nothing. */
    NONE
  }

  /** One of a pair. */
  enum Side {
    A,
    B
  }

  /**
   * Two topics about the same thing.
   *
   * @param a the topic that sorts first
   * @param similarity cosine of the centroids
   */
  record TopicOverlap(String id, String a, String b, double similarity, int entriesA, int entriesB)
      implements Finding {
    /** Centroids of topics that overlap are more similar than this. */
    public static final double ABOVE = 0.60;
  }

  /**
   * An entry nearer to another topic than to its own.
   *
   * @param own cosine to the centroid of the other entries of its topic
   * @param nearer the topic it is nearest to
   * @param other cosine to that topic's centroid
   */
  record Misfiled(String id, NamedEntry entry, double own, String nearer, double other)
      implements Finding {
    /** Least margin by which the other topic is nearer. */
    public static final double MARGIN = 0.15;

    /** Most misfiled entries of a report. */
    public static final int LISTED = 100;
  }

  /**
   * Something that an entry names in source code, and that is otherwise there by now.
   *
   * @param folder the name of the folder of sources
   * @param named the file with its line, as the entry writes it
   * @param path the file that it was in when the entry was written, from the top of the folder
   * @param now the file that it was renamed to; nothing where it was not
   * @param since nothing for lines of an index
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
    /** All of it but the entry, in one sentence. */
    public String words() {
      String when = since.map(one -> one.commit() + " of " + one.date()).orElse("");
      return switch (change) {
        case GONE ->
            "%s is not in %s any more since %s%s"
                .formatted(
                    QuotedName.of(path),
                    QuotedName.of(folder),
                    when,
                    now.map(place -> "; probably it is " + QuotedName.of(place) + " now")
                        .orElse(""));
        case LINE_DEAD -> led("is not there");
        case LINE_WRONG -> led("has none of its words");
      };
    }

    private String led(String where) {
      boolean areSeveral = path.contains(", ");
      return areSeveral
          ? "%s: each leads to a file that %s, the first to %s"
              .formatted(QuotedName.of(path), where, QuotedName.of(named))
          : "%s leads to %s, which %s".formatted(QuotedName.of(path), QuotedName.of(named), where);
    }
  }

  /** The change of something in source code. */
  enum SourceChange {
    /** The file does not exist any more. */
    GONE,
    /** Lines of an index lead to no file. */
    LINE_DEAD,
    /** Lines of an index lead to files that have none of their words. */
    LINE_WRONG;

    /** Returns the name used in files. */
    public String title() {
      return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
  }

  /**
   * An entry that holds a secret.
   *
   * @param entry with the secret masked
   * @param held kind of the secret, such as {@code GitHub token}
   */
  record Secret(String id, NamedEntry entry, String held) implements Finding {

    /** Names the kind of the secret, in a sentence. */
    public String says() {
      return "it holds a secret, by its form: " + held;
    }
  }

  /**
   * The commit that removed a file.
   *
   * @param commit its id, as people write it
   * @param date {@code yyyy-MM-dd}
   */
  record Since(String commit, String date) {}
}
