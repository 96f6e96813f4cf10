package dev.helixbg.llm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel.Session;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufErrors;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChangingFileTest {
  private static final int ROUNDS = Boolean.getBoolean("proofs.all") ? 12 : 4;

  private static final ModelOptions OPTIONS = ModelOptions.of(Device.CPU, 2, 1024);

  @TempDir Path folder;

  /** The first case reads weights by machine code; the last case only by compiled vector loops. */
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  @ParameterizedTest
  @CsvSource({"-XX:UseAVX=2, true", "-XX:UseAVX=3, true", "-XX:UseAVX=2, false"})
  void aFileShortenedWhileItAnswersIsOneErrorAndTheProcessLives(String vectors, String machineCode)
      throws IOException, InterruptedException {
    List<String> options =
        List.of(
            "-XX:+IgnoreUnrecognizedVMOptions", vectors, "-Dhelixbg.machine.code=" + machineCode);
    String model = GoldenModel.Q4_K_M.path().toString();
    String printed =
        ForkedJvm.run(
            Redirect.INHERIT,
            options,
            ChangingFileProbe.class,
            model,
            folder.toString(),
            Integer.toString(ROUNDS));
    List<String> errors = printed.lines().toList();
    assertEquals(ROUNDS, errors.size(), printed);
    for (String error : errors) {
      assertTrue(error.contains("the file was changed"), error);
    }
  }

  private interface Change {
    void to(Path file) throws IOException;
  }

  private static final Change ONE_BYTE =
      file -> {
        try (RandomAccessFile open = new RandomAccessFile(file.toFile(), "rw")) {
          open.seek(open.length() - 1);
          open.write(1);
        }
      };

  private static final Change ANOTHER_FILE =
      file -> {
        Path other = Files.copy(file, file.resolveSibling("other"));
        Files.move(other, file, StandardCopyOption.ATOMIC_MOVE);
      };

  @ParameterizedTest
  @ValueSource(strings = {"one byte", "another file", "removed"})
  void whatAChangedFileGaveIsThrownAway(String kind) throws IOException {
    Change change =
        switch (kind) {
          case "one byte" -> ONE_BYTE;
          case "another file" -> ANOTHER_FILE;
          default -> Files::delete;
        };
    Path file = Files.copy(GoldenModel.Q8_0.path(), folder.resolve("model.gguf"));
    try (TextModel model = ModelOpener.open(file, OPTIONS);
        Session session = model.session()) {
      List<int[]> prompts = List.of(new int[8]);
      Stream<Runnable> jobs =
          Stream.of(
              () -> model.read(session, new int[8], () -> false),
              () -> generate(model, session),
              () -> model.choose(session, prompts, List.of(new int[1], new int[2]), () -> false),
              () ->
                  model.generateAll(
                      session, prompts, new GenerationOptions(4, Set.of()), () -> false));
      generate(model, session);
      assertFalse(model.file().mapped().isChanged());
      change.to(file);
      jobs.forEach(job -> GgufErrors.refused("changed, replaced or removed", job::run));
      assertTrue(model.file().mapped().isChanged());
    }
  }

  private static void generate(TextModel model, Session session) {
    GenerationOptions few = new GenerationOptions(4, Set.of());
    model.generate(session, new int[8], few, id -> {}, () -> false);
  }
}
