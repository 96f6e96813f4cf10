package dev.helixbg.insight.decisions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DecisionFileTest {
  private static final Instant AT = Instant.parse("2026-03-14T09:30:00Z");

  @TempDir Path insights;

  private DecisionFile file;

  @BeforeEach
  void open() {
    file = new DecisionFile(insights);
  }

  private static Decision decision(String id, Verdict verdict) {
    return new Decision(id, verdict, AT, "auth:1 ~ auth:7 \u202e");
  }

  private List<String> settled() throws IOException {
    return file.read().settled().stream().map(d -> d.id() + " " + d.verdict()).toList();
  }

  @Test
  void withoutAFileNothingIsDecided() throws IOException {
    assertEquals(List.of(), settled());
  }

  @Test
  void theLastDecisionOnAFindingCounts() throws IOException {
    file.append(
        List.of(
            decision("dup-3f9a01c2d4", Verdict.DISMISSED),
            decision("link-0000000000-2", Verdict.DONE)));
    file.append(List.of(decision("dup-3f9a01c2d4", Verdict.OPEN)));
    assertEquals(List.of("link-0000000000-2 DONE"), settled());
    file.append(List.of(decision("dup-3f9a01c2d4", Verdict.DONE)));
    assertEquals(List.of("link-0000000000-2 DONE", "dup-3f9a01c2d4 DONE"), settled());
    assertEquals("auth:1 ~ auth:7 \u202e", file.read().on("dup-3f9a01c2d4").get().about());
  }

  @Test
  void aTornLineIsPassedOverAndTheNextDecisionStandsOnItsOwn() throws IOException {
    file.append(List.of(decision("dup-3f9a01c2d4", Verdict.DISMISSED)));
    Files.writeString(
        insights.resolve(DecisionFile.NAME),
        "{\"at\":\"2026-03-14T09:3",
        StandardOpenOption.APPEND);
    assertEquals(1, file.read().unreadable());
    file.append(List.of(decision("topic-aaaaaaaaaa", Verdict.DONE)));
    assertEquals(List.of("dup-3f9a01c2d4 DISMISSED", "topic-aaaaaaaaaa DONE"), settled());
    assertEquals(1, file.read().unreadable());
  }

  @Test
  void whatIsNoDecisionChangesNothing() throws IOException {
    String at = "\"at\":\"2026-03-14T09:30:00Z\"";
    Files.writeString(
        insights.resolve(DecisionFile.NAME),
        String.join(
            "\n",
            "[]",
            "null",
            "\"text\"",
            "{" + at + ",\"id\":\"../../etc\",\"decision\":\"done\"}",
            "{" + at + ",\"id\":\"dup-3f9a01c2d4\",\"decision\":\"DONE\"}",
            "{" + at + ",\"id\":\"dup-3f9a01c2d4\",\"decision\":\"eaten\"}",
            "{\"at\":\"yesterday\",\"id\":\"dup-3f9a01c2d4\",\"decision\":\"done\"}",
            "\u0000\u0001",
            "x".repeat(1 << 17),
            "",
            "{" + at + ",\"id\":\"dup-3f9a01c2d4\",\"decision\":\"done\"}"));
    assertEquals(List.of("dup-3f9a01c2d4 DONE"), settled());
    assertEquals(9, file.read().unreadable());
  }

  @Test
  void invalidUtf8IsDamageNotAnError() throws IOException {
    Files.write(
        insights.resolve(DecisionFile.NAME),
        new byte[] {(byte) 0xff, (byte) 0xfe, '\n', '{', '\n'});
    assertEquals(2, file.read().unreadable());
  }

  @Test
  void manyWritersLoseNothing() throws Exception {
    try (ExecutorService writers = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 8; i++) {
        int writer = i;
        writers.submit(
            () -> {
              for (int n = 0; n < 25; n++) {
                String id = "dup-%010x".formatted(writer * 1000 + n);
                file.append(List.of(decision(id, Verdict.DONE)));
              }
              return null;
            });
      }
    }
    assertEquals(200, file.read().settled().size());
    assertEquals(0, file.read().unreadable());
  }

  @Test
  void itIsKeptWhoDecided() throws IOException {
    Path path = insights.resolve(DecisionFile.NAME);
    String begin = "{\"at\":\"2026-03-14T09:30:00Z\",\"decision\":\"done\",\"id\":\"";
    Files.writeString(
        path,
        begin + "dup-0000000001\"}\n" + begin + "dup-0000000002\",\"by\":\"somebody else\"}\n");
    file.append(
        List.of(
            new Decision("dup-0000000003", Verdict.DONE, AT, "", By.AGENT, "said twice"),
            decision("dup-0000000004", Verdict.DONE)));
    assertEquals(
        List.of(By.PERSON, By.AGENT, By.AGENT, By.PERSON),
        file.read().settled().stream().map(Decision::by).toList());
    assertEquals("said twice", file.read().on("dup-0000000003").orElseThrow().reason());
  }

  @Test
  void anOpinionSettlesNothingAndUnsettlesNothing() throws IOException {
    file.append(
        List.of(
            decision("dup-3f9a01c2d4", Verdict.SAME),
            decision("dup-0000000001", Verdict.DONE),
            decision("dup-0000000001", Verdict.DIFFERENT)));
    assertEquals(List.of("dup-0000000001 DONE"), settled());
    assertEquals(Verdict.SAME, file.read().opinionOn("dup-3f9a01c2d4").orElseThrow().verdict());
    assertEquals(0, file.read().unreadable());
  }

  @Test
  void aFolderInItsPlaceIsAnError() throws IOException {
    Files.createDirectory(insights.resolve(DecisionFile.NAME));
    assertThrows(IOException.class, file::read);
    assertThrows(
        IOException.class, () -> file.append(List.of(decision("dup-3f9a01c2d4", Verdict.DONE))));
  }

  @Test
  void onlyIdsOfFindingsAreIds() {
    assertTrue(Decision.isId("misfiled-0123456789-12"));
    for (String wrong : List.of("", "dup", "dup-123", "dup-012345678G", "label-0123456789")) {
      assertTrue(!Decision.isId(wrong), wrong);
    }
  }
}
