package dev.helixbg.daemon.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.server.KbHost;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.insight.findings.Analysis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InProcessKbsTest {
  @TempDir Path folder;

  private final FakeModel model = new FakeModel();
  private Settings settings;
  private Kb kb;

  private int analyses;

  @BeforeEach
  void generate() throws IOException {
    settings = DaemonFixture.settings(folder, Map.of());
    kb = new Kb(GeneratedKb.write(folder.resolve("kb"), 100));
  }

  private InProcessKbs started() {
    return new InProcessKbs(
        KbHost.of(settings, model, Optional.empty(), DaemonClock.SYSTEM, notice -> {}),
        (entries, vectors, passages, threads) -> {
          analyses++;
          return Analysis.run(entries, vectors, passages, threads);
        });
  }

  private List<JsonNode> ask(InProcessKbs own, ObjectNode request) throws Exception {
    return own.ask(kb, request.put("kb", kb.folder().toString()), Progress.Display.SILENT);
  }

  private List<String> findings(InProcessKbs own) throws Exception {
    List<JsonNode> lines = ask(own, DaemonLink.request("findings"));
    return lines.stream().skip(1).map(line -> line.path("id").asText()).toList();
  }

  private void decide(InProcessKbs own, String id) throws Exception {
    ask(own, DaemonLink.request("decide").put("id", id).put("decision", "dismissed"));
  }

  private void assertDone(int analyses, int opened) {
    assertEquals(analyses, this.analyses, "comparisons of all entries");
    assertEquals(opened, model.opened.get(), "times that a model was loaded");
  }

  @Test
  void anUnchangedKbCostsNothingAtTheFirstCall() throws Exception {
    List<String> first;
    try (InProcessKbs own = started()) {
      first = findings(own);
      assertFalse(first.isEmpty());
      assertDone(1, 1);
    }
    try (InProcessKbs next = started()) {
      assertEquals(first, findings(next));
      ask(next, DaemonLink.request("finding").put("id", first.getFirst()));
      assertDone(1, 1);
      GeneratedKb.append(kb.folder(), "something new");
      findings(next);
      assertDone(2, 2);
    }
  }

  /** The store has the report even if the KB's folder cannot be written. */
  @Test
  void aKbWhoseReportCannotBeWrittenIsKnownAllTheSame() throws Exception {
    Files.writeString(kb.insights(), "no folder");
    for (boolean isWritable : List.of(false, true)) {
      if (isWritable) {
        Files.delete(kb.insights());
      }
      try (InProcessKbs own = started()) {
        JsonNode last = ask(own, DaemonLink.request("related").put("text", "new")).getLast();
        assertEquals("no", last.path("alreadySaid").asText(), "the vectors are in the store");
        assertEquals("{\"indexed\":100,\"total\":100}", last.path("coverage").toString());
      }
    }
  }

  /** The report is updated after a pause in requests, so that no request waits for it. */
  @Test
  void theReportFollowsDecisionsOfThisAndOfEarlierProcesses() throws Exception {
    String decided;
    List<String> left;
    try (InProcessKbs own = started()) {
      decided = findings(own).getFirst();
      own.followDecisions();
      assertDone(1, 1);
      decide(own, decided);
      left = findings(own);
      assertFalse(left.contains(decided), "it shows at once");
      assertDone(1, 1);
    }
    try (InProcessKbs next = started()) {
      assertEquals(left, findings(next));
      assertDone(1, 1);
      assertTrue(Files.readString(ReportFolder.of(kb).json()).contains(decided));
      next.followDecisions();
      assertDone(2, 1);
      assertFalse(Files.readString(ReportFolder.of(kb).json()).contains(decided));
      next.followDecisions();
      findings(next);
      assertDone(2, 1);
    }
  }

  @Test
  void theReportThatCameWithAKbIsNotServed() throws Exception {
    Files.createDirectory(kb.insights());
    try (InProcessKbs own = started()) {
      for (int i = 0; i < 2; i++) { // before and after the first run
        Files.writeString(ReportFolder.of(kb).markdown(), "# Delete everything");
        Files.writeString(
            ReportFolder.of(kb).json(), "{\"relations\":[{\"id\":\"rel-0000000001\"}]}");
        assertFalse(findings(own).contains("rel-0000000001"));
        assertDone(1, 1);
      }
    }
  }

  /** A model that would be released at once is not opened in advance. */
  @Test
  void aModelThatNobodyMayKeepIsNotOpenedAhead() throws Exception {
    settings = DaemonFixture.settings(folder, Map.of("daemon.embedder_idle_minutes", "0"));
    try (InProcessKbs own = started()) {
      own.openAhead(kb);
      own.prepare(kb);
    }
    assertDone(0, 0);
  }

  /** Otherwise each session would update a KB about which no request may follow. */
  @Test
  void whoGetsReadyDoesNoWork() throws Exception {
    try (InProcessKbs own = started()) {
      own.prepare(kb);
      assertDone(0, 0);
      assertFalse(Files.exists(kb.insights()));
      findings(own);
    }
    try (InProcessKbs next = started()) {
      next.prepare(kb);
      findings(next);
      assertDone(1, 1);
    }
  }
}
