package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ModelCommandsIT {
  private static final GoldenCase CASE = GoldenModel.Q4_K_M.cases().getFirst();

  @TempDir static Path home;

  private static Program program;
  private static String model;

  @BeforeAll
  static void unpackTheModel() throws IOException {
    program = new Program(home);
    model = GoldenModel.Q4_K_M.path().toString();
  }

  @Test
  void generateGivesTheMemorisedAnswerAsTextAndAsJson() throws Exception {
    String[] command = {"generate", model, "--raw", "--prompt", CASE.prompt(), "--json"};
    String[] asText = Arrays.copyOf(command, command.length - 1);
    assertEquals(CASE.answer(), program.run(asText).ok().out().strip());
    JsonNode answer = program.run(command).ok().json();
    List<Integer> ids = new ArrayList<>();
    answer.get("token_ids").forEach(id -> ids.add(id.asInt()));
    assertEquals(Arrays.stream(CASE.greedyIds()).boxed().toList(), ids);
    assertEquals(CASE.promptIds().length, answer.get("prompt_tokens").asInt());
    assertEquals("stop_token", answer.get("stop_reason").asText());
  }

  @Test
  void anUnknownBackendIsRefusedWithTheKnownNames() throws Exception {
    Program.Ended ended =
        program.run("generate", model, "-p", "x", "--backend", "gpu").with(ExitCode.USAGE);
    assertTrue(ended.err().contains("[cpu, metal, cuda, auto, scalar]"), ended.err());
  }

  @Test
  void anEmptyPromptIsRefused() throws Exception {
    for (String form : List.of("--raw", "--stats")) {
      Program.Ended ended = program.run("generate", model, "-p", "", form).with(ExitCode.USAGE);
      assertTrue(ended.err().contains("the prompt is empty"), ended.err());
    }
  }

  @Test
  void statisticsHaveAHash() throws Exception {
    String[] command = {"generate", model, "-p", "x", "-n", "4", "--backend", "cpu", "--stats"};
    String told = program.run(command).err();
    assertTrue(told.lines().anyMatch(line -> line.matches("ids       [0-9a-f]{16}")), told);
    assertEquals(ids(told), ids(program.run(command).err()));
    String[] checked = {"generate", model, "-p", "x", "-n", "1", "--backend", "cpu", "--check"};
    Program.Ended check = program.run(checked);
    assertTrue(check.err().contains("layer   3  layer_output"), check.err());
  }

  private static List<String> ids(String stats) {
    return stats.lines().filter(line -> line.startsWith("ids ")).toList();
  }

  @Test
  void loadModelTellsWhatIsInTheFile() throws Exception {
    Program.Ended ended = program.run("load-model", model).ok();
    for (String line :
        List.of(
            "tokenizer.ggml.pre = qwen2",
            "Tensors   46: ",
            "24 Q4_K",
            "key heads, head size 128",
            "MB of weights",
            "Opened    in ")) {
      assertTrue(ended.out().contains(line), ended.out());
    }
  }

  /** Changes the architecture's name in the test model's file to another of equal length. */
  @Test
  void loadModelListsWhatItCannotRunAndSaysLastWhyNot() throws Exception {
    byte[] bytes = Files.readAllBytes(Path.of(model));
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    int at = text.indexOf("qwen3", text.indexOf("general.architecture"));
    System.arraycopy("llama".getBytes(StandardCharsets.ISO_8859_1), 0, bytes, at, 5);
    Path foreign = home.resolve("foreign.gguf");
    Files.write(foreign, bytes);
    Program.Ended ended = program.run("load-model", foreign.toString()).with(ExitCode.MODEL);
    assertTrue(ended.out().contains("general.architecture = llama"), ended.out());
    assertTrue(ended.out().contains("24 Q4_K"), ended.out());
    assertTrue(ended.out().strip().endsWith("The model cannot run here:"), ended.out());
    assertEquals(1, ended.err().lines().count(), ended.err());
    assertTrue(ended.err().contains("llama"), ended.err());
  }

  @Test
  void generateWithoutAPromptSaysHowFastItIs() throws Exception {
    Program.Ended ended = program.run("generate", model).ok();
    assertFalse(ended.out().isBlank());
    assertTrue(ended.err().contains("per second"), ended.err());
  }

  /** The rival is a stand-in. */
  @Test
  void benchGivesOneObjectPerTestAndMeasuresTheRivalInTurn() throws Exception {
    Path node = Files.createDirectories(home.resolve("bin")).resolve("node");
    Files.writeString(
        node, "#!/bin/sh\necho ready 1.2\nwhile read -r _ n; do echo speed $n; done\n");
    assertTrue(node.toFile().setExecutable(true));
    Files.createDirectories(home.resolve("npm/node_modules/node-llama-cpp"));
    Program beside = new Program(home).with("PATH", node.getParent() + ":" + System.getenv("PATH"));
    String[] command =
        Program.words("bench llm % -p 16 -n 4 -r 1 --json --beside llama --npm npm", model);
    JsonNode bench = beside.run(command).ok().json();
    assertEquals("pp16", bench.at("/0/test").asText());
    assertEquals("tg4", bench.at("/1/test").asText());
    assertTrue(bench.at("/1/tokens_per_second").asDouble() > 0);
    assertEquals("cpu", bench.at("/0/backend").asText());
    assertEquals("node-llama-cpp 1.2", bench.at("/0/rival").asText());
    assertEquals(16, bench.at("/0/rival_median").asDouble());
    assertEquals(bench.at("/1/median").asDouble() / 4, bench.at("/1/ratio").asDouble(), 1e-9);
    assertTrue(bench.at("/0/vector_bits").asInt() >= 128);
    assertTrue(bench.at("/0/jvm_options").asText().contains("-XX:"), bench.toString());
  }

  @Test
  void benchKernelsGivesOneObjectPerKernelAndNumberOfThreads() throws Exception {
    JsonNode bench =
        program.run("bench", "kernels", "--types", "BF16", "--threads", "1", "--json").ok().json();
    assertEquals(2, bench.size());
    assertEquals("BF16 × vector", bench.at("/0/kernel").asText());
    assertEquals("GB/s", bench.at("/0/unit").asText());
    assertEquals("GMAC/s", bench.at("/1/unit").asText());
    assertTrue(bench.at("/0/speed").asDouble() > 0);
    assertTrue(bench.at("/0/ceiling").asDouble() > 0);
  }
}
