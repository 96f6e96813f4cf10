package dev.helixbg.insight.pairs;

import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Relation;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Tier;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Script;
import dev.helixbg.insight.notes.Scope;
import java.util.Optional;

/**
 * Computes, from the result of a pair judge, how likely two entries are the same, overtaken or
 * related. {@code fit} adjusts the judge to agents' answers.
 */
public record PairAssessor(PairCalibration calibration, PairFit fit) {

  /**
   * Returns the assessment of a pair that the judge of notes has read. An assessment suggests the
   * removal of an entry only if the judge read the whole entry. Two texts are <i>the same</i> only
   * if they do not disagree. The accuracy of the tiers {@code LIKELY_SAME} and {@code
   * LIKELY_OVERTAKEN} was measured without a fit. A pair must therefore reach these tiers without
   * the fit, too.
   *
   * @param older whole older text
   * @param newer whole newer text
   */
  Assessment of(Reading reading, double score, String older, String newer, ActFrequency frequency) {
    float[] logits = fit.applied(reading.logits(), calibration);
    double[] p = adjusted(logits, score, frequency);
    double[] promised = adjusted(reading.logits(), score, frequency);
    return assessment(reading, older, newer, p, promised, logOdds(logits), false);
  }

  /**
   * Returns the assessment of two facts of memory files. If it is unknown which fact is older,
   * neither fact is called overtaken: in public files, only 5 of 48 such verdicts are right. The
   * judge calls many pairs of short facts the same although one word reverses the meaning of one
   * fact. {@link MeaningDifference#objection} therefore decides whether they may be the same. Facts
   * have no {@link PairFit}, because their log odds come from {@link FactOdds}. A fit would also
   * have little use: an agent that answers about a memory file answers about all its pairs that the
   * judge has read, so no pair is left to adjust.
   */
  Assessment ofFacts(Reading reading, Finding.Relation pair) {
    double odds = FactOdds.of(pair, logOdds(reading.logits()));
    double act = 1 / (1 + StrictMath.exp(-odds));
    double[] p = withAct(calibration.probabilities(reading.logits(), 0), act);
    if (!pair.a().isAgeKnown(pair.b())) {
      p[Relation.SAME.ordinal()] += p[Relation.OVERTAKEN.ordinal()];
      p[Relation.OVERTAKEN.ordinal()] = 0;
    }
    return assessment(reading, pair.older().content(), pair.newer().content(), p, p, odds, true);
  }

  private Assessment assessment(
      Reading reading,
      String older,
      String newer,
      double[] p,
      double[] promised,
      double logOdds,
      boolean areFacts) {
    double same = p[Relation.SAME.ordinal()];
    double overtaken = p[Relation.OVERTAKEN.ordinal()];
    Optional<String> objection = Optional.empty();
    Tier tier = p[Relation.DIFFERENT.ordinal()] < 0.5 ? Tier.RELATED : Tier.NONE;
    Optional<String> apart = apart(older, newer);
    if (Script.isUnreadable(older) || Script.isUnreadable(newer)) {
      objection = Optional.of("the pair judge cannot read the writing system of an entry");
      tier = Tier.UNKNOWN;
    } else if (apart.isPresent()) {
      objection = apart;
      tier = Tier.SERIES;
    } else if (Math.min(same, promised[Relation.SAME.ordinal()]) >= calibration.likelySame()) {
      objection =
          reading.olderWhole() && reading.newerWhole()
              ? disagreement(older, newer, areFacts)
              : Optional.of("at least one of the two entries was not read to the end");
      tier = objection.isEmpty() ? Tier.LIKELY_SAME : Tier.RELATED;
    } else if (Math.min(overtaken, promised[Relation.OVERTAKEN.ordinal()])
        >= calibration.likelyOvertaken()) {
      objection =
          reading.olderWhole()
              ? Optional.empty()
              : Optional.of("the older entry was not read to the end");
      tier = objection.isEmpty() ? Tier.LIKELY_OVERTAKEN : Tier.RELATED;
    } else if (areFacts && overtaken == 0 && same >= 0.5) { // it is unknown which is older
      objection = disagreement(older, newer, true);
    }
    boolean repeats =
        older.equals(newer) // under two headings of one file, so they are not exact copies
            || WordDifference.isRepetition(older, newer)
                && disagreement(older, newer, areFacts).isEmpty();
    return new Assessment(
        same, overtaken, p[Relation.RELATED.ordinal()], logOdds, tier, objection, repeats);
  }

  private static Optional<String> disagreement(String one, String other, boolean areFacts) {
    return areFacts
        ? MeaningDifference.of(one, other).objection()
        : PairDisagreement.of(one, other);
  }

  private double[] adjusted(float[] logits, double score, ActFrequency frequency) {
    double[] p = calibration.probabilities(logits, score);
    return withAct(p, frequency.adjusted(act(p)));
  }

  /** Scales probabilities so that <i>same</i> and <i>overtaken</i> have the sum {@code act}. */
  private static double[] withAct(double[] p, double act) {
    double before = act(p);
    for (Relation relation : Relation.values()) {
      boolean isAct = relation == Relation.SAME || relation == Relation.OVERTAKEN;
      int i = relation.ordinal();
      p[i] = isAct ? part(act, p[i], before) : part(1 - act, p[i], 1 - before);
    }
    return p;
  }

  private static double act(double[] p) {
    return p[Relation.SAME.ordinal()] + p[Relation.OVERTAKEN.ordinal()];
  }

  /**
   * Whether a pair may be in the report's top section: the models can read both entries, and {@link
   * #apart} finds no reason to keep both.
   */
  public static boolean mayLead(NamedEntry one, NamedEntry other) {
    return !Script.isUnreadable(one.content())
        && !Script.isUnreadable(other.content())
        && apart(one, other).isEmpty();
  }

  /** Returns why both of two similar entries may be needed; empty if no reason is found. */
  public static Optional<String> apart(NamedEntry one, NamedEntry other) {
    return Scope.apart(one.entry(), other.entry()).or(() -> apart(one.content(), other.content()));
  }

  /** Returns how the subjects of two texts of the same form differ; empty for other texts. */
  private static Optional<String> apart(String one, String other) {
    Optional<String> series = Series.between(one, other);
    return series.isPresent()
        ? series.map("they belong to a series (%s)"::formatted)
        : OwnSubjects.between(one, other)
            .map("they have the same form, but different subjects (%s)"::formatted);
  }

  /**
   * Returns the probability that one entry of a pair can be removed, before {@link ActFrequency}
   * adjusts it.
   */
  double act(float[] logits, double score) {
    return act(calibration.probabilities(fit.applied(logits, calibration), score));
  }

  /** Scales one part of a sum, because the sum changes from {@code before} to {@code now}. */
  private static double part(double now, double one, double before) {
    return before > 0 ? now * one / before : 0;
  }

  private static double logOdds(float[] logits) {
    return logOfSum(logits[Relation.SAME.ordinal()], logits[Relation.OVERTAKEN.ordinal()])
        - logOfSum(logits[Relation.RELATED.ordinal()], logits[Relation.DIFFERENT.ordinal()]);
  }

  private static double logOfSum(double a, double b) {
    return Math.max(a, b) + StrictMath.log1p(StrictMath.exp(-Math.abs(a - b)));
  }
}
