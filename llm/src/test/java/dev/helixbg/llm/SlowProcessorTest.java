package dev.helixbg.llm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Tests a processor without AVX, on which the JVM would emulate the CPU backend's vector kernels.
 */
class SlowProcessorTest {
  static final class Program {
    public static void main(String[] arguments) {
      ModelOptions options = ModelOptions.of(Device.AUTO, 2, 512);
      try (TextModel model = ModelOpener.open(GoldenModel.Q4_0.path(), options)) {
        System.out.println(model.backend().name() + " " + model.warnings().size());
      }
    }
  }

  @Test
  void withoutFusedMultiplyAddTheScalarBackendIsTakenAndSaid()
      throws IOException, InterruptedException {
    boolean x86 = System.getProperty("os.arch").equals("amd64");
    List<String> without = List.of("-XX:+IgnoreUnrecognizedVMOptions", "-XX:UseAVX=0");
    String printed = ForkedJvm.run(Redirect.DISCARD, without, Program.class);
    assertEquals(x86 ? "scalar 1" : "cpu 0", printed.strip());
    assertEquals(
        "cpu 0", ForkedJvm.run(Redirect.DISCARD, List.of(), Program.class).strip(), "as it is");
  }
}
