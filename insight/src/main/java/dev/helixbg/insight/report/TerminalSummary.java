package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.TextColumns;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.NoteName;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The summary that a person sees on the terminal after a run: a dozen lines of 80 columns at most.
 */
public final class TerminalSummary {
  private static final int WIDTH = 80;

  /**
   * Width of the kind and its count, in columns: the longest kind, room for 99,999, and two blanks.
   */
  private static final int START_WIDTH = 24;

  private static final int NAME_WIDTH = 24;
  private static final int SHOWN_RELATIONS = 3;
  private static final int SHOWN_FILES = 5;

  private final StringBuilder out = new StringBuilder();

  private TerminalSummary() {}

  /**
   * @param title of its first entry; may be empty
   * @param names of its entries, and what else is said in a few words
   */
  private record Row(String title, String names) {}

  /** With ANSI colours. */
  public static String render(Report report) {
    return new TerminalSummary().summary(report);
  }

  /** The last line. A path is there to be copied: it is never cut. */
  public static String where(String report) {
    return report.isEmpty() ? "" : "Report: " + PrintableText.line(report) + "\n";
  }

  private String summary(Report report) {
    Findings findings = report.findings();
    Findings.Totals totals = findings.totals();
    JudgedRelations pairs = JudgedRelations.of(findings.relations(), report.judgements());
    line(
        NumberWords.count(findings.entries().size(), "entry", "entries")
            + " in "
            + NumberWords.count(findings.topics().size(), "topic", "topics")
            + ", "
            + NumberWords.count(totals.pairs(), "pair", "pairs")
            + " compared, "
            + NumberWords.count(pairs.ranked())
            + " ranked, "
            + (pairs.read() == 0 ? "" : NumberWords.count(pairs.read()) + " read, ")
            + (pairs.judgedCount() == 0 ? "none" : NumberWords.count(pairs.judgedCount()))
            + " judged");
    report.firstLook().ifPresent(look -> out.append(painted("33", look.words())).append('\n'));
    judged(report.judgements());
    damage(report.log());
    memory(report, pairs);
    if (!findings.entries().isEmpty()) {
      copies(findings.copies());
      relations(pairs, report.judgements());
      wrapped(Headline.of(report, pairs).also());
      notLookedAt(report.sources());
    }
    return out.toString();
  }

  private void damage(LogAccount log) {
    if (log.damage().isEmpty()) {
      return;
    }
    long lost = log.damage().stream().mapToLong(LogAccount.Damage::unreadable).sum();
    String text =
        "data.log: "
            + NumberWords.count(lost, "byte", "bytes")
            + " could not be read, in "
            + NumberWords.count(log.damage().size(), "place", "places");
    out.append(painted("33", PrintableText.excerpt(text, WIDTH))).append('\n');
  }

  private void memory(Report report, JudgedRelations pairs) {
    List<MemoryFile> files =
        report.notes().map(notes -> notes.account().memory()).orElse(List.of());
    if (files.isEmpty()) {
      return;
    }
    Map<String, Integer> savings = report.savings(pairs);
    List<MemoryFile> largest =
        files.stream()
            .sorted(Comparator.comparingInt(MemoryFile::tokens).reversed())
            .limit(SHOWN_FILES)
            .toList();
    for (MemoryFile file : largest) {
      int saved = savings.getOrDefault(file.path(), 0);
      line(
          "%s: %s (%s), about %s%s%s"
              .formatted(
                  PrintableText.line(file.path()),
                  NumberWords.count(file.entries(), "entry", "entries"),
                  file.cut(),
                  NumberWords.count(file.tokens(), "token", "tokens"),
                  saved == 0 ? "" : ", " + NumberWords.count(saved) + " could go",
                  file.overBound().map(over -> ", " + over).orElse("")));
    }
    int more = files.size() - largest.size();
    if (more > 0) {
      line(NumberWords.count(more, "more memory file", "more memory files") + " in the report");
    }
  }

