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
import dev.helixbg.llm.tokenizer.Vocabulary;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * A loaded language model. {@link ModelOpener} opens models.
 *
 * <p>Only one thread at a time may use a model. The thread may alternate between sessions. Every
 * call that computes throws a {@link dev.helixbg.llm.gguf.GgufException} if the model file was
 * changed since it was opened. The caller must then close the sessions and the model.
 */
public final class TextModel implements AutoCloseable {
  private static final String NAME_KEY = "general.name";

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

  /** Returns the name in the model's metadata, or the file's name if the metadata has none. */
  public String name() {
    return file.metadata().values().get(NAME_KEY) instanceof String name
        ? name
        : file.path().getFileName().toString();
  }

  public int contextLimit() {
    return model.cacheShape().limit();
  }

  /**
   * Returns the model's tokenizer; waits until it is loaded.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if the file's vocabulary cannot be used
   */
  public BpeTokenizer tokenizer() {
    try {
      return tokenizerLoad.await();
    } catch (RuntimeException | InternalError e) {
      file.mapped().requireUnchanged();
      throw e;
    }
  }

  /**
   * Returns the template for the model's prompts.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if the model does not use Qwen's chat format
   */
  public ChatTemplate chat() {
    Optional<String> template = Vocabulary.chatTemplate(file.metadata());
    return new ChatTemplate(tokenizer(), Thought.of(template));
  }

  public Session session() {
    return new Session(model.backend().cache(model.cacheShape()));
  }

  /** Reads tokens into a session, without an answer; see {@link ForwardPasses#read}. */
  public void read(Session session, int[] ids, BooleanSupplier cancelled) {
    whileUnchanged(
        () -> {
          passes.read(session.cache, ids, false, cancelled);
          return null;
        });
  }

  /** Answers one prompt, which follows the session's text; see {@link Generator#generate}. */
  public Generation generate(
      Session session,
      int[] prompt,
      GenerationOptions options,
      IntConsumer listener,
      BooleanSupplier cancelled) {
    return whileUnchanged(
        () -> Generator.generate(passes, session.cache, prompt, options, listener, cancelled));
  }

  /** Returns the probability of each choice after each prompt; see {@link ChoiceScorer#score}. */
  public double[][] choose(
      Session shared, List<int[]> prompts, List<int[]> choices, BooleanSupplier cancelled) {
    return whileUnchanged(() -> choiceScorer.score(shared.cache, prompts, choices, cancelled));
  }

  /** Answers prompts that all follow the session's text; see {@link Generator#generateAll}. */
  public List<Generation> generateAll(
      Session shared, List<int[]> prompts, GenerationOptions options, BooleanSupplier cancelled) {
    return whileUnchanged(
        () -> Generator.generateAll(passes, shared.cache, prompts, options, cancelled));
  }

  /** Runs work, then throws if the model file was changed, even if the work itself failed. */
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

  public int passTokens() {
    return passes.promptTokens();
  }

  public GgufFile file() {
    return file;
  }

  public Qwen3 model() {
    return model;
  }

  public Backend backend() {
    return model.backend();
  }

  /** Returns sentences that say why the model runs slower than it could. */
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
   * Text that a model has read, stored as keys and values. Several prompts can follow this text:
   * each prompt continues a fork of the cache, which shares the cache's memory. The model thus
   * reads the common beginning of all prompts only once.
   */
  public record Session(KvCache cache) implements AutoCloseable {
    @Override
    public void close() {
      cache.close();
    }
  }
}
