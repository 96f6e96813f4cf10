package dev.helixbg.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Everything a user can set, checked.
 *
 * @param kb the knowledge base named in the file or the environment; empty means: search the usual
 *     places
 * @param sources folders with repositories that entries tell of
 * @param helix the program that writes knowledge bases; empty means: the one on {@code PATH}
 * @param threads for embedding and comparing; at least 1
 * @param cache folder of what can be made again: unpacked models, natives, verdicts on providers
 * @param state folder of what is known of each knowledge base, for this user alone
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

  /** Whether lists in notes are cut into their items, each an entry. */
  public enum NotesItems {
    /** The file decides: lists are cut in memory files that are lists of facts. */
    AUTO(""),
    /** Every list of three items. */
    ALWAYS("items"),
    NEVER("whole");

    private final String entries;

    NotesItems(String entries) {
      this.entries = entries;
    }

    /** How a file's front matter asks for it; empty where none does. */
    public String entries() {
      return entries;
    }
  }

  /** The same with the language model asked in another way. */
  public Settings with(LlmSettings other) {
    return new Settings(
        kb, sources, helix, threads, cache, state, embed, other, daemon, notesItems);
  }

  /**
   * How texts become vectors.
   *
   * @param models folder searched for {@code model.onnx} with {@code tokenizer.json} or {@code
   *     vocab.txt}; without them the bundled model is used
   * @param provider where ONNX Runtime runs the model
   * @param precision of the weights
   * @param maxTokens a longer text is cut there; 8 to 512
   */
  public record EmbedSettings(
      Path models, ExecutionProvider provider, Precision precision, int maxTokens) {

    /** Where the model runs. */
    public enum ExecutionProvider {
      /** CoreML where a probe proved it right and faster, else the CPU. */
      AUTO,
      CPU,
      COREML
    }

    /** Precision of the model's weights. */
    public enum Precision {
      /** Many texts in 16 bits, passages in eight, where a trial found that faster; else FP32. */
      AUTO,
      FP32,
      /** Eight-bit matrices: faster, with vectors a little off those of FP32. */
      INT8
    }
  }

  /**
   * How the language model is asked.
   *
   * @param model the GGUF file named in the settings; empty means: the first in the models folder
   * @param seconds that a run may spend on asking; 0 means: only what is remembered
   * @param backend what runs it
   */
  public record LlmSettings(Optional<Path> model, int seconds, LlmBackend backend) {

    /**
     * Returns settings for what is remembered of this model, or of the first in the models folder;
     * nothing is asked.
     */
    public LlmSettings withoutAsking(Predicate<Path> isThere) {
      return new LlmSettings(model.filter(isThere), 0, backend);
    }

    /**
     * All of them, so that what was made with others is known by it. Written out: a young JVM takes
     * long to make what a record has by itself.
     */
    @Override
    public String toString() {
      return List.of(model, seconds, backend).toString();
    }

    /** Backend that runs the language model. */
    public enum LlmBackend {
      /** A GPU where there is one that can be used, else the CPU. */
      AUTO,
      METAL,
      CUDA,
      CPU
    }
  }

  /**
   * How the daemon treats the machine: the settings {@code daemon.*}, explained in {@link
   * SettingCatalog}.
   *
   * @param embedderIdle empty: loaded for ever
   * @param modelMaxLoad per core
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

    /** Longest pause between two looks where the system reports no changes. */
    private static final Duration UNWATCHED_POLL = Duration.ofSeconds(2);

    /** Pause between two looks where the system reports no changes. */
    public Duration unwatchedPoll() {
      return poll.compareTo(UNWATCHED_POLL) < 0 ? poll : UNWATCHED_POLL;
    }

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
