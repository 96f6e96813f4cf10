package dev.helixbg.insight.pairs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Tier;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SeriesTest {
  private static final Reading SURE = new Reading(new float[] {9, 0, 0, 0}, true, true);

  static Stream<JsonNode> pairs() throws IOException {
    ObjectMapper mapper = new ObjectMapper();
    try (InputStream in = SeriesTest.class.getResourceAsStream("/series/series.jsonl")) {
      String[] lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).split("\n");
      JsonNode[] nodes = new JsonNode[lines.length];
      for (int i = 0; i < lines.length; i++) {
        nodes[i] = mapper.readTree(lines[i]);
      }
      return Stream.of(nodes);
    }
  }

  @ParameterizedTest
  @MethodSource("pairs")
  void seriesAreKnownAndRewritesAndOvertakenNotesAreNone(JsonNode pair) {
    String a = pair.get("a").asText();
    String b = pair.get("b").asText();
    boolean isSeries = pair.get("truth").asText().equals("series");
    assertEquals(isSeries, Series.between(a, b).isPresent());
    assertEquals(isSeries, Series.between(b, a).isPresent());
    Assessment said = assessed(a, b);
    assertTrue(said.act() > 0.5);
    assertEquals(isSeries, said.tier() == Tier.SERIES);
    assertEquals(!isSeries, said.mayBeWorthAnAct());
  }

  private static Assessment assessed(String a, String b) {
    return new PairAssessor(new PairCalibration(1, 0.95, 0.9, 8), PairFit.NONE)
        .of(SURE, 1, a, b, new ActFrequency(ActFrequency.CALIBRATED));
  }

  @Test
  void itSaysWhatTellsThemApart() {
    assertEquals(
        Optional.of("March, April"),
        Series.between("Invoice of March: 42 EUR", "Invoice of April: 43 EUR"));
  }

  /** Each text names its own subject twice, and never names the subject of the other text. */
  @Test
  void textsOfOneFormThatAreEachAboutTheirOwnDoNotLead() {
    String events =
        "fix: autovacuum never finished on events. The archiver locked events every 5 minutes and"
            + " each time the vacuum worker was cancelled. It runs once a night now.";
    String audit =
        "fix: autovacuum never finished on audit_log. The export locked audit_log every 15 minutes"
            + " and each time the vacuum worker was cancelled. It runs once a night now.";
    assertEquals(Optional.of("events, audit_log"), OwnSubjects.between(events, audit));
    Assessment said = assessed(events, audit);
    assertEquals(Tier.SERIES, said.tier());
    assertFalse(said.mayBeWorthAnAct());
    String newer = events.replace("every 5 minutes", "every hour").replace("once", "twice");
    assertEquals(Optional.empty(), OwnSubjects.between(events, newer));
    String longer = events + " Dead rows of events went from 410 to 9 million.";
    assertEquals(Optional.empty(), OwnSubjects.between(events, longer));
    assertEquals(Optional.empty(), OwnSubjects.between("", ""));
  }

  @Test
  void emptyAndLongTextsAreNone() {
    assertFalse(Series.between("", "").isPresent());
    assertFalse(Series.between("", "Car A").isPresent());
    String text = "word ".repeat(50_000);
    assertFalse(Series.between(text, text).isPresent());
  }
}
