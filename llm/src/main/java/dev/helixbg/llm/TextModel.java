package dev.helixbg.llm;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.generate.ChoiceScorer;
import dev.helixbg.llm.generate.ForwardPasses;
import dev.helixbg.llm.generate.Generator;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.tokenizer.BpeTokenizer;
import dev.helixbg.llm.tokenizer.ChatTemplate;
import dev.helixbg.llm.tokenizer.ChatTemplate.Thought;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * A language model, ready to read and answer. {@link ModelOpener} opens one.
 *
 * <p>One thread at a time; sessions of one model may take turns. Every call that computes fails
 * with a {@link dev.helixbg.llm.gguf.GgufException} when the model file was changed since it was
 * opened. Its sessions and the model are then to be closed.
 */
public final class TextModel implements AutoCloseable {
  private static final String NAME_KEY = "general.name";
  private static final String TEMPLATE_KEY = "tokenizer.chat_template";

  private final GgufFile file;
  private final Qwen3 model;
  private final BackgroundTask<BpeTokenizer> tokenizerLoad;
  private final List<String> warnings;
  private final ForwardPasses passes;
  private final ChoiceScorer choiceScorer;

  TextModel(
      GgufFile file,
      Qwen3 model,
      PassLimits limits,
      BackgroundTask<BpeTokenizer> tokenizerLoad,
      List<String> warnings) {
    this.file = file;
    this.model = model;
    this.tokenizerLoad = tokenizerLoad;
    this.warnings = warnings;
    passes = new ForwardPasses(model, limits);
    choiceScorer = new ChoiceScorer(passes);
  }

  /** Returns the name that the file gives itself, else the file's name. */
  public String name() {
    return file.metadata().values().get(NAME_KEY) instanceof String name
        ? name
        : file.path().getFileName().toString();
  }

  public int contextLimit() {
    return model.cacheShape().limit();
  }

  /**
   * The tokenizer, which is made beside the rest of the model; waits for it.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if the file's vocabulary is not what it should be
   */
  public BpeTokenizer tokenizer() {
    try {
      return tokenizerLoad.await();
    } catch (RuntimeException | InternalError e) {
      file.mapped().requireUnchanged();
      throw e;
    }
  }

  /** The chat form that the file's template asks for. */
  public ChatTemplate chat() {
    Optional<String> template =
        file.metadata().values().get(TEMPLATE_KEY) instanceof String text
            ? Optional.of(text)
            : Optional.empty();
    return new ChatTemplate(tokenizer(), Thought.of(template));
  }

  public Session session() {
    return new Session(model.backend().cache(model.cacheShape()));
  }

  /**
   * Reads tokens into a session.
   *
   * @param cancelled is asked within and between passes
   * @return false if cancelled; the session is then as before
   * @throws dev.helixbg.llm.backend.KvCache.ContextFullException if they do not fit
   */
  public boolean read(Session session, int[] ids, BooleanSupplier cancelled) {
    return whileUnchanged(() -> passes.read(session.cache, ids, false, cancelled));
  }

  /**
   * Reads a prompt and answers it; see {@link Generator#generate}.
   *
   * @param listener is given each token of the answer as it is chosen
   */
  public Generation generate(
      Session session,
      int[] prompt,
      GenerationOptions options,
      IntConsumer listener,
      BooleanSupplier cancelled) {
    return whileUnchanged(
        () -> Generator.generate(passes, session.cache, prompt, options, listener, cancelled));
  }

  /**
   * How likely each of a few answers is after prompts, when the model may write nothing else; see
   * {@link ChoiceScorer#score}. The session stays as it is.
   */
  public double[][] choose(
      Session shared, List<int[]> prompts, List<int[]> choices, BooleanSupplier cancelled) {
    return whileUnchanged(() -> choiceScorer.score(shared.cache, prompts, choices, cancelled));
  }

  /**
   * Answers prompts by the likeliest tokens, each following what {@code shared} has read; see
   * {@link Generator#generateAll}. The session stays as it is.
   */
  public List<Generation> generateAll(
      Session shared,
      List<int[]> prompts,
      int maxTokens,
      Set<Integer> stopTokens,
      BooleanSupplier cancelled) {
    return whileUnchanged(
        () ->
            Generator.generateAll(passes, shared.cache, prompts, maxTokens, stopTokens, cancelled));
  }

  /** Does some work, whose result or failure counts only if the file is still what was opened. */
  private <T> T whileUnchanged(Supplier<T> work) {
    T result;
    try {
      result = work.get();
    } catch (RuntimeException | InternalError e) {
      file.mapped().requireUnchanged();
      throw e;
    }
    file.mapped().requireUnchanged();
    return result;
  }

  /** Whether the model file was changed since it was opened; every call then fails. */
  public boolean isStale() {
    return file.mapped().isChanged();
  }

  /** The most prompt tokens of one pass: lists of prompts up to so many are read together. */
  public int passTokens() {
    return passes.promptTokens();
  }

  /** The file, with its metadata and tensors. */
  public GgufFile file() {
    return file;
  }

  /** The architecture and its dimensions. */
  public Qwen3 model() {
    return model;
  }

  /** Returns the backend that runs it; its counters tell what was done. */
  public Backend backend() {
    return model.backend();
  }

  /** Why it runs slower than it might, as where a GPU refused it: a sentence each. */
  public List<String> warnings() {
    return warnings;
  }

  @Override
  public void close() {
    tokenizerLoad.awaitEnd();
    model.backend().close();
    file.close();
  }

  /**
   * Part of one sequence that a model has read. Forks of its cache share what was read so far, at
   * no cost: the opening of a job is read once, and every entry follows a fork of it.
   */
  public static final class Session implements AutoCloseable {
    final KvCache cache;

    Session(KvCache cache) {
      this.cache = cache;
    }

    /** Frees its memory for other sessions. */
    @Override
    public void close() {
      cache.close();
    }
  }
}
