package dev.helixbg.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The checked values of all settings. {@link SettingCatalog} describes the settings.
 *
 * @param kb folder of the knowledge base; if empty, helix-bg searches the usual places
 * @param helix path of the program helix; if empty, helix-bg uses the program on {@code PATH}
 * @param threads number of threads, at least 1
 */
public record Settings(
    Optional<Path> kb,
    List<Path> sources,
    Optional<Path> helix,
    int threads,
    Path cache,
    Path state,
    EmbedSettings embed,
    LlmSettings llm,
    DaemonSettings daemon,
    NotesItems notesItems) {

  /** Which lists in notes are divided, so that each item becomes an entry. */
  public enum NotesItems {
    /** Divides only lists in memory files (notes in which coding agents list facts). */
    AUTO(""),
    /** Divides all lists of at least three items. */
    ALWAYS("items"),
    NEVER("whole");

    private final String entries;

    NotesItems(String entries) {
      this.entries = entries;
    }

    /**
     * Returns the value of the front matter's property {@code helix-bg} with which a single note
     * makes this choice; empty for AUTO.
     */
    public String entries() {
      return entries;
    }
  }

  public Settings with(LlmSettings other) {
    return new Settings(
        kb, sources, helix, threads, cache, state, embed, other, daemon, notesItems);
  }

  public record EmbedSettings(
      Path models, ExecutionProvider provider, Precision precision, int maxTokens) {

    public enum ExecutionProvider {
      AUTO,
      CPU,
      COREML
    }

    public enum Precision {
      /**
       * FP32, or weights of fewer bits if these are faster on this machine; see {@code
       * EmbeddingModel.another}.
       */
      AUTO,
      FP32,
      /** Matrices of 8-bit weights: faster, but with slightly different vectors than FP32. */
      INT8
    }
  }

  /**
   * The settings {@code llm.*}.
   *
   * @param model if empty, the first model in the models folder is used
   * @param seconds maximum time in which a run asks the model; with 0, only stored answers are used
   */
  public record LlmSettings(Optional<Path> model, int seconds, LlmBackend backend) {

    /**
     * Returns settings with which the model is asked nothing and only stored answers are used. If
     * the file of the configured model is missing, the stored answers are those of the first model
     * in the models folder.
     *
     * @param isThere returns whether a model's file exists
     */
    public LlmSettings withoutAsking(Predicate<Path> isThere) {
      return new LlmSettings(model.filter(isThere), 0, backend);
    }

    /** Written by hand, because a record's generated methods are slow at their first call. */
    @Override
    public String toString() {
      return List.of(model, seconds, backend).toString();
    }

    public enum LlmBackend {
      AUTO,
      METAL,
      CUDA,
      CPU
    }
  }

  /**
   * The settings {@code daemon.*}, which {@link SettingCatalog} describes.
   *
   * @param embedderIdle if empty, the embedding model is never unloaded
   * @param modelThreads number of threads of the language model, at least 1
   */
  public record DaemonSettings(
      Duration poll,
      Duration quiet,
      Optional<Duration> embedderIdle,
      Duration modelQuiet,
      double modelMaxLoad,
      boolean modelOnBattery,
      int modelThreads,
      LogLevel logLevel) {

    public enum LogLevel {
      ERROR,
      WARN,
      INFO,
      DEBUG
    }

    enum Switch {
      OFF,
      ON
    }
  }
}
