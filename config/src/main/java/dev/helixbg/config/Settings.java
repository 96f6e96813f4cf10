package dev.helixbg.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Everything a user can set, checked.
 *
 * @param kb the knowledge base named in the file or the environment; empty means: search the usual
 *     places
 * @param sources folders with repositories that entries tell of
 * @param threads for embedding and comparing; at least 1
 * @param cache folder of what can be made again: unpacked models, natives, verdicts on providers
 */
public record Settings(
    Optional<Path> kb,
    List<Path> sources,
    int threads,
    Path cache,
    EmbedSettings embed,
    LlmSettings llm,
    InsightSettings insight,
    DaemonSettings daemon) {

  /** The same with the language model asked in another way. */
  public Settings with(LlmSettings other) {
    return new Settings(kb, sources, threads, cache, embed, other, insight, daemon);
  }
}
