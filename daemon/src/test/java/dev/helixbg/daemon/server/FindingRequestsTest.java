package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.WrittenReport;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.log.DataLog;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

class FindingRequestsTest {
  private static final Instant NOW = Instant.parse("2026-11-23T12:00:00Z");

  private Kb kb;
  private KbStore store;
  private ObjectNode report;
  private FileHelix helix;
  private final List<String> pairs = new ArrayList<>(); // ids of relations

  @BeforeEach
  void report(@TempDir Path folder) throws Exception {
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    store = DaemonFixture.store(folder, kb);
    helix = new FileHelix(kb.dataLog());
    for (int i = 0; i < 4; i++) {
      helix.call("store", "topic", "t", "text", "Of t the note number " + i);
      helix.call("store", "topic", "u", "text", "Of u the note number " + i);
    }
    report = Json.object();
    for (int i = 0; i < 4; i++) {
      pairs.add(id(i));
      ObjectNode pair = report.withArray("relations").addObject().put("rank", i + 1);
      pair.put("id", id(i)).put("similarity", 0.9 - i / 10.0);
      pair.putObject("a").put("name", "t:" + i).put("topic", "t").put("key", key("t", i));
      pair.putObject("b").put("name", "u:" + i).put("topic", "u").put("key", key("u", i));
    }
    report.withArray("leading").add(pairs.get(2));
    WrittenReport.write(store, report);
  }

  private static String key(String topic, int i) {
    return TextKey.of("m", "%s Of %s the note number %d".formatted(topic, topic, i)).hex();
  }

  private FindingRequests findings() {
    PresentFindings present =
        new PresentFindings(new PresentEntries(DataLog.read(kb.dataLog()), "m"));
    return new FindingRequests(store, Optional.empty(), present);
  }

  private static String id(int i) {
    return "rel-%010x".formatted(i);
  }

  private List<ObjectNode> list(String name, String value) throws Exception {
    return findings().list(Json.object().put("limit", 100).put(name, value));
  }

  private ObjectNode one(String id) throws Exception {
    return findings().one(Json.object().put("id", id));
  }

  @Test
  void findingsOfOneVerdictAreListed() throws Exception {
    ((ObjectNode) report.at("/relations/1")).putObject("verdict").put("verdict", "overtaken");
    ((ObjectNode) report.at("/relations/2")).putObject("verdict").put("verdict", "same");
    WrittenReport.write(store, report);
    List<ObjectNode> lines = list("verdict", "overtaken");
    assertEquals(1, lines.getFirst().path("total").asInt());
    assertFalse(lines.getFirst().has("note"));
    assertEquals(pairs.get(1), lines.get(1).path("id").asText());
    assertEquals(1, list("verdict", "related").size(), "the line of counts");
  }

  /** If no pair has a verdict, an empty list for a verdict would mislead. */
  @Test
  void thatNoPairWasJudgedIsSaid() throws Exception {
    JsonNode counts = list("verdict", "overtaken").getFirst();
    assertEquals(0, counts.path("total").asInt());
    assertTrue(counts.path("note").asText().startsWith("No pair has a verdict"), counts::toString);
    assertFalse(findings().list(Json.object()).getFirst().has("note"));
  }

  /** No run has searched entries written since the report for findings. */
  @Test
  void howManyEntriesTheReportKnowsIsSaid() throws Exception {
    for (int i = 0; i < 4; i++) {
      report.withArray("entries").addObject().put("key", key("t", i));
      report.withArray("entries").addObject().put("key", key("u", i));
    }
    ObjectNode made = Json.object();
    made.putObject("log").put("sha256", DataLog.read(kb.dataLog()).account().sha256());
    made.setAll(report);
    WrittenReport.write(store, made);
    assertCoverage("{\"indexed\":8,\"total\":8}");
    helix.call("store", "topic", "t", "text", "New since then");
    assertCoverage("{\"indexed\":8,\"total\":9}");
  }

  private void assertCoverage(String expected) throws Exception {
    for (JsonNode told : List.of(findings().list(Json.object()).getFirst(), one(pairs.get(0)))) {
      assertEquals(expected, told.path("coverage").toString());
    }
  }

  /** A group of copies can contain all entries of the log. */
  @Test
  void ofManyEntriesTheFirstAreSent() throws Exception {
    ObjectNode report = Json.object();
    ObjectNode copies = report.withArray("copies").addObject().put("id", "copies-0123456789");
    for (int i = 0; i < 5_004; i++) {
      copies.withArray("entries").addObject().put("name", "t:1").put("key", key("t", i % 4));
    }
    WrittenReport.write(store, report);
    JsonNode line = one("copies-0123456789");
    assertEquals(100, line.path("entries").size());
    assertEquals(4_904, line.path("entriesOmitted").asInt());
  }

  private List<String> listed() throws Exception {
    List<ObjectNode> lines = findings().list(Json.object().put("limit", 100));
    assertEquals(lines.size() - 1, lines.getFirst().get("total").asInt());
    return lines.stream().skip(1).map(line -> line.get("id").asText()).toList();
  }

  @Test
  void whatLeadsIsFirst() throws Exception {
    assertEquals(List.of(pairs.get(2), pairs.get(0), pairs.get(1), pairs.get(3)), listed());
    ObjectNode second = findings().list(Json.object().put("from", 1).put("limit", 1)).get(1);
    assertEquals("cross-link", second.get("kind").asText());
    assertEquals("t:0", second.at("/a/name").asText());
  }

