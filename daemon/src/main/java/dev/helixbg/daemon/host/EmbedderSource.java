package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;

/** An embedding model by name, opened when there is something to embed. */
public interface EmbedderSource {

  /** The same wherever the same text gets the same vector. */
  String id();

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
