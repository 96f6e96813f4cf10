package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.softmetal.SoftMetal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests commands that use a GPU, with a software version of Metal instead of a GPU. */
class GpuCommandsIT {
  private static final GoldenCase CASE = GoldenModel.Q4_K_M.cases().getFirst();

  @TempDir static Path home;

  private static Program gpu;
  private static Program cuda;
  private static Program noGpu;
  private static String model;

  @BeforeAll
  static void prepare() throws IOException {
    gpu = program("metal");
    cuda = program("cuda");
    noGpu = new Program(home).withoutEmbeddingModel();
    model = GoldenModel.Q4_K_M.path().toString();
  }

  /**
   * Returns a program with the stand-in for the driver's library, which checks accesses to memory.
   */
  private static Program checked(String driver) {
    String option = "-Dhelixbg.%s.library=%s".formatted(driver, SoftMetal.libraryOrSkip());
    return new Program(home).with(Program.JAVA_OPTIONS, option);
  }

  /** Returns a program without these checks: one command and the engine's tests have them. */
  private static Program program(String driver) {
    return checked(driver).with("SOFTMETAL_UNCHECKED", "1");
  }

  /** Returns a program in which some command buffers work, and then some fail. */
  private static Program failing(String driver, int healthy, int failing) {
    return program(driver).with("SOFTMETAL_FAIL", healthy + ":" + failing);
  }

  private static String[] answer(String... more) {
    return Stream.concat(
            Stream.of("generate", model, "--raw", "--prompt", CASE.prompt()), Stream.of(more))
        .toArray(String[]::new);
  }

  @Test
  void generatePrintsWhatTheCpuPrints() throws Exception {
    assertEquals(
        CASE.answer(), checked("metal").run(answer("--backend", "metal")).ok().out().strip());
    assertEquals(CASE.answer(), gpu.run(answer("--backend", "cpu")).ok().out().strip());
  }

  @Test
  void generateChecksItselfAgainstTheCpuAndTellsWhatTheGpuDid() throws Exception {
    Program.Ended ended = gpu.run(answer("--check", "--stats")).ok();
    assertEquals(CASE.answer(), ended.out().strip());
    for (String told :
        List.of(
            "backend   metal",
            "; same next token",
            "waits ",
            "dispatches",
            "barriers",
            "most_in_flight",
            "gpu memory")) {
      assertTrue(ended.err().contains(told), ended.err());
    }
  }

  private static void requireRight(Program.Ended tested) {
    assertTrue(count(tested.ok().out(), "  right") >= 6, tested.out());
  }

  @Test
  void cudaIsTakenWhereThereIsNoMetalAndGivesTheSame() throws Exception {
    Program.Ended ended = cuda.run(answer("--stats")).ok();
    assertEquals(CASE.answer(), ended.out().strip());
    assertTrue(ended.err().contains("backend   cuda"), "auto takes the GPU");
    assertTrue(ended.err().contains("Software CUDA CUDA 13.0"), ended.err());
    Program.Ended loaded = cuda.run("load-model", model, "--backend", "cuda");
    assertTrue(loaded.out().contains("Software CUDA, CUDA 13.0"), loaded.out());
    requireRight(cuda.run("bench", "gpu", "--small", "-r", "1"));
  }

  /** The GPU fails in the middle of an answer. Printed text must not be printed again. */
  @Test
  void anAnswerThatTheGpuBrokeOffIsGivenOnceMore() throws Exception {
    for (String driver : List.of("metal", "cuda")) {
      Program.Ended ended = failing(driver, 12, 1).run(answer("--stats")).ok();
      assertEquals(CASE.answer(), ended.out().strip());
      assertEquals(1, count(ended.err(), "; trying once more"), ended.err());
      assertFalse(ended.err().contains("backend   cpu"), ended.err());
    }
  }

  @Test
  void aGpuThatFailsTwiceIsReplacedByTheCpuOrSaysSo() throws Exception {
    Program twice = failing("cuda", 0, 2);
    Program.Ended ended = twice.run(answer("--stats")).ok();
    assertEquals(1, count(ended.err(), "; the CPU takes over"), ended.err());
    assertTrue(ended.err().contains("backend   cpu"), ended.err());
    Program.Ended named = twice.run(answer("--backend", "cuda")).with(ExitCode.MODEL);
    assertEquals(2, count(named.err(), "the GPU could not finish its work"), named.err());
    assertEquals("", named.out().strip());
  }

  @Test
  void benchGpuBeginsAnewAfterAFailureOfTheGpu() throws Exception {
    Program.Ended ended = failing("metal", 2, 1).run("bench", "gpu", "--small", "-r", "1");
    requireRight(ended);
    assertEquals(1, count(ended.err(), "; trying once more"), ended.err());
  }

  private static int count(String text, String part) {
    return text.split(Pattern.quote(part), -1).length - 1;
  }

  @Test
  void doctorNamesTheGpu() throws Exception {
    assertTrue(gpu.run("doctor").out().contains("Software Metal"));
    assertTrue(cuda.run("doctor").out().contains("Software CUDA, CUDA 13.0"));
  }

  @Test
  @DisabledOnOs(OS.MAC)
  void withoutMetalAutoTakesTheCpuAndAnythingElseIsOneSentence() throws Exception {
    Program.Ended ended = noGpu.run(answer("--stats")).ok();
    assertEquals(CASE.answer(), ended.out().strip());
    assertTrue(ended.err().contains("backend   cpu"), ended.err());
    for (String[] arguments : new String[][] {answer("--backend", "metal"), {"bench", "gpu"}}) {
      Program.Ended refused = noGpu.run(arguments).with(ExitCode.MODEL);
      assertEquals(1, refused.err().lines().count(), refused.err());
      assertTrue(refused.err().contains("there is no Metal on this machine"), refused.err());
    }
    assertTrue(noGpu.run("doctor").out().contains("language models run on the CPU"));
  }
}
