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

  /** Returns the id; models with the same id compute the same vector for a text. */
  String id();

  /** Returns the model's token limit for a text. */
  int maxTokens();

  /** Returns a description of the model for people. */
  String describe();

  /** Opens an embedder, which the caller closes. */
  Embedder open();

  /**
   * Minimum number of texts before which a trial measures {@link #otherWay}. Embedding this many
   * texts takes a few seconds.
   */
  int MANY = 512;

  /** Starts to load the model before its first use, if the source keeps it loaded between uses. */
  default void openAhead() {}

  /** Starts to prepare the model if it has not been prepared on this machine yet. */
  default void prepareAhead() {}

  /**
   * Another method of computing vectors, which may be faster than the usual method.
   *
   * @param id id of the vectors that this method computes
   * @param opensFaster whether the model opens faster than the usual model
   * @param gain speed of this method
   * @param model opens the model
   */
  record OtherWay(String id, boolean opensFaster, Gain gain, Supplier<Embedder> model) {}

  /** Speed of another method of computing vectors. */
  interface Gain {
    /**
     * Returns the speed as a multiple of the usual speed, or 0 if the method must not be used.
     *
     * @param few whether there are too few texts for a trial, which can take seconds. In this case,
     *     a method that opens faster counts as fast enough if no earlier trial has measured it.
     */
    double of(boolean few);
  }

  /** Returns another method of computing vectors; empty if there is only the usual method. */
  default Optional<OtherWay> otherWay(boolean passages) {
    return Optional.empty();
  }

  /** Returns the source that embeds queries, for comparison with vectors that have this id. */
  default EmbedderSource forQueries(String vectors) {
    return this;
  }

  /** Whether this source embeds all queries, regardless of the id of the compared vectors. */
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
