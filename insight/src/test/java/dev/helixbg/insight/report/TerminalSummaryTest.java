package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.text.HostileText;
import dev.helixbg.config.text.TextColumns;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TerminalSummaryTest {
  /** Returns the summary without its own colours. */
  static String plain(Report report) {
    return TerminalSummary.render(report).replaceAll("\u001B\\[[0-9]+m", "");
  }

  @ParameterizedTest
  @MethodSource("dev.helixbg.insight.report.HtmlReportTest#everyFixture")
  void aDozenLinesThatFit(Report report) {
    List<String> lines = plain(report).lines().toList();
    assertTrue(lines.size() <= 12, () -> String.join("\n", lines));
    for (String line : lines) {
      assertTrue(TextColumns.of(line) <= 80, line);
    }
  }

  @ParameterizedTest
  @MethodSource("dev.helixbg.insight.report.HtmlReportTest#everyFixture")
  void noCharacterOfTheirsActs(Report report) {
    String plain = plain(report);
    assertTrue(plain.codePoints().allMatch(c -> c == '\n' || HostileText.isHarmless(c)), plain);
  }

  @Test
  void aPathIsTextToo() {
    assertEquals("Report: /kb␛]0;x␇\n", TerminalSummary.where("/kb\u001B]0;x\u0007"));
    assertEquals("", TerminalSummary.where(""));
  }
}
