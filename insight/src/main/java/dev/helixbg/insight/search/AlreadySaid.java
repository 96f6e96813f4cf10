package dev.helixbg.insight.search;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Relation;
import dev.helixbg.embed.PairReader.Texts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.log.Script;
import dev.helixbg.insight.pairs.MeaningDifference;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * Whether a knowledge base says already what a text says. Vectors hardly tell the same fact in
 * other words from another fact about the same thing, so by them most answers are that a reader has
 * to read the nearest; the pair judge reads them. How often each is right is in docs/findings.md.
 *
 * @param answer in a word
 * @param entry that it is about, by its name
 * @param probability that the answer is right, of <i>perhaps</i> that the entry says the same or is
 *     contradicted; none where nothing was read
 * @param differs why it is not <i>yes</i>, though it seems the same
 */
public record AlreadySaid(
    Answer answer, Optional<String> entry, OptionalDouble probability, Optional<String> differs) {
  /**
   * Number of best hits of a search that are considered: words may rank others before the nearest.
   */
  public static final int LOOKED_AT = 20;

  /** Largest number of nearest entries that are read. */
  public static final int READ = 10;

  /**
   * From which probability on an entry is named, and below which a text is called new. On
   * collections held out (scripts/judge/related.py), of rewrites, overtaken notes and look-alikes
   * in equal parts, 91 of 100 that are named are the right entry, 84 under the right word; of the
   * former two 4 % are called new.
   */
  private static final double LIKELIER_THAN_NOT = 0.5;

  private static final double UNLIKELY = 0.05;

  /**
   * From which probability of <i>same</i> on the judge's word outweighs what may be another way to
   * say it. In {@code bench related} no edit of a rewrite for which that matters has more than
   * 0.748, eight rewrites have 0.792 or more.
   */
  private static final double SURE = 0.77;

  /** The answer. */
  public enum Answer {
    /** An entry says the same. */
    YES,
    /** An entry says what no longer holds if the text does. */
    CONTRADICTS,
    /** A reader has to read the nearest. */
    PERHAPS,
    /** None says it. */
    NO,
    /** Not all entries are indexed, or the models cannot read the script of the text. */
    UNKNOWN
  }

  /**
   * An entry that is near.
   *
   * @param text of the entry, or of its passage that matches
   * @param whole text of the entry
   * @param similarity cosine of what matches
   */
  public record Near(String name, String text, String whole, double similarity) {}

  /**
   * A text and the entries that may say it.
   *
   * @param text that is about to be stored
   * @param whole whether all of it was compared
   * @param indexed whether with all of every entry
   * @param near entries, best hits of a search
   */
  public record Question(String text, boolean whole, boolean indexed, List<Near> near) {

    /** The most similar first. */
    public Question {
      near = near.stream().sorted(Comparator.comparingDouble((Near n) -> -n.similarity())).toList();
    }

    /**
     * Returns the answer without reading. Only an entry that is this text, but for its form, says
     * it for certain.
     *
     * @param nearDuplicate from where on entries are near-duplicates
     */
    public AlreadySaid byVectors(double nearDuplicate) {
      return itself()
          .or(this::unreadable)
          .or(() -> nearDuplicate(nearDuplicate).map(one -> perhaps(one, OptionalDouble.empty())))
          .orElseGet(
              () ->
                  unsaid(
                      near.isEmpty() || near.getFirst().similarity() < Finding.FAR,
                      Optional.empty(),
                      OptionalDouble.empty()));
    }

    /**
     * Returns <i>yes</i> where an entry is this very text: the pair judge need not read it, and can
     * be wrong there, too.
     */
    private Optional<AlreadySaid> itself() {
      return near.stream()
          .filter(one -> MeaningDifference.isNone(one.whole(), text))
          .findFirst()
          .map(
              one ->
                  new AlreadySaid(
                      Answer.YES, Optional.of(one.name()), OptionalDouble.of(1), Optional.empty()));
    }

    /** Texts in a script that the models cannot read look alike to them. */
    private Optional<AlreadySaid> unreadable() {
      return Script.isUnreadable(text)
          ? Optional.of(
              new AlreadySaid(
                  Answer.UNKNOWN,
                  Optional.empty(),
                  OptionalDouble.empty(),
                  Optional.of("the models cannot read the script of the text")))
          : Optional.empty();
    }

    private Optional<Near> nearDuplicate(double from) {
      return near.stream().limit(1).filter(one -> one.similarity() >= from).findFirst();
    }

    private AlreadySaid perhaps(Near one, OptionalDouble likely) {
      return new AlreadySaid(
          Answer.PERHAPS,
          Optional.of(one.name()),
          likely,
          MeaningDifference.of(one.whole(), text).words());
    }

    /** Returns the answer where no entry is known to say it. */
    private AlreadySaid unsaid(boolean isNew, Optional<String> suspect, OptionalDouble likely) {
      if (!indexed) {
        return new AlreadySaid(
            Answer.UNKNOWN, Optional.empty(), OptionalDouble.empty(), Optional.empty());
      }
      return isNew && whole
          ? new AlreadySaid(Answer.NO, Optional.empty(), opposite(likely), Optional.empty())
          : new AlreadySaid(Answer.PERHAPS, suspect, likely, Optional.empty());
    }

    private static OptionalDouble opposite(OptionalDouble likely) {
      return likely.isPresent() ? OptionalDouble.of(1 - likely.getAsDouble()) : likely;
    }

    /** Returns the entries that are worth reading: one that is far is about something else. */
    public List<Near> worthReading() {
      return near.stream().limit(READ).takeWhile(n -> n.similarity() >= Finding.FAR).toList();
    }

    /**
     * Returns the answer of the pair judge.
     *
     * @throws dev.helixbg.embed.EmbeddingException when it cannot read
     */
    public AlreadySaid read(PairReader reader, PairCalibration calibration, double nearDuplicate)
        throws InterruptedException {
      Optional<AlreadySaid> unasked = itself().or(this::unreadable);
      if (unasked.isPresent()) {
        return unasked.get();
      }
      List<Near> some = worthReading();
      Reading[] readings = new Reading[some.size()];
      reader.read(
          some.stream().map(n -> new Texts(n.text(), text)).toList(),
          (i, reading) -> readings[i] = reading);
      // The score is that of relations, without words and without the surroundings of the entries.
      double around = near.stream().limit(READ).mapToDouble(Near::similarity).average().orElse(0);
      double[] likely = new double[readings.length];
      double surest = LIKELIER_THAN_NOT;
      Optional<AlreadySaid> said = Optional.empty();
      int suspect = 0;
      for (int i = 0; i < readings.length; i++) {
        Near one = some.get(i);
        double[] p = calibration.probabilities(readings[i].logits(), one.similarity() - around);
        double same = p[Relation.SAME.ordinal()];
        double overtaken = p[Relation.OVERTAKEN.ordinal()];
        likely[i] = same + overtaken;
        suspect = likely[i] > likely[suspect] ? i : suspect;
        if (Math.max(same, overtaken) >= surest) {
          surest = Math.max(same, overtaken);
          said =
              Optional.of(
                  same >= overtaken ? same(one, same, readings[i]) : contradicts(one, overtaken));
        }
      }
      if (some.isEmpty()) {
        return byVectors(nearDuplicate);
      }
      if (said.filter(one -> one.answer == Answer.CONTRADICTS).isPresent()) {
        return said.get();
      }
      // The text edits a word of this entry, no matter what another entry says.
      OptionalInt edited =
          IntStream.range(0, likely.length)
              .filter(i -> MeaningDifference.of(some.get(i).whole(), text).edit())
              .findFirst();
      if (edited.isPresent()) {
        int i = edited.getAsInt();
        return perhaps(some.get(i), OptionalDouble.of(likely[i]));
      }
      if (said.isPresent()) {
        return said.get();
      }
      OptionalDouble of = OptionalDouble.of(likely[suspect]);
      return nearDuplicate(nearDuplicate).isPresent()
          ? perhaps(some.get(suspect), of)
          : unsaid(likely[suspect] < UNLIKELY, Optional.of(some.get(suspect).name()), of);
    }

    /** Judges of this size do not see that one fact differs. */
    private AlreadySaid same(Near one, double likely, Reading reading) {
      MeaningDifference difference = MeaningDifference.of(one.whole(), text);
      boolean sure = likely >= SURE && reading.olderWhole() && !difference.certain();
      Optional<String> differs =
          !reading.newerWhole()
              ? Optional.of("not all of the text was read")
              : sure ? Optional.empty() : difference.words();
      return new AlreadySaid(
          differs.isPresent() ? Answer.PERHAPS : Answer.YES,
          Optional.of(one.name()),
          OptionalDouble.of(likely),
          differs);
    }

    private static AlreadySaid contradicts(Near one, double likely) {
      return new AlreadySaid(
          Answer.CONTRADICTS, Optional.of(one.name()), OptionalDouble.of(likely), Optional.empty());
    }
  }
}
