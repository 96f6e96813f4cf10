package dev.helixbg.daemon.host;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufWriter;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the choice of a model: a flag overrides the settings, which override the models folder. */
class LanguageModelFileTest {
  @TempDir Path home;
  private Path folder;

  @BeforeEach
  void makeModelsFolder() throws IOException {
    folder = Files.createDirectories(home.resolve(".helix/models"));
  }

  @Test
  void theFirstByNameInTheModelsFolderIsTaken() throws IOException {
    // The files are not made in the order of their names, and not all of them are models.
    Path second = Files.createFile(folder.resolve("b.gguf"));
    Path first = Files.createFile(folder.resolve("a.gguf"));
    Files.createFile(folder.resolve("c.gguf"));
    Files.createFile(folder.resolve("0.onnx"));
    Files.createFile(folder.resolve("0.gguf.part"));
    Files.createDirectory(folder.resolve("0.gguf"));
    assertEquals(Optional.of(new LanguageModelFile(first)), located(Map.of()));
    Files.delete(first);
    assertEquals(Optional.of(new LanguageModelFile(second)), located(Map.of()));
    Path capitals = Files.createFile(folder.resolve("A.GGUF"));
    assertEquals(Optional.of(new LanguageModelFile(capitals)), located(Map.of()));
    assertEquals("A", new LanguageModelFile(capitals).name());
  }

  @Test
  void filesThatCannotBeRunDoNotHideOneThatCan() throws IOException {
    byte[] whole = Files.readAllBytes(GoldenModel.Q4_0.path());
    Files.write(folder.resolve("._d.gguf"), new byte[100]);
    Files.write(folder.resolve("a.gguf"), new byte[100]);
    new GgufWriter().text("general.architecture", "bert").write(folder.resolve("b.gguf"));
    Path chat = folder.resolve("b2.gguf");
    String other = new String(whole, ISO_8859_1).replace("<|im_start|>", "<|im_begin|>");
    Files.writeString(chat, other, ISO_8859_1);
    new GgufWriter()
        .text("general.architecture", "qwen3")
        .uint32("split.count", 2)
        .write(folder.resolve("b3-00001-of-00002.gguf"));
    Files.write(folder.resolve("c.gguf"), Arrays.copyOf(whole, whole.length / 2));
    Path good = Files.write(folder.resolve("d.gguf"), whole);
    assertEquals(Optional.of(new LanguageModelFile(good)), located(Map.of()));
    List<String> skipped = LanguageModelFile.skipped(settings(Map.of()));
    assertEquals(5, skipped.size(), skipped.toString());
    assertTrue(skipped.get(0).contains("a.gguf: this is no GGUF file"), skipped.get(0));
    assertTrue(skipped.get(1).contains("b.gguf: the architecture is \"bert\""), skipped.get(1));
    assertTrue(skipped.get(2).contains("b2.gguf"), skipped.get(2));
    assertTrue(skipped.get(2).contains("not in Qwen's chat format"), skipped.get(2));
    assertTrue(skipped.get(3).contains("one of 2 files of a split model"), skipped.get(3));
    assertTrue(skipped.get(4).contains("the download was interrupted"), skipped.get(4));
    assertThrows(GgufException.class, () -> new LanguageModelFile(chat).open(settings(Map.of())));
    Files.delete(good);
    assertEquals(
        Optional.of(new LanguageModelFile(chat)), located(Map.of()), "the nearest to one that can");
  }

  @Test
  void aFileThatMayNotBeReadIsNotTaken() throws IOException {
    Path closed = Files.createFile(folder.resolve("a.gguf"));
    Files.setPosixFilePermissions(closed, Set.of());
    assumeFalse(Files.isReadable(closed), "root reads everything");
    assertEquals(Optional.empty(), located(Map.of()));
    List<String> reasons = List.of(closed + " cannot be read: permission denied");
    assertEquals(reasons, LanguageModelFile.skipped(settings(Map.of())));
    Path good = Files.copy(GoldenModel.Q4_0.path(), folder.resolve("b.gguf"));
    assertEquals(Optional.of(new LanguageModelFile(good)), located(Map.of()));
    assertEquals(reasons, LanguageModelFile.skipped(settings(Map.of())));
  }

  @Test
  void theFlagBeatsTheSettingsAndTheseTheFolder() throws IOException {
    Files.createFile(folder.resolve("a.gguf"));
    Path configured = Files.createFile(home.resolve("configured.gguf"));
    Path flagged = Files.createFile(home.resolve("flagged.gguf"));
    Files.writeString(
        home.resolve(".helix/helix-bg.toml"), "[llm]\nmodel = \"%s\"\n".formatted(configured));
    assertEquals(Optional.of(new LanguageModelFile(configured)), located(Map.of()));
    assertEquals(
        Optional.of(new LanguageModelFile(flagged)),
        located(Map.of("llm.model", flagged.toString())));
  }

  @Test
  void oneThatIsNamedAndMissingIsNotReplacedByAnother() throws IOException {
    Files.createFile(folder.resolve("a.gguf"));
    String missing = home.resolve("missing.gguf").toString();
    Failure failure = assertThrows(Failure.class, () -> located(Map.of("llm.model", missing)));
    assertEquals(ExitCode.MODEL, failure.code());
    assertTrue(failure.getMessage().contains(missing), failure.getMessage());
    assertTrue(
        failure.getMessage().endsWith("run: helix-bg fetch-models --to " + folder),
        failure.getMessage());
  }

  @Test
  void aFileReplacedSinceItsHashWasTakenIsNotOpened() throws IOException {
    Path file = Files.copy(GoldenModel.Q4_0.path(), folder.resolve("a.gguf"));
    LanguageModelFile model = new LanguageModelFile(file);
    Settings settings = settings(Map.of());
    String hash = model.hash(settings);
    model.openWithHash(settings, hash, Device.CPU, 1).close();
    Files.copy(GoldenModel.Q8_0.path(), file, StandardCopyOption.REPLACE_EXISTING);
    Failure failure =
        assertThrows(Failure.class, () -> model.openWithHash(settings, hash, Device.CPU, 1));
    assertTrue(failure.getMessage().contains("has been replaced"), failure.getMessage());
  }

  private Optional<LanguageModelFile> located(Map<String, String> flags) {
    return LanguageModelFile.locate(settings(flags));
  }

  private Settings settings(Map<String, String> flags) {
    return DaemonFixture.settings(home, flags);
  }
}
