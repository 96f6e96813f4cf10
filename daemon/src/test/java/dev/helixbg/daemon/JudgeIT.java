package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests language models in runs of the built program, with a tiny test model. */
class JudgeIT {
  @TempDir Path folder;
  private Path home;
  private Path kb;
  private Program program;

  @BeforeEach
  void makeHomeAndKb() throws IOException {
    home = Files.createDirectory(folder.resolve("home"));
    kb = Files.createDirectory(folder.resolve("kb"));
    program = new Program(home).withModel();
    DataLogBytes log = new DataLogBytes();
    int minute = 29_000_000;
    log.entry(
        "design",
        "After trying both, the worker replaces the session, since it works offline.",
        minute);
    log.entry(
        "engine",
        "[tags: gotcha]\nMeasured: the embedder spends 8 tokens per second per page.",
        minute);
    log.entry(
        "design",
        "The team agreed to move the offset into the worker because it works offline.",
        minute);
    log.entry(
        "design",
        "After trying both, the worker replaces the session, because it works offline.",
        minute);
    log.entry(
        "cli",
        "Input enters at the planner, passes the router and leaves through the store.",
        minute);
    Files.write(kb.resolve("data.log"), log.toByteArray());
    Files.setLastModifiedTime(
        kb.resolve("data.log"), FileTime.from(Instant.now().minusSeconds(60)));
  }

  /** Puts a model into the models folder with an old time, so that its hash may be cached. */
  private Path addModel() throws IOException {
    Path models = Files.createDirectories(home.resolve(".helix/models"));
    Path model = Files.copy(GoldenModel.Q8_0.path(), models.resolve("golden.gguf"));
    Files.setLastModifiedTime(model, FileTime.from(Instant.now().minusSeconds(60)));
    return model;
  }

  private JsonNode json(String... arguments) throws IOException, InterruptedException {
    return program.run(arguments).ok().json();
  }

  private static void all(JsonNode array, String pointer, String value) {
    assertFalse(array.isEmpty());
    for (JsonNode one : array) {
      assertEquals(value, one.at(pointer).asText(), one.toString());
    }
  }

  @Test
  void oneShotDoesAllJobsAndTheSecondRunOpensNoModel() throws Exception {
    ExternalTool.require("strace");
    Path model = addModel();
    while (!FileState.of(model).isSettled()) {
      Thread.sleep(100); // the hash of a file that has just changed is not cached
    }
    JsonNode report = json("one-shot", kb.toString(), "--json");
    assertEquals("golden", report.get("languageModel").asText());
    all(report.get("entries"), "/guess/origin", "MODEL");
    assertEquals("gotcha", report.at("/entries/1/label").asText(), "the tag is kept");
    assertEquals("performance", report.at("/entries/1/guess/label").asText());
    assertEquals(
        "Data flows from the planner to the store.", report.at("/topics/0/summary").asText());
    // The test model was not trained to tell whether the older entry is still valid: any answer is
    // right.
    for (JsonNode pair : report.get("relations")) {
      assertEquals("golden", pair.at("/verdict/by").asText());
      if (pair.get("kind").asText().equals("near-duplicate")) {
        assertTrue(pair.at("/verdict/same").asDouble() > 0.5, pair.toString());
      }
      assertTrue(pair.at("/verdict/verdict").isTextual(), pair.toString());
    }
    String html = Files.readString(kb.resolve("insights/report.html"));
    assertTrue(html.contains("class=\"verdict"));

    List<String> answers = program.stores().answers(kb);
    assertFalse(answers.isEmpty());
    Path trace = folder.resolve("trace");
    Program.Ended again =
        program.run(
            List.of(Program.words("strace -f --seccomp-bpf -qq -o % -e trace=open,openat", trace)),
            "one-shot",
            kb.toString(),
            "--json");
    assertEquals(report, again.json());
    List<String> opened =
        Files.readAllLines(trace).stream().filter(call -> call.contains(".gguf")).toList();
    assertEquals(List.of(), opened);
    assertTrue(Files.readString(trace).contains("kb.db"), "strace saw the run");
    assertEquals(answers, program.stores().answers(kb));
  }

  @Test
  void withoutAModelLabelsComeFromTheEmbedding() throws Exception {
    program.withoutC2();
    JsonNode report = json("one-shot", kb.toString(), "--json");
    assertTrue(report.get("languageModel").isNull());
    all(report.get("entries"), "/guess/origin", "CLASSIFIER");
    assertEquals("gotcha", report.at("/entries/1/label").asText());
    assertEquals(List.of(), program.stores().answers(kb));
  }

  @Test
  void aModelThatWasOnlyFoundMayBeBrokenOneThatWasNamedMayNot() throws Exception {
    program.withoutC2();
    Path broken = addModel();
    Files.writeString(broken, "GGUF, or so it says");
    Program.Ended found = program.run("one-shot", kb.toString()).ok();
    assertEquals(1, found.err().lines().count(), found.err());
    assertTrue(found.err().contains("golden.gguf"), found.err());
    program.run("one-shot", kb.toString(), "--set", "llm.model=" + broken).with(ExitCode.MODEL);
  }

  @Test
  void doctorLooksAtTheLanguageModel() throws Exception {
    program.withoutEmbeddingModel();
    JsonNode none = program.run("doctor", "--json").json();
    assertEquals("note", languageModel(none).get("state").asText());
    addModel();
    JsonNode good = program.run("doctor", "--json").json();
    assertEquals("ok", languageModel(good).get("state").asText());
    assertTrue(languageModel(good).get("detail").asText().contains(" MB of weights"));
  }

  private static JsonNode languageModel(JsonNode checks) {
    for (JsonNode check : checks.get("checks")) {
      if (check.get("name").asText().equals("language model")) {
        return check;
      }
    }
    throw new AssertionError(checks.toString());
  }

  @Test
  void benchLabelMeasuresAndChecks() throws Exception {
    JsonNode bench =
        json(
            Program.words(
                "bench label % --entries 6 --alone 2 -r 1 --json", GoldenModel.Q4_0.path()));
    assertEquals(6, bench.get("entries").asInt());
    assertTrue(bench.get("new_tokens_per_entry").asDouble() >= 100);
    for (String speed : List.of("together", "alone")) {
      assertTrue(bench.get(speed + "_entries_per_second").asDouble() > 0, speed);
    }
  }
}
