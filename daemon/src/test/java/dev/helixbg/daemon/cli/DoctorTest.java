package dev.helixbg.daemon.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.cli.DoctorCommand.Doctor;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.gpu.cuda.CudaDevice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
  @TempDir Path home;

  /** Where no embedding model can be opened. */
  private List<CheckLine> examine(Map<String, String> set) throws Exception {
    UserDirectories locations = UserDirectories.of(Map.of(), home.toString(), "Linux");
    Map<String, String> all = new HashMap<>(set);
    all.put("cache", home.resolve("cache").toString());
    all.put("embed.models", FakeModel.unopenable(home.resolve("none")).toString());
    return examine(
        () -> new SettingsLoader(locations, Map.of()).load(Optional.empty(), all), locations);
  }

  private static List<CheckLine> examine(
      Supplier<SettingsLoader.Loaded> settings, UserDirectories locations) throws Exception {
    return Doctor.examine(
        settings, false, now -> Kb.find(Optional.empty(), now, locations), locations);
  }

  private static CheckLine named(List<CheckLine> checks, String name) {
    return checks.stream().filter(check -> check.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void aGpuThatIsNotThereIsReportedWithAllElse() throws Exception {
    System.setProperty(CudaDevice.PROPERTY, "/no/such/library.so");
    try {
      List<CheckLine> checks =
          examine(Map.of("llm.backend", "cuda", "llm.model", GoldenModel.Q4_K_M.path().toString()));
      CheckLine model = named(checks, "language model");
      assertEquals(CheckLine.State.PROBLEM, model.state());
      assertTrue(model.detail().contains("there is no CUDA on this machine"), model.toString());
      assertTrue(model.remedy().contains("llm.backend"), model.toString());
      named(checks, "knowledge base");
    } finally {
      System.clearProperty(CudaDevice.PROPERTY);
    }
  }

  /** As a fault of ours in one of them would: the others still say what they find. */
  @Test
  void whatEndsOneCheckEndsNoOther() throws Exception {
    UserDirectories locations = UserDirectories.of(Map.of(), home.toString(), "Linux");
    List<CheckLine> checks =
        examine(
            () -> {
              throw new UnsupportedOperationException("of a test");
            },
            locations);
    CheckLine settings = named(checks, "settings");
    assertEquals(CheckLine.State.PROBLEM, settings.state());
    assertTrue(settings.detail().contains("of a test"), settings.toString());
    assertEquals("service", checks.getLast().name());
    Path model = Files.write(home.resolve("model.gguf"), new byte[100]);
    assertEquals(
        CheckLine.State.PROBLEM,
        named(examine(Map.of("llm.model", model.toString())), "language model").state());
  }
}
