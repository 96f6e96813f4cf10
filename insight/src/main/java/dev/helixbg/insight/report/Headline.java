package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The first words of a report.
 *
 * @param title number of findings that are worth a look
 * @param sure how reliable that number is, and how many pairs were ranked
 * @param also other findings; may be empty
 */
record Headline(String title, String sure, String also) {
  /**
   * Share of pairs that are worth an act, among the pairs in which one entry repeats the other.
   * Readers found that 91 of 97 such pairs are worth an act.
   */
  private static final double REPEATS = 0.94;

  static Headline of(Report report, JudgedRelations pairs, List<FoldedSection> others) {
    int entries = report.findings().entries().size();
    if (entries == 0) {
      return new Headline(
          "Nothing to compare yet",
          "This knowledge base has no entries yet. Once helix has stored entries, the next run"
              + " compares them. This report then lists repeated entries, related entries, and"
              + " entries that may have the wrong topic.",
          "");
    }
    int copies = report.findings().copies().size();
    int leading = pairs.leading().size();
    List<String> worth = new ArrayList<>();
    NumberWords.addCount(worth, copies, "group of exact copies", "groups of exact copies");
    NumberWords.addCount(worth, leading, "pair of entries", "pairs of entries");
    return new Headline(
        worth.isEmpty()
            ? "Nothing is likely to be worth a look"
            : String.join(" and ", worth)
                + (copies + leading == 1 ? " is worth a look" : " are worth a look"),
        sure(report, pairs),
        also(report, others));
  }

  private static String sure(Report report, JudgedRelations pairs) {
    Judgements judgements = report.judgements();
    List<String> sentences = new ArrayList<>();
    if (!report.findings().copies().isEmpty()) {
      sentences.add(
          "Exact copies have the same text; metadata and embedded data are not compared.");
    }
    if (pairs.ranked() == 0) {
      sentences.add(
          report.findings().entries().size() < 2
              ? "There are no two entries to compare."
              : "No entry is near another.");
      return String.join(" ", sentences);
    }
    estimate(pairs, judgements).ifPresent(sentences::add);
    sentences.add(chosen(pairs));
    judged(pairs, judgements).ifPresent(sentences::add);
    byAgents(report.findings().relations(), judgements.agents()).ifPresent(sentences::add);
    return String.join(" ", sentences);
  }

  private static Optional<String> estimate(JudgedRelations pairs, Judgements judgements) {
    List<Double> known =
        pairs.leading().stream().flatMap(pair -> likely(pair, judgements).stream()).toList();
    int leading = pairs.leading().size();
    if (leading == 0) {
      return Optional.empty();
    }
    if (known.isEmpty()) {
      return Optional.of(
          "No model has read the pairs: they are similar by vectors and words only, and many"
              + " pairs may need both entries.");
    }
    double expected = known.stream().mapToDouble(Double::doubleValue).sum();
    return Optional.of(
        "In about "
            + NumberWords.count(Math.round(expected))
            + " of the "
            + (known.size() < leading
                ? NumberWords.count(known.size(), "pair that was read", "pairs that were read")
                : NumberWords.count(leading, "pair", "pairs"))
            + ", one entry can go. That is an estimate.");
  }

  /**
   * Returns the probability that a pair is worth an act. It comes from a reliable agent, else from
   * the model, else from a pair judge.
   */
  private static Optional<Double> likely(Finding.Relation pair, Judgements judgements) {
    Optional<Double> byModel =
        judgements.decide()
            ? judgements.verdict(pair).map(PairVerdict::probability)
            : Optional.empty();
    return judgements
        .agents()
        .isWorthAnAct(pair)
        .map(worth -> worth ? 1.0 : 0.0)
        .or(() -> byModel)
        .or(() -> pair.assessment().map(Headline::likely));
  }

  private static double likely(Assessment said) {
    return said.repeats() ? Math.max(REPEATS, said.act()) : said.act();
  }

  private static String chosen(JudgedRelations pairs) {
    int read = pairs.read();
    return (pairs.leading().isEmpty()
            ? "No pair is likely enough to be worth a look: "
            : "These pairs are the most likely to be worth a look: ")
        + NumberWords.count(pairs.ranked(), "pair was ranked", "pairs were ranked")
        + (read == 0
            ? "."
            : ", and the pair judge that comes with helix-bg has read "
                + (read == pairs.ranked() ? "all" : "the first " + NumberWords.count(read))
                + " of them.");
  }

  private static Optional<String> judged(JudgedRelations pairs, Judgements judgements) {
    if (pairs.judgedCount() == 0) {
      return Optional.empty();
    }
    String judged = "A language model has judged " + NumberWords.count(pairs.judgedCount());
    return Optional.of(
        judgements.areGuesses()
            ? judged + " of them. " + JudgeTrust.GUESSING
            : judged + " of them." + (judgements.decide() ? "" : " " + JudgeTrust.UNMEASURED));
  }

  private static Optional<String> byAgents(List<Finding.Relation> pairs, AgentSayings agents) {
    List<Verdict> verdicts = pairs.stream().flatMap(pair -> agents.verdict(pair).stream()).toList();
    long acts = verdicts.stream().filter(Verdict::isAct).count();
    return verdicts.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "Your coding agent has read "
                + NumberWords.count(verdicts.size())
                + " of them, and judged "
                + NumberWords.count(acts)
                + " of those pairs the same or overtaken; such pairs come first.");
  }

  private static String also(Report report, List<FoldedSection> others) {
    List<String> sentences = new ArrayList<>();
    List<String> found =
        others.stream()
            .filter(section -> !section.lines().isEmpty())
            .map(FoldedSection::inSentence)
            .toList();
    if (!found.isEmpty()) {
      sentences.add("Also found: " + String.join(", ", found) + ".");
    }
    long unreadable =
        report.findings().entries().stream()
            .filter(named -> Script.isUnreadable(named.content()))
            .count();
    if (unreadable > 0) {
      sentences.add(
          NumberWords.count(unreadable, "entry is", "entries are")
              + " in a writing system that the bundled models cannot read. These entries are in no"
              + " leading pair.");
    }
    return String.join(" ", sentences);
  }
}
