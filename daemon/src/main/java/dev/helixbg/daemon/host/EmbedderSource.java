package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.SpeedTrial;
import dev.helixbg.embed.cache.VectorIds;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Source of an embedding model, which is opened only when a text must be embedded. */
public interface EmbedderSource {

  /** Returns the id; models with the same id make the same vector of a text. */
  String id();

  /** Returns the model's token limit for a text. */
  int maxTokens();

  /** Returns a description of the model for people. */
  String describe();

  /** Opens an embedder, which the caller closes. */
  Embedder open();

  /** Minimum number of texts for a trial of {@link #otherWay}: a few seconds of work. */
  int MANY = 512;

  /** Starts to load the model before its first use, if the source keeps it loaded between uses. */
  default void openAhead() {}

  /** Starts to prepare the model if it has not been prepared on this machine yet. */
  default void prepareAhead() {}

  /**
   * Another way to embed, which may be faster.
   *
   * @param id id of the vectors that this way makes
   * @param opensFaster whether the model opens faster than the usual model
   * @param gain speed of this way
   * @param model opens the model
   */
  record OtherWay(String id, boolean opensFaster, Gain gain, Supplier<Embedder> model) {}

  /** Speed of another way to embed. */
  interface Gain {
    /**
     * Returns the speed as a multiple of the usual speed, or 0 if the way must not be used.
     *
     * @param few whether the texts are too few for a trial, which may take seconds. For few texts,
     *     a way that opens faster counts as fast enough if no trial has measured it.
     */
    double of(boolean few);
  }

  /** Returns another way to embed; empty if there is only the usual way. */
  default Optional<OtherWay> otherWay(boolean passages) {
    return Optional.empty();
  }

  /** Returns the source for queries that are compared with vectors that have this id. */
  default EmbedderSource forQueries(String vectors) {
    return this;
  }

  /** Whether this source embeds queries for vectors of any id. */
  default boolean isForAllQueries() {
    return true;
  }

  /** Returns the ids of all vectors that this source may make. */
  default VectorIds ids() {
    return new VectorIds(ids(false), ids(true));
  }

  private List<String> ids(boolean passages) {
    return otherWay(passages).map(other -> List.of(id(), other.id())).orElse(List.of(id()));
  }

  /** Returns the source of the settings' model, which each {@link #open} loads again. */
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
      public void prepareAhead() {
        model.prepareAhead();
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
      public Optional<OtherWay> otherWay(boolean passages) {
        return model
            .otherWay(passages)
            .map(
                other ->
                    new OtherWay(
                        other.id(),
                        other.isMachineCode(),
                        few -> gain(other, few),
                        () -> other.open(settings.threads())));
      }

      private double gain(EmbeddingModel other, boolean few) {
        Optional<SpeedTrial.Verdict> tried =
            few && other.isMachineCode()
                ? other.triedAgainst(model)
                : Optional.of(other.against(model, settings.threads()));
        return tried.map(SpeedTrial.Verdict::gain).orElse(SpeedTrial.WORTH);
      }
    };
  }
}