  private void judged(Judgements judgements) {
    if (judgements.model().isPresent()) {
      long labels =
          judgements.guesses().values().stream()
              .filter(guess -> guess.origin() == LabelGuess.Origin.MODEL)
              .count();
      int left = judgements.left().values().stream().mapToInt(Integer::intValue).sum();
      line(
          PrintableText.line(judgements.model().get())
              + ": "
              + NumberWords.count(labels, "label", "labels")
              + ", "
              + NumberWords.count(judgements.verdicts().size(), "verdict", "verdicts")
              + ", "
              + NumberWords.count(judgements.summaries().size(), "summary", "summaries")
              + (left > 0 ? "; " + NumberWords.count(left) + " left for the next run" : ""));
      if (judgements.areGuesses()) {
        line(JudgeTrust.GUESSING);
      } else if (judgements.trust().isEmpty()) {
        line(JudgeTrust.UNMEASURED);
      }
    } else if (!judgements.guesses().isEmpty()) {
      line("No language model: labels by wording, no verdicts. helix-bg fetch-models gets one");
    }
  }

  private void copies(List<Finding.Copies> copies) {
    if (!copies.isEmpty()) {
      List<NamedEntry> first = copies.getFirst().entries();
      String names =
          name(first.get(0))
              + " ~ "
              + name(first.get(1))
              + NumberWords.more(first.size(), 2).map(words -> " " + words).orElse("");
      rows("Exact copies", copies.size(), List.of(new Row(first.getFirst().title(), names)));
    }
  }

  private void relations(JudgedRelations pairs, Judgements judgements) {
    List<Row> rows =
        pairs.leading().stream()
            .limit(SHOWN_RELATIONS)
            .map(pair -> row(pair, judgements.verdict(pair)))
            .toList();
    rows("Worth a look", pairs.leading().size(), rows);
    int more = pairs.leading().size() - rows.size();
    if (more > 0) {
      out.append(" ".repeat(START_WIDTH)).append(NumberWords.count(more) + " more in the report\n");
    }
  }

  private static Row row(Finding.Relation pair, Optional<PairVerdict> verdict) {
    return new Row(
        pair.a().title(),
        name(pair.a())
            + " ~ "
            + name(pair.b())
            + verdict
                .map(said -> said.verdict().title())
                .or(() -> JudgementWords.assessment(pair))
                .map(words -> ": " + words)
                .orElse(""));
  }

  private void notLookedAt(SourceCheckResult sources) {
    sources.folders().stream()
        .filter(folder -> folder.trouble().isPresent())
        .forEach(
            folder ->
                line("Sources " + folder.name() + " not looked at: " + folder.trouble().get()));
  }

  /** The kind and its count stand before the first row only. */
  private void rows(String kind, long total, List<Row> rows) {
    String count = total == 0 ? "none" : NumberWords.count(total);
    String padding = " ".repeat(Math.max(1, START_WIDTH - 2 - kind.length() - count.length()));
    out.append(painted("1", kind)).append(padding).append(count).append(rows.isEmpty() ? "" : "  ");
    for (int i = 0; i < rows.size(); i++) {
      out.append(i == 0 ? "" : "\n" + " ".repeat(START_WIDTH));
      row(rows.get(i));
    }
    out.append('\n');
  }

  private void row(Row row) {
    int room = WIDTH - START_WIDTH;
    int forTitle = Math.max(room - TextColumns.of(row.names()) - 2, room / 2);
    String title = PrintableText.excerpt(row.title(), forTitle);
    String between = title.isEmpty() ? "" : "  ";
    int left = room - TextColumns.of(title + between);
    out.append(title).append(between);
    out.append(painted("2", PrintableText.excerpt(row.names(), left)));
  }

  private static String name(NamedEntry named) {
    if (named.place().isPresent()) {
      return TopicView.path(PrintableText.line(named.place().get()), NAME_WIDTH);
    }
    Optional<NoteName> note = NoteName.of(named.entry());
    if (note.isPresent()) {
      String part = PrintableText.line(note.get().partInName());
      String whole =
          named.name().substring(0, named.name().length() - note.get().partInName().length());
      return TopicView.path(PrintableText.line(whole), NAME_WIDTH) + part;
    }
    String suffix = ":" + named.index();
    return PrintableText.excerpt(
            TopicView.label(named.entry().topic()), Math.max(4, NAME_WIDTH - suffix.length()))
        + suffix;
  }

  /** Sentences in lines of the usual width. */
  private void wrapped(String sentences) {
    StringBuilder line = new StringBuilder();
    for (String word : sentences.split(" ")) {
      if (line.length() + word.length() + 1 > WIDTH) {
        line(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    if (!line.isEmpty()) {
      line(line.toString());
    }
  }

  private void line(String text) {
    out.append(PrintableText.excerpt(text, WIDTH)).append('\n');
  }

  private static String painted(String code, String text) {
    return !text.isEmpty() ? "\u001B[" + code + "m" + text + "\u001B[0m" : text;
  }
}
