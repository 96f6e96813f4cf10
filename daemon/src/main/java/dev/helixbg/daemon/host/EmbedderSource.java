package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.embed.Arithmetic;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;

/** An embedding model by name, opened when there is something to embed. */
public interface EmbedderSource {

  /** Names texts, whatever computes their vectors: of model, tokenizer and token limit. */
  String id();

  /** Of all vectors that it makes. To find out may take seconds, once on a machine. */
  Arithmetic arithmetic();

  /** The most tokens that it takes of a text. */
  int maxTokens();

  /** For people. */
  String describe();

  /** Whoever opens it closes it. */
  Embedder open();

  /** The model that the settings lead to, loaded anew by each {@link #open}. */
  static EmbedderSource located(Settings settings) {
    EmbeddingModel model = EmbeddingModel.locate(settings.embed(), settings.cache());
    return new EmbedderSource() {
      @Override
      public String id() {
        return model.id();
      }

      @Override
      public Arithmetic arithmetic() {
        return model.arithmetic();
      }

      @Override
      public int maxTokens() {
        return settings.embed().maxTokens();
      }

      @Override
      public String describe() {
        return model.describe();
      }

      @Override
      public Embedder open() {
        return model.open(settings.threads());
      }
    };
  }
}
