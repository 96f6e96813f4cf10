package dev.helixbg.config;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * How the language model is asked.
 *
 * @param model the GGUF file named in the settings; empty means: the first in the models folder
 * @param seconds that a run may spend on asking; 0 means: only what is remembered
 * @param entryTokens a longer entry is cut at a sentence
 * @param backend what runs it
 */
public record LlmSettings(Optional<Path> model, int seconds, int entryTokens, LlmBackend backend) {

  /** What is remembered of this model, or of the first in the models folder; nothing is asked. */
  public LlmSettings withoutAsking(Predicate<Path> isThere) {
    return new LlmSettings(model.filter(isThere), 0, entryTokens, backend);
  }

  /** What runs the language model. */
  public enum LlmBackend {
    /** A GPU where there is one that can be used, else the CPU. */
    AUTO,
    METAL,
    CUDA,
    CPU
  }
}
