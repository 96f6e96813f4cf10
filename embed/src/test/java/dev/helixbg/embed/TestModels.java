package dev.helixbg.embed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Opens models for tests. All tests of a build share one cache folder, because filling it takes
 * time.
 */
final class TestModels {

  static final Path CACHE = Path.of("target", "test-cache").toAbsolutePath();

  private static ModelSource.Location files; // checked once: hashing takes time

  private TestModels() {}

  static EmbedSettings settings(Path models, Precision precision, int maxTokens) {
    return new EmbedSettings(models, ExecutionProvider.AUTO, precision, maxTokens);
  }

  static EmbeddingModel bundled(Precision precision, int maxTokens) {
    return bundled(precision, maxTokens, 2);
  }

  static EmbeddingModel bundled(Precision precision, int maxTokens, int threads) {
    EmbedSettings settings = settings(Path.of("no-such-folder"), precision, maxTokens);
    return EmbeddingModel.locate(settings, CACHE, threads);
  }

  static synchronized ModelSource.Location files() throws IOException {
    if (files == null) {
      files = ModelSource.bundled(CACHE).locate();
    }
    return files;
  }

  static void writeVocabulary(Path target) throws IOException {
    JsonNode ids =
        new ObjectMapper().readTree(files().tokenizer().toFile()).get("model").get("vocab");
    List<String> pieces = new ArrayList<>(Collections.nCopies(ids.size(), ""));
    ids.properties().forEach(piece -> pieces.set(piece.getValue().asInt(), piece.getKey()));
    Files.write(target, pieces);
  }
}
