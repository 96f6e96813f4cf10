package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The medians of an earlier benchmark, from the output of {@code --json}. */
final class SavedMedians {
  private SavedMedians() {}

  /**
   * Returns the medians by test; empty without a file.
   *
   * @throws Failure when the file cannot be read, or has no medians
   */
  static Map<String, Double> read(Optional<Path> file) {
    Map<String, Double> medians = new HashMap<>();
    if (file.isEmpty()) {
      return medians;
    }
    try {
      for (JsonNode result : new ObjectMapper().readTree(file.get().toFile())) {
        if (result.path("median").asDouble() > 0) {
          medians.put(result.path("test").asText(), result.get("median").asDouble());
        }
      }
    } catch (IOException e) {
      throw Failure.io(ExitCode.USAGE, "read the saved run " + file.get(), e);
    }
    if (medians.isEmpty()) {
      throw new Failure(
          ExitCode.USAGE,
          "%s has no results: give a file that bench llm --json printed".formatted(file.get()));
    }
    return medians;
  }
}
