package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.text.HostileText;
import dev.helixbg.config.text.TextColumns;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TerminalSummaryTest {
  static Stream<Report> everyFixture() {
    return HtmlReportTest.everyFixture();
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void aDozenLinesThatFit(Report report) {
    for (int width : new int[] {40, 60, 80, 120}) {
      List<String> lines = TerminalSummary.render(report, width, false).lines().toList();
      assertTrue(lines.size() <= 11, () -> String.join("\n", lines));
      for (String line : lines) {
        assertTrue(TextColumns.of(line) <= width, line);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("everyFixture")
  void noCharacterOfTheirsActsAndOursOnlyWithColor(Report report) {
    String plain = TerminalSummary.render(report, 100, false);
    assertTrue(plain.codePoints().allMatch(c -> c == '\n' || HostileText.isHarmless(c)), plain);
    String colored = TerminalSummary.render(report, 100, true);
    assertEquals(plain, colored.replaceAll("\u001B\\[[0-9]+m", ""));
  }

  @Test
  void aHostilePathIsTextToo() {
    assertEquals("Report: /kb␛]0;x␇\n", TerminalSummary.where("/kb\u001B]0;x\u0007"));
  }

  @Test
  void withoutAReportNothingIsSaidOfOne() {
    assertEquals("", TerminalSummary.where(""));
  }
}
