package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.cache.VectorIds;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/** An embedding model by name, opened when there is something to embed. */
public interface EmbedderSource {

  /** The same wherever the same text gets the same vector. */
  String id();

  /** The most tokens that it takes of a text. */
  int maxTokens();

  /** For people. */
  String describe();

  /** Opens an embedder, which the caller closes. */
  Embedder open();

  /** Missing texts from which on the model for many texts is opened: some seconds of work. */
  int MANY = 512;

  /** Loads it beside what else is needed before it is used, where it is kept between uses. */
  default void openAhead() {}

  /**
   * Another way to embed, which may be faster and takes longer to open.
   *
   * @param id of its vectors
   * @param gain so many times as fast, which may take seconds to find out; 0 where it is not to be
   *     used
   * @param model opens it
   */
  record ForMany(String id, DoubleSupplier gain, Supplier<Embedder> model) {}

  /** For many texts; empty where all is embedded in one way. */
  default Optional<ForMany> forMany(boolean passages) {
    return Optional.empty();
  }

  /** The way to embed queries that are compared with entries' vectors of an id. */
  default EmbedderSource forQueries(String vectors) {
    return this;
  }

  /** Whether this one embeds queries for vectors of any id. */
  default boolean isForAllQueries() {
    return true;
  }

  /** Ids of all kinds of vectors that this source may make. */
  default VectorIds ids() {
    return new VectorIds(ids(false), ids(true));
  }

  private List<String> ids(boolean passages) {
    return forMany(passages).map(other -> List.of(id(), other.id())).orElse(List.of(id()));
  }

  /** The model that the settings lead to, loaded anew by each {@link #open}. */
  static EmbedderSource located(Settings settings) {
    return of(EmbeddingModel.locate(settings.embed(), settings.cache()), settings);
  }

  private static EmbedderSource of(EmbeddingModel model, Settings settings) {
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

      @Override
      public EmbedderSource forQueries(String vectors) {
        return of(model.forQueries(vectors), settings);
      }

      @Override
      public boolean isForAllQueries() {
        return model.isForAllQueries();
      }

      @Override
      public Optional<ForMany> forMany(boolean passages) {
        return model
            .forMany(passages)
            .map(
                other ->
                    new ForMany(
                        other.id(),
                        () -> other.against(model, settings.threads()).gain(),
                        () -> other.open(settings.threads())));
      }
    };
  }
}
