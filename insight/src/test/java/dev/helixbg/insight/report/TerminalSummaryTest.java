package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.text.HostileText;
import dev.helixbg.config.text.TextColumns;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TerminalSummaryTest {
  private static final String WHERE = "/home/someone/.helix/insights/report.html";

  static Stream<Report> everyFixture() {
    return HtmlReportTest.everyFixture();
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void aDozenLinesThatFit(Report report) {
    for (int width : new int[] {0, 40, 60, 80, 120, 1000}) {
      List<String> lines = TerminalSummary.render(report, WHERE, width, false).lines().toList();
      assertTrue(lines.size() <= 12, () -> String.join("\n", lines));
      for (String line : lines.subList(0, lines.size() - 1)) {
        assertTrue(TextColumns.of(line) <= Math.clamp(width, 40, 120), line);
      }
      assertEquals("Report: " + WHERE, lines.getLast());
    }
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void noCharacterOfTheirsActsAndOursOnlyWithColor(Report report) {
    String plain = TerminalSummary.render(report, WHERE, 100, false);
    assertTrue(plain.codePoints().allMatch(c -> c == '\n' || HostileText.isHarmless(c)), plain);
    String colored = TerminalSummary.render(report, WHERE, 100, true);
    assertEquals(plain, colored.replaceAll("\u001B\\[[0-9]+m", ""));
  }

  @Test
  void aHostilePathIsTextToo() {
    String summary =
        TerminalSummary.render(KbFixtures.small().report(), "/kb\u001B]0;x\u0007", 80, false);
    assertTrue(summary.endsWith("Report: /kb␛]0;x␇\n"), summary);
  }

  @Test
  void withoutAReportNothingIsSaidOfOne() {
    assertFalse(
        TerminalSummary.render(KbFixtures.small().report(), "", 80, false).contains("Report:"));
  }
}
