package dev.helixbg.daemon;

import dev.helixbg.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** Which language model the insights use. */
final class ModelFile {
  private ModelFile() {}

  /** The one in the settings, else the first GGUF file beside the embedding models, by name. */
  static Optional<Path> find(Settings settings) {
    if (settings.daemon().model().isPresent()) {
      return settings.daemon().model();
    }
    try (Stream<Path> files = Files.list(settings.embed().models())) {
      return files.filter(file -> file.toString().endsWith(".gguf")).sorted().findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
