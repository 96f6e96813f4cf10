package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.Script;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The first words of a report: the number of findings worth a look, how they were chosen, and what
 * else was found.
 */
record Headline(String title, String sure, String also) {
  /**
   * Share of pairs worth an act among pairs in which one entry repeats the other: 91 of 97 such
   * pairs, as readers judged.
   */
  private static final double REPEATS = 0.94;

  static Headline of(Report report, JudgedRelations pairs, List<FoldedSection> others) {
    int entries = report.findings().entries().size();
    if (entries == 0) {
      return new Headline(
          "Nothing to compare yet",
          "This knowledge base has no entries yet. Once helix has stored entries, the next run"
              + " compares them. This report then lists repeated entries, related entries, and"
              + " topics that overlap.",
          "");
    }
    int copies = report.findings().copies().size();
    int leading = pairs.leading().size();
    List<String> worth = new ArrayList<>();
    NumberWords.addCount(worth, copies, "group of exact copies", "groups of exact copies");
    NumberWords.addCount(worth, leading, "pair of entries", "pairs of entries");
    String verb = copies + leading == 1 ? " is" : " are";
    return new Headline(
        worth.isEmpty()
            ? "Nothing is likely to be worth a look"
            : String.join(" and ", worth) + verb + " worth a look",
        sure(report, pairs),
        also(report, others));
  }

  private static String sure(Report report, JudgedRelations pairs) {
    Judgements judgements = report.judgements();
    Findings findings = report.findings();
    String copies =
        findings.copies().isEmpty()
            ? ""
            : "Exact copies have the same text; metadata and embedded data are not compared.";
    if (pairs.ranked() == 0) {
      return joined(
          copies,
          findings.entries().size() < 2
              ? "There are no two entries to compare."
              : "No two entries are similar.");
    }
    return joined(
        copies,
        estimate(pairs, judgements),
        chosen(pairs),
        judged(pairs, judgements),
        byAgents(findings.relations(), judgements.agents()));
  }

  static String joined(String... sentences) {
    return Stream.of(sentences)
        .filter(sentence -> !sentence.isEmpty())
        .collect(Collectors.joining(" "));
  }

  private static String estimate(JudgedRelations pairs, Judgements judgements) {
    List<Double> known =
        pairs.leading().stream().flatMap(pair -> likely(pair, judgements).stream()).toList();
    int leading = pairs.leading().size();
    if (leading == 0) {
      return "";
    }
    if (known.isEmpty()) {
      return "No model has read the pairs. They have similar vectors and words, but both entries of"
          + " a pair may be needed.";
    }
    double expected = known.stream().mapToDouble(Double::doubleValue).sum();
    String pairsRead =
        known.size() < leading
            ? NumberWords.count(known.size(), "pair that was read", "pairs that were read")
            : NumberWords.count(leading, "pair", "pairs");
    return "In about %s of the %s, one entry can go. That is an estimate."
        .formatted(NumberWords.count(Math.round(expected)), pairsRead);
  }

  /**
   * Returns the probability that a pair is worth an act, according to a reliable agent, else to a
   * reliable language model, else to a pair judge.
   */
  private static Optional<Double> likely(Finding.Relation pair, Judgements judgements) {
    Optional<PairVerdict> byModel = judgements.verdict(pair).filter(_ -> judgements.decide());
    return judgements
        .agents()
        .isWorthAnAct(pair)
        .map(worth -> worth ? 1.0 : 0.0)
        .or(() -> byModel.map(PairVerdict::probability))
        .or(
            () ->
                pair.assessment().map(said -> Math.max(said.act(), said.repeats() ? REPEATS : 0)));
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

  private static String judged(JudgedRelations pairs, Judgements judgements) {
    if (pairs.judgedCount() == 0) {
      return "";
    }
    return joined(
        "A language model has judged " + NumberWords.count(pairs.judgedCount()) + " of them.",
        judgements.doubt().orElse(""));
  }

  private static String byAgents(List<Finding.Relation> pairs, AgentSayings agents) {
    List<Verdict> verdicts = pairs.stream().flatMap(pair -> agents.verdict(pair).stream()).toList();
    long acts = verdicts.stream().filter(Verdict::isAct).count();
    return verdicts.isEmpty()
        ? ""
        : ("Your coding agent has read %s of them, and judged %s of those pairs the same or"
                + " overtaken; such pairs come first.")
            .formatted(NumberWords.count(verdicts.size()), NumberWords.count(acts));
  }

  private static String also(Report report, List<FoldedSection> others) {
    String found =
        others.stream()
            .filter(section -> !section.lines().isEmpty())
            .map(FoldedSection::inSentence)
            .collect(Collectors.joining(", "));
    long unreadable =
        report.findings().entries().stream()
            .filter(named -> Script.isUnreadable(named.content()))
            .count();
    return joined(
        found.isEmpty() ? "" : "Also found: " + found + ".",
        unreadable == 0
            ? ""
            : NumberWords.count(unreadable, "entry is", "entries are")
                + " in a writing system that the bundled models cannot read. These entries are in"
                + " no leading pair.");
  }
}
