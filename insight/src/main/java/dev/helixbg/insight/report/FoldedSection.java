package dev.helixbg.insight.report;

import dev.helixbg.config.Settings.InsightSettings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Findings of one kind that do not lead, a line each, folded where a format can fold.
 *
 * @param total how many there are, and how many of them are listed
 * @param intro what they are
 */
record FoldedSection(String title, String total, String intro, List<LineView> lines) {
  /** Most findings of a section; {@code helix-bg findings --all} has the others. */
  private static final int LISTED = 100;

  /** The pairs of the list that do not lead, by what was said of each; the first are worth most. */
  private enum OtherPairs {
    WORTH("More pairs that may be worth an act"),
    RELATED("Related pairs"),
    UNREAD("Pairs that were not read"),
    DIFFERENT("Pairs that are probably not worth an act");

    private final String title;

    OtherPairs(String title) {
      this.title = title;
    }

    private static OtherPairs of(Finding.Relation pair, Judgements judgements) {
      return PairView.verdict(pair, judgements)
          .map(
              verdict ->
                  switch (verdict) {
                    case SAME, OVERTAKEN -> WORTH;
                    case RELATED -> RELATED;
                    case DIFFERENT -> DIFFERENT;
                  })
          .orElse(UNREAD);
    }

    /** Returns a section for each that has pairs, the best of the list in it. */
    static List<FoldedSection> sections(
        List<Finding.Relation> found, JudgedRelations judged, Judgements judgements) {
      Set<Finding.Relation> leading = new HashSet<>(judged.leading());
      Map<OtherPairs, List<LineView>> listed = new EnumMap<>(OtherPairs.class);
      found.stream()
          .filter(pair -> !leading.contains(pair))
          .limit(LISTED)
          .forEach(
              pair ->
                  listed
                      .computeIfAbsent(of(pair, judgements), _ -> new ArrayList<>())
                      .add(LineView.of(pair, judgements)));
      int left = found.size() - leading.size() - LISTED;
      String more =
          left > 0
              ? " %s more, ranked lower, are in report.json.".formatted(NumberWords.count(left))
              : "";
      return listed.entrySet().stream()
          .map(
              one ->
                  new FoldedSection(
                      one.getKey().title,
                      NumberWords.count(one.getValue().size()),
                      "In the order of the list." + more,
                      one.getValue()))
          .toList();
    }
  }

  /**
   * All of a report that does not lead, without sections that are empty.
   *
   * @param leadingCopies groups of copies that lead
   */
  static List<FoldedSection> of(Report report, JudgedRelations judged, int leadingCopies) {
    Findings findings = report.findings();
    InsightSettings limits = findings.limits();
    Judgements judgements = report.judgements();
    List<FoldedSection> all =
        new ArrayList<>(OtherPairs.sections(findings.relations(), judged, judgements));
    add(
        all,
        "More exact copies",
        "Entries with the very same text: all but one of each group can go.",
        findings.copies().subList(leadingCopies, findings.copies().size()),
        LineView::of);
    add(
        all,
        "Proposed merges",
        "One text for entries that state the same fact, as the language model would write it."
            + " Nothing was changed: compare before you use one.",
        judgements.merges(),
        LineView::of);
    add(
        all,
        "Recurring lessons",
        lessons(judgements.lessons()),
        judgements.lessons().all(),
        LineView::of);
    add(
        all,
        "Overlapping topics",
        "Topics whose centres are more similar than "
            + NumberWords.limit(limits.topicOverlap())
            + ". One topic may have been split in two, or two may want clearer borders.",
        findings.topicOverlaps(),
        LineView::of);
    if (!findings.misfiled().isEmpty()) {
      all.add(
          new FoldedSection(
              "Perhaps under the wrong topic",
              NumberWords.shownOf(findings.misfiled().size(), findings.totals().misfiled()),
              "Entries that are nearer to the centre of another topic than to that of their own, by"
                  + " at least "
                  + NumberWords.limit(limits.misfiledMargin())
                  + ".",
              findings.misfiled().stream().map(LineView::of).toList()));
    }
    SourceCheckResult sources = report.sources();
    if (!sources.folders().isEmpty() || !sources.moved().isEmpty()) {
      all.add(
          section(
              "Sources that moved",
              "Files that entries name and that are gone, and lines of indexes that lead nowhere. "
                  + looked(sources),
              sources.moved(),
              LineView::of));
    }
    add(
        all,
        "Secrets",
        "Entries that hold a password, key or token. Remove it there, and have a new one issued.",
        report.secrets(),
        LineView::of);
    return all;
  }

  private static <T> void add(
      List<FoldedSection> all,
      String title,
      String intro,
      List<T> found,
      Function<T, LineView> line) {
    if (!found.isEmpty()) {
      all.add(section(title, intro, found, line));
    }
  }

  private static <T> FoldedSection section(
      String title, String intro, List<T> found, Function<T, LineView> line) {
    return new FoldedSection(
        title,
        NumberWords.shownOf(LISTED, found.size()),
        intro,
        found.stream().limit(LISTED).map(line).toList());
  }

  private static String lessons(Judgements.Lessons lessons) {
    return "Entries about different things that teach one lesson. "
        + lessons.reader().map(PrintableText::line).orElse("")
        + " put the lesson of each entry, seen alone, into a sentence, and compared those that are"
        + " near to each other."
        + (lessons.areGuesses()
            ? lessons.trust().map(trust -> " " + trust.words()).orElse("")
            : "");
  }

  /** Says which folders were looked at, and which could not be. */
  private static String looked(SourceCheckResult sources) {
    return sources.folders().stream()
        .map(
            folder ->
                PrintableText.line(folder.name())
                    + folder.commit().map(commit -> " at commit " + commit).orElse("")
                    + folder.trouble().map(why -> " was not looked at: " + why).orElse(""))
        .collect(Collectors.joining(". ", "Sources: ", "."));
  }
}
