package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.CacheNote;
import dev.helixbg.insight.judge.Judge;
import dev.helixbg.llm.ModelCheck;
import dev.helixbg.llm.ModelCheck.Fit;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.backend.KvShape;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** File of the language model that a run asks. Locating the file does not open it. */
public record LanguageModelFile(Path file) {
  private static final String SUFFIX = ".gguf";

  /** Results of checks whether a file is a usable model, by the file's path and state. */
  private static final Map<String, ModelCheck> CHECKED = new ConcurrentHashMap<>();

  /** Size of the context in tokens; fits the longest system prompt, two entries and an answer. */
  private static final int CONTEXT = 8192;

  /**
   * Maximum number of tokens that one pass reads. A pass reads whole prompts, so a larger number
   * leaves a smaller share of a pass unused.
   */
  public static final int PASS_ROWS = 1024;

  /**
   * Returns the model named in the settings; throws if it does not exist. If no model is named
   * there, returns the first usable model in the models folder.
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
    return look(settings.embed().models()).chosen().map(LanguageModelFile::new);
  }

  /** Returns the command that downloads a model into the models folder. */
  public static String download(Settings settings) {
    return "helix-bg fetch-models --to " + Console.shellWord(settings.embed().models().toString());
  }

  /** Returns the reasons why files of the models folder were skipped, one sentence each. */
  public static List<String> skipped(Settings settings) {
    return settings.llm().model().isPresent()
        ? List.of()
        : look(settings.embed().models()).skipped();
  }

  /**
   * Result of a search for a model in the models folder.
   *
   * @param chosen the first usable file, by name. If no file is usable, the file that comes nearest
   *     to a usable file; the error at its opening then tells why it is not usable
   * @param skipped one sentence for each file that cannot be read, or precedes the usable file
   */
  private record Search(Optional<Path> chosen, List<String> skipped) {}

  /** Chooses a file. Reads the headers of the files only if there are several, each header once. */
  private static Search look(Path folder) {
    Map<Boolean, List<Path>> readable =
        files(folder).stream().collect(Collectors.partitioningBy(Files::isReadable));
    List<Path> files = readable.get(true);
    List<String> skipped = new ArrayList<>();
    readable.get(false).forEach(file -> skipped.add(file + " cannot be read: permission denied"));
    if (files.size() < 2) {
      return new Search(files.stream().findFirst(), skipped);
    }
    List<ModelCheck> checks = new ArrayList<>();
    for (Path file : files) {
      ModelCheck check = check(file);
      if (check.fit() == Fit.USABLE) {
        checks.forEach(one -> skipped.add(one.reason()));
        return new Search(Optional.of(file), skipped);
      }
      checks.add(check);
    }
    List<Fit> fits = checks.stream().map(ModelCheck::fit).toList();
    int nearest = fits.indexOf(Collections.max(fits));
    return new Search(Optional.of(files.get(nearest)), skipped);
  }

  /**
   * Returns the model files by name, without hidden files, such as {@code ._NAME.gguf} on a Mac.
   */
  private static List<Path> files(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(LanguageModelFile::hasSuffix)
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static boolean hasSuffix(Path file) {
    return file.getFileName().toString().toLowerCase(Locale.ROOT).endsWith(SUFFIX);
  }

  private static ModelCheck check(Path file) {
    try {
      String state = FileState.of(file).linesAt(file);
      return CHECKED.computeIfAbsent(state, unknown -> ModelCheck.of(file));
    } catch (IOException e) {
      return new ModelCheck(Fit.NO_MODEL, file + ": cannot be read: " + e.getMessage());
    }
  }

  public String name() {
    String file = this.file.getFileName().toString();
    return hasSuffix(this.file) ? file.substring(0, file.length() - SUFFIX.length()) : file;
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
   * Opens the model as a judge. Fails if the file no longer has this hash, under which answers are
   * stored.
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

  /**
   * Describes the memory of a loaded model: the mapped file, which the system can reclaim, and the
   * keys and values of the longest session.
   */
  public static String memory(TextModel model) {
    KvShape shape = model.model().cacheShape();
    return "%,d MB of weights, and up to %,d MB for %,d tokens"
        .formatted(
            megabytes(model.file().mapped().bytes().byteSize()),
            megabytes(shape.bytesPerPosition() * shape.limit()),
            shape.limit());
  }

  private static long megabytes(long bytes) {
    return Math.ceilDiv(bytes, 1L << 20);
  }
}
