package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertIterableEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Compares the reports on {@link KbFixtures#small} byte for byte with reports that a person has
 * checked.
 */
class GoldenReportTest {
  private static final String UPDATE = "report.golden.update";
  private static final String HOW_TO_UPDATE =
      "\nWhen that is meant: mvn -o test -pl insight -am -Dtest=GoldenReportTest"
          + " -Dsurefire.failIfNoSpecifiedTests=false -D"
          + UPDATE
          + "=true, then read the difference in insight/src/test/resources/report.";

  private final Report report = KbFixtures.small().report();

  @Test
  void jsonIsWhatItWas() throws IOException {
    assertGolden("small.json", new String(KbFixtures.json(report), StandardCharsets.UTF_8));
  }

  @Test
  void markdownIsWhatItWas() throws IOException {
    assertGolden("small.md", MarkdownReport.render(report));
  }

  @Test
  void htmlIsWhatItWas() throws IOException {
    assertGolden("small.html", HtmlReport.render(report));
  }

  @Test
  void terminalSummaryIsWhatItWas() throws IOException {
    assertGolden(
        "small.txt",
        TerminalSummaryTest.plain(report) + TerminalSummary.where("/kb/insights/report.html"));
  }

  private static void assertGolden(String name, String actual) throws IOException {
    if (Boolean.getBoolean(UPDATE)) {
      Files.writeString(Path.of("src/test/resources/report", name), actual);
      return;
    }
    try (InputStream in = GoldenReportTest.class.getResourceAsStream("/report/" + name)) {
      String expected = in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertIterableEquals(
          expected.lines().toList(), actual.lines().toList(), name + " changed" + HOW_TO_UPDATE);
      assertEquals(expected, actual, "line ends");
    }
  }
}
