package dev.helixbg.daemon.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.gpu.cuda.CudaDevice;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
  @TempDir Path home;

  /** Returns the checks of a doctor that finds problems: the embedding model cannot be opened. */
  private JsonNode examine(String... settings) throws IOException {
    List<String> all = new ArrayList<>(List.of("doctor", "--json"));
    for (String one :
        List.of(
            "cache=" + home.resolve("cache"),
            "state=" + home.resolve("state"),
            "embed.models=" + FakeModel.unopenable(home.resolve("none")))) {
      all.add("--set=" + one);
    }
    for (String one : settings) {
      all.add("--set=" + one);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    Console console = new Console(out, out, false, false);
    assertEquals(
        ExitCode.PROBLEMS.number(),
        HelixBg.commandLine(console, NoInterruption.make()).execute(all.toArray(String[]::new)));
    return new ObjectMapper().readTree(out.toByteArray()).path("checks");
  }

  private static JsonNode named(JsonNode checks, String name) {
    return checks
        .valueStream()
        .filter(check -> check.path("name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void assertProblem(JsonNode check, String detail) {
    assertEquals("problem", check.path("state").asText(), check.toString());
    assertTrue(check.path("detail").asText().contains(detail), check.toString());
  }

  @Test
  void aGpuThatIsNotThereIsReportedWithAllElse() throws Exception {
    System.setProperty(CudaDevice.PROPERTY, "/no/such/library.so");
    try {
      JsonNode checks =
          examine("llm.backend=cuda", "llm.model=" + GoldenModel.Q4_K_M.path(), "kb=" + home);
      JsonNode model = named(checks, "language model");
      assertProblem(model, "there is no CUDA on this machine");
      assertTrue(model.path("remedy").asText().contains("llm.backend"), model.toString());
      assertProblem(named(checks, "knowledge base"), home.toString());
    } finally {
      System.clearProperty(CudaDevice.PROPERTY);
    }
  }

  @Test
  void whatEndsOneCheckEndsNoOther() throws Exception {
    JsonNode checks = examine("threads=many");
    assertProblem(named(checks, "settings"), "threads");
    assertEquals("service", checks.get(checks.size() - 1).path("name").asText());
    Path model = Files.write(home.resolve("model.gguf"), new byte[100]);
    assertProblem(named(examine("llm.model=" + model), "language model"), "model.gguf");
  }
}
