package dev.helixbg.insight.report;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.config.text.TextColumns;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.notes.MemoryFile;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The summary on the terminal after a run: a few lines of at most 80 columns. */
public final class TerminalSummary {
  private static final int WIDTH = 80;

  /** Minimum width of a finding's title, in columns. */
  private static final int TITLE_WIDTH = 12;

  private static final int SHOWN_RELATIONS = 3;
  private static final int SHOWN_FILES = 5;

  // ANSI codes
  private static final String BOLD = "1";
  private static final String YELLOW = "33";

  private final StringBuilder out = new StringBuilder();

  private TerminalSummary() {}

  /** Returns the summary with ANSI colours. */
  public static String render(Report report) {
    return new TerminalSummary().summary(report);
  }

  /** Returns the summary's last line. The path in it is never cut, so that the user can copy it. */
  public static String where(String report) {
    return report.isEmpty() ? "" : "Report: " + PrintableText.line(report) + "\n";
  }

  private String summary(Report report) {
    Findings findings = report.findings();
    JudgedRelations pairs = JudgedRelations.of(findings.relations(), report.judgements());
    say(
        "%s, %s compared, %s ranked, %s%s judged"
            .formatted(
                NumberWords.entriesIn(findings.entries().size(), findings.topics().size()),
                NumberWords.count(findings.pairs(), "pair", "pairs"),
                NumberWords.count(pairs.ranked()),
                pairs.read() == 0 ? "" : NumberWords.count(pairs.read()) + " read, ",
                pairs.judgedCount() == 0 ? "none" : NumberWords.count(pairs.judgedCount())));
    report.firstLook().ifPresent(look -> say(YELLOW, look.words()));
    judged(report.judgements());
    if (!report.log().damage().isEmpty()) {
      say(YELLOW, "data.log: " + PlacesSection.of(report.log()).intro());
    }
    memory(report, pairs);
    if (!findings.entries().isEmpty()) {
      Headline headline = Headline.of(report, pairs, FoldedSection.others(report));
      say(BOLD, headline.title());
      findings.copies().stream()
          .limit(1)
          .forEach(group -> finding("exact copies", group.entries()));
      pairs.leading().stream()
          .limit(SHOWN_RELATIONS)
          .forEach(
              pair ->
                  finding(
                      PairView.said(pair, report.judgements()).orElse("not read"),
                      List.of(pair.a(), pair.b())));
      say(headline.also());
      report.sources().folders().stream()
          .filter(folder -> folder.trouble().isPresent())
          .map(
              one ->
                  "Sources in "
                      + one.name()
                      + (one.commit().isEmpty() ? " were not looked at: " : ": ")
                      + one.trouble().get())
          .forEach(this::say);
    }
    return out.toString();
  }

  private void memory(Report report, JudgedRelations pairs) {
    List<MemoryFile> files =
        report.notes().map(notes -> notes.account().memory()).orElse(List.of());
    if (files.isEmpty()) {
      return;
    }
    Map<String, Integer> savings = report.savings(pairs);
    files.stream()
        .sorted(Comparator.comparingInt(MemoryFile::tokens).reversed())
        .limit(SHOWN_FILES)
        .map(file -> PlacesSection.PlaceView.of(file, savings))
        .map(one -> one.where() + ": " + one.what() + one.over().map(", "::concat).orElse(""))
        .forEach(this::say);
    int more = files.size() - SHOWN_FILES;
    if (more > 0) {
      say(NumberWords.count(more, "more memory file", "more memory files") + " in the report");
    }
  }

  private void judged(Judgements judgements) {
    if (judgements.model().isPresent()) {
      int left = judgements.questionsLeft();
      String open =
          "; " + NumberWords.count(left, "question", "questions") + " left for the next run";
      say(
          "%s: %s, %s%s"
              .formatted(
                  judgements.model().get(),
                  NumberWords.count(judgements.verdicts().size(), "verdict", "verdicts"),
                  NumberWords.count(judgements.summaries().size(), "summary", "summaries"),
                  left > 0 ? open : ""));
      judgements.doubt().ifPresent(this::say);
    } else if (!judgements.guesses().isEmpty()) {
      say(
          "No language model: labels come from the wording, and there are no verdicts. To get a"
              + " model: helix-bg fetch-models");
    }
  }

  /** Appends a finding: its kind, the first entry's title, the names of the first two entries. */
  private void finding(String what, List<NamedEntry> entries) {
    String names = name(entries.get(0)) + " ~ " + name(entries.get(1));
    int room = WIDTH - 2 - TextColumns.of(what + ":  · " + names);
    String title = PrintableText.excerpt(entries.getFirst().title(), Math.max(TITLE_WIDTH, room));
    String line = "%s: %s · %s".formatted(what, title, names);
    out.append("  ").append(PrintableText.excerpt(line, WIDTH - 2)).append('\n');
  }

  private static String name(NamedEntry named) {
    return named.place().orElseGet(named::name);
  }

  private void say(String sentences) {
    say("", sentences);
  }

  /** Appends sentences in lines of at most 80 columns. */
  private void say(String code, String sentences) {
    StringBuilder line = new StringBuilder();
    for (String word : PrintableText.line(sentences).split(" ")) {
      if (TextColumns.of(line + word) >= WIDTH) {
        end(code, line);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    end(code, line);
  }

  private void end(String code, StringBuilder line) {
    String text = PrintableText.excerpt(line.toString(), WIDTH);
    if (!text.isEmpty()) {
      out.append(code.isEmpty() ? text : "\u001B[" + code + "m" + text + "\u001B[0m").append('\n');
    }
    line.setLength(0);
  }
}
