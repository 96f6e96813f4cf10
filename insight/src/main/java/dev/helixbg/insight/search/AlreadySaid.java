package dev.helixbg.insight.search;

import static dev.helixbg.embed.PairReader.Relation.OVERTAKEN;
import static dev.helixbg.embed.PairReader.Relation.SAME;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairReader.Kind;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Texts;
import dev.helixbg.embed.PairSource;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.log.Script;
import dev.helixbg.insight.pairs.MeaningDifference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The answer to the question whether a knowledge base already contains the statement of a text.
 * Vectors hardly distinguish the same fact in other words from another fact about the same thing,
 * so most answers from vectors alone are {@link Answer#PERHAPS}. The pair judges can read the
 * nearest entries instead of the user. docs/findings.md states how often each method is right.
 *
 * @param answer the answer in a word
 * @param entry the name of the entry that the answer is about
 * @param probability the probability that the answer is right. For <i>perhaps</i>, the probability
 *     that the entry says the same or is contradicted. It is 1 if an entry equals the text. It is
 *     empty for <i>unknown</i>, and if no pair judge read an entry
 * @param differs for <i>contradicts</i>, the first difference between the entry and the text. For
 *     <i>perhaps</i>, the reason why the answer is not <i>yes</i> although the entry seems to say
 *     the same. For <i>unknown</i>, the reason why the text could not be read
 */
public record AlreadySaid(
    Answer answer, Optional<String> entry, OptionalDouble probability, Optional<String> differs) {
  /**
   * Number of best hits to consider. It exceeds {@link #READ}, because the order of hits depends on
   * words, too.
   */
  public static final int LOOKED_AT = 20;

  /** Maximum number of nearest entries that the pair judges read. */
  public static final int READ = 10;

  /**
   * Minimum probability with which an entry is named. If all probabilities are below {@link
   * #UNLIKELY}, the text is called new. Both limits were measured on collections that were not used
   * for training (scripts/judge/related.py), with equally many rewrites, overtaken notes, and notes
   * that look alike. Of 100 answers that name an entry, 91 name the right entry. In 84 of these 100
   * answers, the answer itself is also right. Of 100 rewrites and overtaken notes, 4 are called
   * new. docs/findings.md has the figures of facts.
   */
  private static final double LIKELIER_THAN_NOT = 0.5;

  private static final double UNLIKELY = 0.05;

  /**
   * Minimum probability of <i>same</i> with which the judge overrules an uncertain {@link
   * MeaningDifference}. In the benchmark {@code bench related}, texts that were rewritten with a
   * changed fact have a probability of at most 0.748. Eight texts that were rewritten with the same
   * facts have at least 0.792.
   */
  private static final double SURE = 0.77;

  private static final Optional<String> UNREADABLE =
      Optional.of("the models cannot read the writing system of the text");

  public enum Answer {
    /** An entry says the same as the text. */
    YES,
    /** An entry says something that is no longer true if the text is true. */
    CONTRADICTS,
    /**
     * It is uncertain whether an entry says the same as the text. The user has to read the nearest
     * entries.
     */
    PERHAPS,
    /** No entry says the same as the text. */
    NO,
    /** Not all entries are indexed, or the models cannot read the writing system of the text. */
    UNKNOWN
  }

  /**
   * An entry that is similar to the text of a {@link Question}.
   *
   * @param text the part of the entry that matches that text best
   * @param similarity highest cosine of that text with the entry or one of its passages
   */
  public record Near(String name, Kind kind, String text, String whole, double similarity) {
    /**
     * Whether a judge may find that the entry says the same. For facts of memory files, the cosine
     * does not decide: facts are short, so the same fact in other words can have a low cosine.
     */
    private boolean isWorthReading() {
      return kind == Kind.FACTS || similarity >= Finding.FAR;
    }
  }

  /** An entry, its reading, and the probabilities that it says the same or is overtaken. */
  private record Judged(
      Near near, Reading reading, MeaningDifference difference, double same, double overtaken) {
    double larger() {
      return Math.max(same, overtaken);
    }

    double sum() {
      return same + overtaken;
    }

    boolean isOvertaken() {
      return overtaken > same;
    }
  }

  /**
   * A text, and the entries that may say the same.
   *
   * @param whole whether the whole text was compared
   * @param indexed whether the text was compared with the whole text of all entries
   * @param near the best hits of a search
   */
  public record Question(String text, boolean whole, boolean indexed, List<Near> near) {

    /** Sorts the entries, the most similar first. */
    public Question {
      near = near.stream().sorted(Comparator.comparingDouble((Near n) -> -n.similarity())).toList();
    }

    /**
     * Returns the answer without a pair judge. It is <i>yes</i> only if an entry and the text
     * differ in nothing but Unicode forms, white space, case and markup. {@code nearDuplicate} is
     * the minimum similarity of a near-duplicate.
     */
    public AlreadySaid byVectors(double nearDuplicate) {
      return withoutModel()
          .orElseGet(
              () ->
                  hasNearDuplicate(nearDuplicate)
                      ? perhaps(near.getFirst())
                      : unsaid(worthReading().isEmpty(), Optional.empty(), OptionalDouble.empty()));
    }

    /**
     * Returns the answer if it needs no model. It is <i>yes</i> if an entry and the text differ in
     * nothing but Unicode forms, white space, case and markup. Otherwise, it is <i>unknown</i> if
     * the models cannot read the text, because all such texts look alike to them.
     */
    private Optional<AlreadySaid> withoutModel() {
      return near.stream()
          .filter(one -> MeaningDifference.isNone(one.whole(), text))
          .findFirst()
          .map(one -> about(one, Answer.YES, 1, Optional.empty()))
          .or(() -> Optional.of(unknown(UNREADABLE)).filter(_ -> Script.isUnreadable(text)));
    }

    private static AlreadySaid unknown(Optional<String> why) {
      return new AlreadySaid(Answer.UNKNOWN, Optional.empty(), OptionalDouble.empty(), why);
    }

    private boolean hasNearDuplicate(double from) {
      return !near.isEmpty() && near.getFirst().similarity() >= from;
    }

    private AlreadySaid perhaps(Near one) {
      return new AlreadySaid(
          Answer.PERHAPS,
          Optional.of(one.name()),
          OptionalDouble.empty(),
          MeaningDifference.of(one.whole(), text).words());
    }

    private static AlreadySaid perhaps(Judged one) {
      return about(one.near, Answer.PERHAPS, one.sum(), one.difference.words());
    }

    /** Returns the answer if no entry is known to say the same. */
    private AlreadySaid unsaid(boolean isNew, Optional<String> suspect, OptionalDouble likely) {
      if (!indexed) {
        return unknown(Optional.empty());
      }
      OptionalDouble unlikely = likely.stream().map(p -> 1 - p).findFirst();
      return isNew && whole
          ? new AlreadySaid(Answer.NO, Optional.empty(), unlikely, Optional.empty())
          : new AlreadySaid(Answer.PERHAPS, suspect, likely, Optional.empty());
    }

    /**
     * Returns the entries that the pair judges should read; less similar entries are about
     * something else.
     */
    public List<Near> worthReading() {
      return near.stream().limit(READ).takeWhile(Near::isWorthReading).toList();
    }

    /** Returns the answer of the pair judges. If they fail, throws {@code EmbeddingException}. */
    public AlreadySaid read(PairReader reader, PairSource.Judge judge, double nearDuplicate)
        throws InterruptedException {
      List<Near> some = worthReading();
      if (some.isEmpty() || withoutModel().isPresent()) {
        return byVectors(nearDuplicate);
      }
      Reading[] readings = new Reading[some.size()];
      reader.read(
          some.stream().map(n -> new Texts(n.kind, n.text, text)).toList(),
          (i, reading) -> readings[i] = reading);
      // The calibration of notes was made for the scores of relations. Here, the score is only the
      // similarity minus the mean similarity. Shared words and the entries' neighbours do not
      // count. The calibration of facts does not use the score.
      double around = near.stream().limit(READ).mapToDouble(Near::similarity).average().orElse(0);
      List<Judged> judged = new ArrayList<>();
      for (int i = 0; i < readings.length; i++) {
        Near one = some.get(i);
        PairCalibration calibration = one.kind == Kind.FACTS ? judge.ofFacts() : judge.ofNotes();
        double[] p = calibration.probabilities(readings[i].logits(), one.similarity() - around);
        MeaningDifference difference = MeaningDifference.of(one.whole(), text);
        judged.add(
            new Judged(one, readings[i], difference, p[SAME.ordinal()], p[OVERTAKEN.ordinal()]));
      }
      Optional<Judged> surest =
          judged.reversed().stream()
              .max(Comparator.comparingDouble(Judged::larger))
              .filter(one -> one.larger() >= LIKELIER_THAN_NOT);
      // If the text is an edit of an entry, that entry takes precedence over the judge's other
      // results.
      Optional<Judged> edited = judged.stream().filter(one -> one.difference.edit()).findFirst();
      if (surest.filter(Judged::isOvertaken).isPresent()
          && edited.filter(one -> !one.isOvertaken()).isEmpty()) {
        Judged one = surest.get();
        return about(one.near, Answer.CONTRADICTS, one.overtaken, one.difference.words());
      }
      if (edited.isPresent()) {
        return perhaps(edited.get());
      }
      if (surest.isPresent()) {
        return same(surest.get());
      }
      Judged suspect = Collections.max(judged, Comparator.comparingDouble(Judged::sum));
      OptionalDouble likely = OptionalDouble.of(suspect.sum());
      return hasNearDuplicate(nearDuplicate)
          ? perhaps(suspect)
          : unsaid(suspect.sum() < UNLIKELY, Optional.of(suspect.near.name()), likely);
    }

    /**
     * Returns the answer about an entry that, according to the judge, says the same. A judge of
     * this size can overlook that a fact differs, so {@link MeaningDifference} checks the texts.
     */
    private static AlreadySaid same(Judged one) {
      MeaningDifference difference = one.difference;
      boolean sure = one.same >= SURE && one.reading.olderWhole() && !difference.certain();
      Optional<String> differs =
          !one.reading.newerWhole()
              ? Optional.of("not all of the text was read")
              : sure ? Optional.empty() : difference.words();
      return about(one.near, differs.isPresent() ? Answer.PERHAPS : Answer.YES, one.same, differs);
    }

    private static AlreadySaid about(
        Near one, Answer answer, double likely, Optional<String> differs) {
      return new AlreadySaid(answer, Optional.of(one.name()), OptionalDouble.of(likely), differs);
    }
  }
}
