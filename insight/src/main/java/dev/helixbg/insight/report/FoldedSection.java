package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The findings of one kind that are not in the report's top section; {@code total} tells how many
 * are listed.
 */
record FoldedSection(String title, String total, String intro, List<LineView> lines) {
  /** Maximum number of findings in a section; {@code helix-bg findings --all} lists the others. */
  private static final int LISTED = 100;

  private static final int NAMED = 3;

  /** A finding on one line, with the names of its first entries or topics. */
  record LineView(
      String id,
      Optional<String> verdict,
      List<NameView> names,
      Optional<String> moreWords,
      Optional<String> says) {

    static LineView of(String id, String verdict, List<NamedEntry> entries, String says) {
      return new LineView(
          PrintableText.line(id),
          Optional.of(verdict).filter(words -> !words.isEmpty()),
          entries.stream().limit(NAMED).map(NameView::of).toList(),
          NumberWords.more(entries.size(), NAMED),
          Optional.of(PrintableText.line(says)).filter(words -> !words.isEmpty()));
    }

    static LineView of(String id, NamedEntry entry, String says) {
      return of(id, "", List.of(entry), says);
    }

    static LineView of(Finding.TopicOverlap topics) {
      String similarity = "similarity " + NumberWords.similarity(topics.similarity());
      return new LineView(
          PrintableText.line(topics.id()),
          Optional.empty(),
          Stream.of(topics.a(), topics.b()).map(NameView::ofTopic).toList(),
          Optional.empty(),
          Optional.of(similarity + ", " + EvidenceWords.of(topics)));
    }
  }

  static FoldedSection pairs(Report report, JudgedRelations judged) {
    Set<Finding.Relation> leading = new HashSet<>(judged.leading());
    return section(
        "Other pairs",
        "Pairs in the order of their rank, each with its verdict. The language model has not"
            + " read the pairs without a verdict.",
        report.findings().relations().stream().filter(pair -> !leading.contains(pair)).toList(),
        pair -> {
          String said = PairView.said(pair, report.judgements()).orElse("");
          return LineView.of(pair.id(), said, List.of(pair.a(), pair.b()), "");
        });
  }

  static List<FoldedSection> others(Report report) {
    Findings findings = report.findings();
    Judgements judgements = report.judgements();
    SourceCheckResult sources = report.sources();
    FoldedSection moved =
        section(
            "Sources that moved",
            "Files that entries name but that no longer exist, and index lines that link to a"
                + " missing or wrong file. "
                + looked(sources),
            sources.moved(),
            one -> LineView.of(one.id(), one.entry(), one.words()));
    return Stream.of(
            section(
                "Secrets",
                "Entries that hold a password, key or token. Remove the secret from the entry, and"
                    + " have a new secret issued.",
                report.secrets(),
                one -> LineView.of(one.id(), one.entry(), one.says())),
            section(
                "More exact copies",
                "Entries with exactly the same text: in each group, all entries except one can go.",
                findings.copies().stream().skip(LeadingSection.MAX_COPIES).toList(),
                one -> LineView.of(one.id(), "", one.entries(), "")),
            section(
                "Proposed merges",
                "One text for entries that state the same fact, as the language model would write"
                    + " it. Nothing was changed: compare the text with the entries before you use"
                    + " it.",
                judgements.merges(),
                one -> LineView.of(one.id(), "", one.entries(), "")),
            section(
                judgements.lessons().areGuesses()
                    ? "Recurring lessons, guessed"
                    : "Recurring lessons",
                lessons(judgements.lessons()),
                judgements.lessons().all(),
                FoldedSection::line),
            section(
                "Overlapping topics",
                ("Topics whose centres are more similar than %s. One topic may have been split in"
                        + " two, or two topics may need a clearer border.")
                    .formatted(NumberWords.limit(Finding.TopicOverlap.ABOVE)),
                findings.topicOverlaps(),
                LineView::of),
            moved)
        .filter(one -> !one.lines().isEmpty() || one == moved && !sources.folders().isEmpty())
        .toList();
  }

  private static LineView line(Judgements.Lesson lesson) {
    String entries = NumberWords.count(lesson.entries().size(), "entry", "entries");
    String of = entries + " of " + NumberWords.count(lesson.topics(), "topic", "topics");
    return LineView.of(
        lesson.id(), PrintableText.excerpt(lesson.text(), 200), lesson.entries(), of);
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
    return ("Entries that are about different things, but teach the same lesson. %s read each entry"
            + " by itself and wrote its lesson as one sentence, and then compared similar"
            + " sentences.%s")
        .formatted(
            lessons.reader().map(PrintableText::line).orElse(""),
            lessons.areGuesses() ? " " + lessons.trust().orElseThrow().words() : "");
  }

  private static String looked(SourceCheckResult sources) {
    return sources.folders().stream()
        .map(
            folder ->
                PrintableText.line(folder.name())
                    + folder.commit().map(" at commit "::concat).orElse(" was not looked at")
                    + folder.trouble().map(": "::concat).orElse(""))
        .collect(Collectors.joining(". ", "Sources: ", "."));
  }

  /** Returns the title and the number of findings, in a form that fits into a sentence. */
  String inSentence() {
    return title.substring(0, 1).toLowerCase(Locale.ROOT) + title.substring(1) + " (" + total + ")";
  }
}
