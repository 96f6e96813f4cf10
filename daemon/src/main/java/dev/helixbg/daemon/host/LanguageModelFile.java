package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.CacheNote;
import dev.helixbg.insight.judge.Judge;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** File of the language model that a run asks. Locating the file does not open it. */
public record LanguageModelFile(Path file) {
  /**
   * Size of the context, in tokens. It is more than enough for the longest system prompt, two
   * entries with the maximum number of tokens each, and an answer.
   */
  private static final int CONTEXT = 8192;

  /**
   * Maximum number of rows (one per token) in a pass through the model. A pass reads several whole
   * prompts. The larger the pass, the smaller the share of rows that stay unused.
   */
  public static final int PASS_ROWS = 1024;

  /**
   * Returns the model that the settings name, else the usable model in the models folder whose name
   * comes first.
   *
   * @throws Failure with {@link ExitCode#MODEL} when the named file does not exist
   */
  public static Optional<LanguageModelFile> locate(Settings settings) {
    Optional<Path> named = settings.llm().model();
    if (named.isPresent()) {
      if (!Files.isRegularFile(named.get())) {
        throw new Failure(
            ExitCode.MODEL,
            "there is no language model %s. Correct llm.model, or leave it out and run: %s"
                .formatted(named.get(), download(settings)));
      }
      return Optional.of(new LanguageModelFile(named.get()));
    }
    return ModelFolder.look(settings.embed().models()).chosen().map(LanguageModelFile::new);
  }

  /** Returns the command that downloads a model into the models folder. */
  public static String download(Settings settings) {
    return "helix-bg fetch-models --to " + Console.shellWord(settings.embed().models().toString());
  }

  /** Returns the reasons why files of the models folder were skipped, one sentence each. */
  public static List<String> skipped(Settings settings) {
    return settings.llm().model().isPresent()
        ? List.of()
        : ModelFolder.look(settings.embed().models()).skipped();
  }

  /** Returns the model's name in reports. */
  public String name() {
    String file = this.file.getFileName().toString();
    return file.endsWith(ModelFolder.SUFFIX)
        ? file.substring(0, file.length() - ModelFolder.SUFFIX.length())
        : file;
  }

  /** Returns the SHA-256 of the file, which is cached while the file is unchanged. */
  public String hash(Settings settings) {
    try {
      return CacheNote.hash(file, settings.cache());
    } catch (IOException e) {
      throw Failure.io(ExitCode.MODEL, "read the language model " + file, e);
    }
  }

  public static Device device(Settings settings) {
    return Device.valueOf(settings.llm().backend().name());
  }

  /** Opens the model as a judge; closing the judge closes the model. */
  public Judge open(Settings settings) {
    return open(device(settings), settings.threads());
  }

  /**
   * Opens the model as a judge.
   *
   * @param hash the {@link #hash} that answers are stored under
   * @throws Failure with {@link ExitCode#MODEL} when the file was replaced and no longer has this
   *     hash
   */
  public Judge openWithHash(Settings settings, String hash, Device device, int threads) {
    Judge judge = open(device, threads);
    if (!hash(settings).equals(hash)) {
      judge.close();
      throw new Failure(
          ExitCode.MODEL,
          "the language model %s has been replaced since the run began. Start a new run"
              .formatted(file));
    }
    return judge;
  }

  private Judge open(Device device, int threads) {
    return new Judge(
        ModelOpener.open(file, ModelOptions.of(device, threads, CONTEXT).reading(PASS_ROWS)));
  }
}
