package dev.helixbg.daemon.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindingJsonTest {
  private static final String ENDLESS = "x".repeat(3_000_000);

  private static void entry(ObjectNode entry) {
    entry.put("name", ENDLESS + ":0").put("key", "0".repeat(32)).put("source", ENDLESS);
    entry.put("text", ENDLESS).put("textOmitted", 7);
    for (int i = 0; i < 1_000; i++) {
      entry.withArray("tags").add(ENDLESS);
    }
  }

  private static ObjectNode hostile() {
    ObjectNode finding = Json.object().put("id", "rel-1").put("kind", "relation");
    finding.put("named", ENDLESS).put("proposedText", ENDLESS);
    finding.putObject("verdict").put("verdict", "same").put("by", ENDLESS);
    finding.putObject("decision").put("reason", ENDLESS);
    finding.putObject("evidence").putArray("sharedWords").add(ENDLESS);
    finding.putArray("edit").addObject().put("do", ENDLESS);
    entry(finding.putObject("a"));
    entry(finding.putObject("b"));
    for (int i = 0; i < 2_000; i++) {
      finding.withArray("entries").addObject().put("name", "t:" + i).put("text", ENDLESS);
    }
    return finding;
  }

  @Test
  void whateverItSaysItIsShort() {
    JsonNode whole = FindingJson.of(hostile(), true);
    assertTrue(whole.toString().length() < 40_000, whole.toString().length() + " characters");
    assertEquals(FindingJson.TEXT, whole.at("/a/text").asText().length());
    assertEquals(7 + ENDLESS.length() - FindingJson.TEXT, whole.at("/a/textOmitted").asInt());
    assertEquals("0".repeat(32), whole.at("/a/id").asText());
    assertEquals(20, whole.path("entries").size());
    assertEquals(1_980, whole.path("entriesOmitted").asInt());
    JsonNode brief = FindingJson.of(hostile(), false);
    assertTrue(brief.toString().length() < 8_000, brief.toString().length() + " characters");
  }

  @Test
  void whatIsShortIsWhole() {
    ObjectNode finding = Json.object().put("id", "rel-1");
    finding.putObject("a").put("name", "t:0").put("text", "all of it").putArray("tags").add("one");
    JsonNode shown = FindingJson.of(finding, true);
    assertEquals("all of it", shown.at("/a/text").asText());
    assertEquals("[\"one\"]", shown.at("/a/tags").toString());
    assertFalse(shown.path("a").has("textOmitted"));
    assertFalse(shown.has("entriesOmitted"));
  }

  /** A cut text would change the edit. */
  @Test
  void callsAreNeverCut() {
    ObjectNode act = Json.object();
    act.putArray("calls").addObject().putObject("arguments").put("text", "y".repeat(8_000));
    assertEquals(act.path("calls"), FindingJson.act(act).path("calls"));
  }

  @Test
  void callsWithEmojiAndPersianAreShown() {
    for (String text : List.of("👨\u200D💻 Developers run the linter", "می\u200Cخواهیم")) {
      ObjectNode act = Json.object();
      act.putArray("calls").addObject().putObject("arguments").put("text", text);
      act.putArray("edits").addObject().put("old", text);
      assertEquals(act, FindingJson.act(act));
    }
    ObjectNode act = Json.object();
    act.putArray("calls").addObject().putObject("arguments").put("text", "bidi \u202E");
    assertTrue(FindingJson.act(act).path("calls").isEmpty());
  }

  /** A list shows the passage alone; a single finding also shows the text around it. */
  @Test
  void whatMatchesInALongEntryIsShown() {
    ObjectNode finding = Json.object().put("id", "rel-1");
    String before = "word ".repeat(2_000);
    String passage = "The lease ends after thirty seconds.";
    finding.putObject("a").put("name", "t:0").put("text", before + passage + " More.");
    finding.putObject("b").put("name", "t:1").put("text", "cut before it");
    ObjectNode passages = finding.putObject("evidence").putObject("passages");
    int start = before.length();
    passages.putObject("a").put("start", start).put("end", start + passage.length());
    passages.putObject("b").put("start", 30_000).put("end", 30_100);
    JsonNode whole = FindingJson.of(finding, true);
    assertEquals(passage, whole.at("/a/matched/text").asText());
    assertEquals(" More.", whole.at("/a/matched/after").asText());
    assertTrue(whole.at("/a/matched/before").asText().startsWith("… word "));
    assertEquals(start, whole.at("/a/matched/from").asInt());
    assertFalse(whole.path("b").has("matched"));
    JsonNode brief = FindingJson.of(finding, false);
    assertEquals(passage, brief.at("/a/matched/text").asText());
    assertFalse(brief.at("/a/matched").has("before"));
  }
}