  @Test
  void aCrossLinkIsARelationToo() throws Exception {
    assertEquals(
        List.of(pairs.get(0), pairs.get(1)),
        list("kind", "cross-link").stream().skip(1).map(one -> one.get("id").asText()).toList());
    assertEquals(5, list("kind", "relation").size());
  }

  @Test
  void settledFindingsAreNotListed() throws Exception {
    store
        .decisions()
        .add(
            List.of(
                new Decision(id(0), Decision.Outcome.DISMISSED, Instant.EPOCH, "t:0 ~ u:0"),
                new Decision(id(3), Decision.Outcome.DONE, Instant.EPOCH, "t:3 ~ u:3")));
    assertEquals(List.of(pairs.get(2), pairs.get(1)), listed());
    assertEquals("dismissed", one(pairs.get(0)).at("/decision/decision").asText());
  }

  private ObjectNode act(String id, String as) throws Exception {
    ObjectNode request = Json.object().put("id", id);
    if (as != null) {
      request.put("as", as);
    }
    return findings().act(request);
  }

  private ObjectNode decide(String id, String decision, String by) throws Exception {
    ObjectNode request = Json.object().put("id", id);
    return findings().decide(request.put("decision", decision).put("by", by), NOW);
  }

  /** The report has the name t:3, but helix now calls the entry t:1. */
  @Test
  void findingsHaveTheNamesOfThisMoment() throws Exception {
    helix.call("edit", "action", "delete", "topic", "t", "index", "1");
    helix.call("edit", "action", "delete", "topic", "t", "index", "1");
    ObjectNode third = one(id(3));
    assertEquals("t:1", third.at("/a/name").asText());
    assertTrue(third.at("/edit/0/do").asText().contains("t:1"), third.toString());
  }

  /** Even before the daemon's next run, no client may see findings about removed entries. */
  @Test
  void whatIsGoneIsNotListedAndHasNoAct() throws Exception {
    helix.call("edit", "action", "delete", "topic", "u", "match_str", "number 2");
    List<ObjectNode> lines = findings().list(Json.object());
    assertEquals(3, lines.getFirst().path("total").asInt());
    assertEquals(1, lines.getFirst().path("stale").asInt());
    Failure stale = assertThrows(Failure.class, () -> act(pairs.get(2), "same"));
    assertTrue(stale.getMessage().startsWith("stale: since "), stale.getMessage());
    assertTrue(one(pairs.get(2)).path("stale").asBoolean());
  }

  @Test
  void anActNamesTheStateOfTheLogThatItIsGoodFor() throws Exception {
    ObjectNode choices = act(pairs.getFirst(), null);
    assertEquals(2, choices.path("choose").size(), choices.toString());
    assertFalse(choices.has("calls"));
    ObjectNode act = act(pairs.getFirst(), "same");
    assertEquals(Files.size(kb.dataLog()), act.at("/log/bytes").asLong());
    assertEquals(
        List.of("act", "edit", "act", "edit"),
        act.path("calls").valueStream().map(call -> call.path("name").asText()).toList());
    assertEquals(1, act.path("checks").size());
    assertFalse(act.path("calls").toString().contains("index"), act.toString());
    helix.call("edit", "action", "append", "topic", "t", "match_str", "number 0", "text", "More.");
    assertThrows(Failure.class, () -> act(pairs.getFirst(), "same"));
  }

  @Test
  void doneMustShowInTheLog() throws Exception {
    String id = pairs.getFirst();
    Failure refused = assertThrows(Failure.class, () -> decide(id, "done", "agent"));
    assertTrue(refused.getMessage().contains("the log does not show"), refused.getMessage());
    assertTrue(store.decisions().read().settled().isEmpty());
    ObjectNode early = decide(id, "done", "person");
    assertTrue(early.has("notInLog"), "a person is believed, and told");
    assertEquals("dismissed", early.path("decision").asText(), "the next run finds it again");
    decide(id, "open", "person");
    JsonNode call = act(id, "related").at("/calls/1");
    helix.call(call.path("name").asText(), HelixTools.arguments(call));
    assertFalse(decide(id, "done", "agent").has("notInLog"));
    assertThrows(Failure.class, () -> act(id, "related"), "it is settled");
  }

  /** The last report was made while the finding was settled, and the next is not made yet. */
  @Test
  void aFindingWhoseDecisionWasTakenBackCanBeDecidedBeforeTheNextReport() throws Exception {
    String id = pairs.getFirst();
    decide(id, "dismissed", "agent");
    report.withArray("relations").remove(0);
    WrittenReport.write(store, report);
    decide(id, "open", "agent");
    assertEquals("dismissed", decide(id, "dismissed", "agent").path("decision").asText());
    assertThrows(Failure.class, () -> decide(id(5), "dismissed", "agent"), "never was there");
  }

  /** Otherwise an edit that a foreign report proposes would be carried out. */
  @Test
  void whatLiesInTheFolderOfTheKbHasNoFindingsAndNoActs(@TempDir Path elsewhere) throws Exception {
    Kb copied = new Kb(Files.createDirectories(elsewhere.resolve("kb")));
    Files.copy(kb.dataLog(), copied.dataLog());
    Files.createDirectory(copied.insights());
    Files.writeString(copied.insights().resolve("report.json"), report.toString());
    store = DaemonFixture.store(elsewhere, copied);
    String id = pairs.getFirst();
    for (Executable asking :
        List.<Executable>of(
            () -> one(id),
            () -> findings().list(Json.object()),
            () -> act(id, "same"),
            () -> decide(id, "dismissed", "agent"))) {
      assertEquals(ExitCode.KB, assertThrows(Failure.class, asking).code());
    }
  }
}
