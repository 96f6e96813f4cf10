package dev.helixbg.daemon.host;

import dev.helixbg.config.files.FileState;
import dev.helixbg.llm.ModelCheck;
import dev.helixbg.llm.ModelCheck.Fit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The language model in the models folder: the usable file whose name comes first. If no file is
 * usable, the file that comes nearest to a usable model is chosen. The attempt to open it then
 * reports why it is not usable. A file that this user may not read is never chosen.
 *
 * @param chosen the chosen file; empty if there is no model file that can be read
 * @param skipped reasons why files were skipped, one sentence each: files that cannot be read, and
 *     files before the chosen file if that is usable
 */
record ModelFolder(Optional<Path> chosen, List<String> skipped) {
  static final String SUFFIX = ".gguf";

  /** Results of checks, keyed by the file's path and state and kept until the process ends. */
  private static final Map<String, ModelCheck> CHECKED = new ConcurrentHashMap<>();

  /** Searches a folder. The headers of files are read once, and only if there are several files. */
  static ModelFolder look(Path folder) {
    Map<Boolean, List<Path>> readable =
        files(folder).stream().collect(Collectors.partitioningBy(Files::isReadable));
    List<Path> files = readable.get(true);
    List<String> closed =
        readable.get(false).stream()
            .map(file -> file + " cannot be read: permission denied")
            .toList();
    if (files.size() < 2) {
      return new ModelFolder(files.stream().findFirst(), closed);
    }
    List<ModelCheck> checks = new ArrayList<>();
    for (Path file : files) {
      ModelCheck check = check(file);
      if (check.fit() == Fit.USABLE) {
        List<String> skipped = new ArrayList<>(closed);
        checks.forEach(one -> skipped.add(one.reason()));
        return new ModelFolder(Optional.of(file), skipped);
      }
      checks.add(check);
    }
    List<Fit> fits = checks.stream().map(ModelCheck::fit).toList();
    int nearest = fits.indexOf(Collections.max(fits));
    return new ModelFolder(Optional.of(files.get(nearest)), closed);
  }

  /**
   * Returns the model files, sorted by name. Omits hidden files, such as {@code ._NAME.gguf} on a
   * Mac.
   */
  private static List<Path> files(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().endsWith(SUFFIX))
          .filter(file -> !file.getFileName().toString().startsWith("."))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  private static ModelCheck check(Path file) {
    try {
      String state = FileState.of(file).linesAt(file);
      return CHECKED.computeIfAbsent(state, unknown -> ModelCheck.of(file));
    } catch (IOException e) {
      return new ModelCheck(Fit.NO_MODEL, file + ": cannot be read: " + e.getMessage());
    }
  }
}
