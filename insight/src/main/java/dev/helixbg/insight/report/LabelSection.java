package dev.helixbg.insight.report;

import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.LabelCounts;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The labels of all entries, and where a guess contradicts a tag, in words.
 *
 * @param agreement how far guesses agree with tags, if there is anything to compare
 * @param disagreements the newest first
 */
record LabelSection(
    String intro,
    Optional<String> agreement,
    List<LabelRow> rows,
    List<Disagreement> disagreements) {
  private static final int NAMED = 12;
  private static final int DISAGREEMENTS = 12;

  /**
   * A label, how many entries have it, and which.
   *
   * @param names of entries that have it, the newest first
   * @param moreWords how many are not named; may be empty
   */
  record LabelRow(
      String label, String description, String count, List<NameView> names, String moreWords) {}

  /** A tag that the guess contradicts. */
  record Disagreement(NameView name, String tags, String guess) {}

  static LabelSection of(Findings findings, Judgements judgements) {
    LabelCounts census = LabelCounts.of(findings.entries(), judgements);
    List<LabelRow> rows = new ArrayList<>();
    for (Label label : Label.values()) {
      List<NamedEntry> entries = census.entries().getOrDefault(label, List.of());
      if (!entries.isEmpty()) {
        rows.add(row(label, entries));
      }
    }
    List<Disagreement> disagreements =
        census.disagreements().reversed().stream()
            .limit(DISAGREEMENTS)
            .map(named -> disagreement(named, judgements.guesses()))
            .toList();
    return new LabelSection(intro(census), agreement(census), rows, disagreements);
  }

  private static LabelRow row(Label label, List<NamedEntry> entries) {
    return new LabelRow(
        label.title(),
        label.description(),
        NumberWords.count(entries.size()),
        entries.reversed().stream().limit(NAMED).map(NameView::of).toList(),
        NumberWords.more(entries.size(), NAMED)
            .map(words -> words + ", all in report.json")
            .orElse(""));
  }

  private static Disagreement disagreement(NamedEntry named, Map<String, LabelGuess> guesses) {
    String tags =
        String.join(
            ", ", Label.among(named.entry().text().tags()).stream().map(Label::title).toList());
    LabelGuess guess = guesses.get(named.key());
    return new Disagreement(NameView.of(named), tags, JudgementWords.guess(guess));
  }

  private static String intro(LabelCounts census) {
    String tags = "An entry that is tagged with one of helix’s labels keeps it. ";
    if (census.byModel() + census.byAgent() == 0) {
      return tags
          + "Others have the label that their wording and vector suggest, about four in five of"
          + " them rightly; where that is unclear they have none.";
    }
    String reader =
        census.byAgent() == 0
            ? "the language model"
            : census.byModel() == 0 ? "a coding agent" : "the language model or a coding agent";
    return census.byClassifier() == 0
        ? tags + "Any other has the label that " + reader + " finds likeliest."
        : tags
            + "Of the others, those that "
            + reader
            + " has read have the label that it finds"
            + " likeliest; the rest, the one that wording and vector suggest, if any.";
  }

  private static Optional<String> agreement(LabelCounts census) {
    if (census.tagged() == 0) {
      return Optional.empty();
    }
    return Optional.of(
        "Where an entry has such a tag, the guess agrees with it in "
            + NumberWords.count(census.agreeing())
            + " of "
            + NumberWords.count(census.tagged(), "entry", "entries")
            + " ("
            + JudgementWords.percent((double) census.agreeing() / census.tagged())
            + ").");
  }
}
