package dev.helixbg.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * How the language model is asked.
 *
 * @param model the GGUF file named in the settings; empty means: the first in the models folder
 * @param seconds that a run may spend on asking; 0 means: only what is remembered
 * @param entryTokens a longer entry is cut at a sentence
 * @param backend what runs it
 */
public record LlmSettings(Optional<Path> model, int seconds, int entryTokens, LlmBackend backend) {}
