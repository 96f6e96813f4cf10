package dev.helixbg.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * All settings, checked.
 *
 * @param kb the knowledge base named by the user; if empty, the usual places are searched
 * @param sources folders of the git repositories whose files are mentioned in entries
 * @param helix the program helix; if empty, the program on {@code PATH} is used
 * @param threads number of threads for embedding and comparing; at least 1
 * @param cache folder of files that can be made again
 * @param state private folder for the store of each knowledge base
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

  /** Modes of dividing lists in notes into items; each item of a divided list becomes an entry. */
  public enum NotesItems {
    /** A list is divided only if the note is a memory file that lists facts. */
    AUTO(""),
    /** Every list of at least three items is divided. */
    ALWAYS("items"),
    NEVER("whole");

    private final String entries;

    NotesItems(String entries) {
      this.entries = entries;
    }

    /** Returns the value in a note's front matter that selects this mode, if any. */
    public String entries() {
      return entries;
    }
  }

  public Settings with(LlmSettings other) {
    return new Settings(
        kb, sources, helix, threads, cache, state, embed, other, daemon, notesItems);
  }

  /**
   * Settings of the embedding model.
   *
   * @param models folder that may have {@code model.onnx} with {@code tokenizer.json} or {@code
   *     vocab.txt}; otherwise the bundled model is used
   * @param maxTokens number of tokens at which a text is cut; 8 to 512
   */
  public record EmbedSettings(
      Path models, ExecutionProvider provider, Precision precision, int maxTokens) {

    public enum ExecutionProvider {
      /** CoreML if a speed trial found it correct and faster, else the CPU. */
      AUTO,
      CPU,
      COREML
    }

    public enum Precision {
      /**
       * Eight bits for passages; 8 or 16 bits for entries if this processor can run the machine
       * code for them. FP32 otherwise, with CoreML, and if a trial found the method slow or
       * inaccurate.
       */
      AUTO,
      FP32,
      /** Eight-bit matrices, which are faster; the vectors differ a little from those of FP32. */
      INT8
    }
  }

  /**
   * Settings of the language model.
   *
   * @param model the GGUF file named by the user; if empty, the first model in the models folder
   * @param seconds seconds that a run may spend on questions; with 0, only stored answers are used
   */
  public record LlmSettings(Optional<Path> model, int seconds, LlmBackend backend) {

    /**
     * Returns settings for stored answers only: of the configured model, or of the first model in
     * the models folder if the file is missing.
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
      /** A GPU if one can be used, else the CPU. */
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
   * @param modelThreads at least 1
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
