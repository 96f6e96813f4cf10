package dev.helixbg.daemon.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlServer;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFile;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Finding;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FindingRequestsTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Kb kb;
  private final List<String> pairs = new ArrayList<>(); // ids of relations

  @BeforeEach
  void report(@TempDir Path folder) throws Exception {
    kb = new Kb(Files.createDirectories(folder.resolve("kb")));
    Files.createDirectories(kb.insights());
    ObjectNode report = JSON.createObjectNode();
    for (int i = 0; i < 4; i++) {
      String relation = id("rel", i);
      pairs.add(relation);
      pair(report.withArray("relations").addObject().put("rank", i + 1), relation, i);
    }
    report.withArray("leading").add(pairs.get(2));
    pair(report.withArray("nearDuplicates").addObject(), id("dup", 3), 3);
    Files.writeString(kb.insights().resolve("report.json"), report.toString());
  }

  private static String id(String kind, int i) {
    return Finding.idsOfPair("rel-0000000000", "a" + i, "b" + i).stream()
        .filter(id -> id.startsWith(kind + "-") && !id.equals("rel-0000000000"))
        .findFirst()
        .orElseThrow();
  }

  private static void pair(ObjectNode pair, String id, int i) {
    pair.put("id", id).put("similarity", 0.9 - i / 10.0);
    pair.putObject("a").put("name", "t:" + i).put("topic", "t").put("key", "a" + i);
    pair.putObject("b").put("name", "u:" + i).put("topic", "u").put("key", "b" + i);
  }

  private List<ObjectNode> ask(ObjectNode request, boolean one) throws Exception {
    List<ObjectNode> lines = new ArrayList<>();
    ControlServer.Reply reply = lines::add;
    if (one) {
      FindingRequests.one(kb, request, reply);
    } else {
      FindingRequests.list(kb, request, reply);
    }
    return lines;
  }

  private List<String> listed() throws Exception {
    List<ObjectNode> lines = ask(JSON.createObjectNode().put("limit", 100), false);
    assertEquals(lines.size() - 1, lines.getFirst().get("total").asInt());
    return lines.stream().skip(1).map(line -> line.get("id").asText()).toList();
  }

  @Test
  void whatLeadsIsFirstAndAPairIsListedOnce() throws Exception {
    assertEquals(List.of(pairs.get(2), id("dup", 3), pairs.get(0), pairs.get(1)), listed());
    ObjectNode second = ask(JSON.createObjectNode().put("from", 1).put("limit", 1), false).get(1);
    assertEquals("near-duplicate", second.get("kind").asText());
    assertEquals("t:3", second.at("/a/name").asText());
  }

  /** Unlike in the whole list, where it stands where it comes first. */
  @Test
  void aPairFoundInSeveralWaysIsListedUnderEachKindThatIsAskedFor() throws Exception {
    Files.writeString(
        kb.insights().resolve("report.json"),
        Files.readString(kb.insights().resolve("report.json"))
            .replace("[\"" + pairs.get(2) + "\"]", "[\"" + pairs.get(3) + "\"]"));
    assertEquals(pairs.get(3), listed().getFirst());
    ObjectNode request = JSON.createObjectNode().put("limit", 9).put("kind", "near-duplicate");
    assertEquals(id("dup", 3), ask(request, false).get(1).get("id").asText());
    assertEquals(5, ask(request.put("kind", "relation"), false).size());
  }

  /** As the commands have it: a pair is settled under any of its names. */
  @Test
  void whatWasSettledUnderAnotherNameIsNotListed() throws Exception {
    new DecisionFile(kb.insights())
        .append(
            List.of(
                new Decision(id("link", 0), Decision.Verdict.DISMISSED, Instant.EPOCH, "t:0 ~ u:0"),
                new Decision(id("rel", 3), Decision.Verdict.DONE, Instant.EPOCH, "t:3 ~ u:3")));
    assertEquals(List.of(pairs.get(2), pairs.get(1)), listed());
    Decisions decisions = Pipeline.decisions(kb);
    assertEquals(
        List.of(pairs.get(1), pairs.get(2)),
        ReportFile.findings(kb).stream()
            .filter(finding -> !decisions.isSettled(finding.aliases()))
            .map(finding -> finding.id())
            .toList());
    ObjectNode one = ask(JSON.createObjectNode().put("id", pairs.get(0)), true).getFirst();
    assertEquals("dismissed", one.at("/decision/decision").asText());
  }
}
