package dev.helixbg.insight.search;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Relation;
import dev.helixbg.embed.PairReader.Texts;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.pairs.PairDisagreement;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Whether a knowledge base says already what a text says. Vectors hardly tell the same fact in
 * other words from another fact about the same thing, so by them most answers are that somebody has
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
  /** So many of a search's best hits are looked at: words may put others before the nearest. */
  public static final int LOOKED_AT = 20;

  /** So many of the nearest are read, at most. */
  public static final int READ = 10;

  /**
   * From which probability on an entry is named, and below which a text is called new. On
   * collections held out (scripts/judge/related.py), of rewrites, overtaken notes and look-alikes
   * in equal parts, 91 of 100 that are named are the right entry, 84 under the right word; of the
   * former two 4 % are called new.
   */
  private static final double LIKELIER_THAN_NOT = 0.5;

  private static final double UNLIKELY = 0.05;

  /** What can be said. */
  public enum Answer {
    /** An entry says the same. */
    YES,
    /** An entry says what no longer holds if the text does. */
    CONTRADICTS,
    /** Somebody has to read the nearest. */
    PERHAPS,
    /** None says it. */
    NO,
    /** None says it as far as can be told, but not all entries are indexed. */
    UNKNOWN
  }

  /**
   * An entry that is near.
   *
   * @param text of the entry, or of its passage that matches
   * @param similarity cosine of what matches
   */
  public record Near(String name, String text, double similarity) {}

  /**
   * What is asked.
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
     * What vectors tell.
     *
     * @param nearDuplicate from where on entries are near-duplicates
     */
    public AlreadySaid byVectors(double nearDuplicate) {
      Optional<AlreadySaid> itself = itself();
      if (itself.isPresent()) {
        return itself.get();
      }
      double nearest = near.isEmpty() ? -1 : near.getFirst().similarity();
      return nearest >= nearDuplicate
          ? same(
              near.getFirst(),
              OptionalDouble.empty(),
              PairDisagreement.of(near.getFirst().text(), text))
          : unsaid(nearest < Finding.FAR, Optional.empty(), OptionalDouble.empty());
    }

    /** Where an entry is this very text, nobody has to read it: a judge can be wrong there, too. */
    private Optional<AlreadySaid> itself() {
      return near.stream()
          .filter(one -> one.text().strip().equals(text.strip()))
          .findFirst()
          .map(one -> same(one, OptionalDouble.of(1), Optional.empty()));
    }

    private static AlreadySaid same(Near one, OptionalDouble likely, Optional<String> differs) {
      return new AlreadySaid(
          differs.isPresent() ? Answer.PERHAPS : Answer.YES,
          Optional.of(one.name()),
          likely,
          differs);
    }

    /** What can be said where no entry is known to say it. */
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

    /** Those that are worth reading: what is far is about something else. */
    public List<Near> worthReading() {
      if (itself().isPresent()) {
        return List.of();
      }
      return near.stream().limit(READ).takeWhile(n -> n.similarity() >= Finding.FAR).toList();
    }

    /**
     * What the pair judge tells.
     *
     * @throws dev.helixbg.embed.EmbeddingException when it cannot read
     */
    public AlreadySaid read(PairReader reader, PairCalibration calibration, double nearDuplicate)
        throws InterruptedException {
      List<Near> some = worthReading();
      Reading[] readings = new Reading[some.size()];
      reader.read(
          some.stream().map(n -> new Texts(n.text(), text)).toList(),
          (i, reading) -> readings[i] = reading);
      // As relations are scored, but for words, and for what is around the entries.
      double around = near.stream().limit(READ).mapToDouble(Near::similarity).average().orElse(0);
      Optional<AlreadySaid> said = Optional.empty();
      double surest = LIKELIER_THAN_NOT;
      Optional<String> suspect = Optional.empty();
      double likely = 0;
      for (int i = 0; i < readings.length; i++) {
        Near one = some.get(i);
        double[] p = calibration.probabilities(readings[i].logits(), one.similarity() - around);
        double same = p[Relation.SAME.ordinal()];
        double overtaken = p[Relation.OVERTAKEN.ordinal()];
        if (same + overtaken > likely) {
          likely = same + overtaken;
          suspect = Optional.of(one.name());
        }
        if (same >= surest) {
          surest = same;
          said = Optional.of(same(one, OptionalDouble.of(same), differs(one, readings[i])));
        } else if (overtaken >= surest) {
          surest = overtaken;
          said =
              Optional.of(
                  new AlreadySaid(
                      Answer.CONTRADICTS,
                      Optional.of(one.name()),
                      OptionalDouble.of(overtaken),
                      Optional.empty()));
        }
      }
      if (said.isPresent()) {
        return said.get();
      }
      AlreadySaid byVectors = byVectors(nearDuplicate);
      return byVectors.answer == Answer.YES
          ? byVectors
          : unsaid(likely < UNLIKELY, suspect, OptionalDouble.of(likely));
    }

    private Optional<String> differs(Near one, Reading reading) {
      return reading.newerWhole()
          ? PairDisagreement.of(one.text(), text)
          : Optional.of("not all of the text was read");
    }
  }
}
