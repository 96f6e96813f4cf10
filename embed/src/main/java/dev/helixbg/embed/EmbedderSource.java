package dev.helixbg.embed;

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
   * Minimum number of texts for a trial. If at least this many texts must be embedded, a trial
   * first measures {@link #otherWay}. Embedding this many texts takes a few seconds.
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

  /**
   * Returns the source that embeds queries. The vectors of the queries can then be compared with
   * vectors that have this id.
   */
  default EmbedderSource forQueries(String vectors) {
    return this;
  }

  /**
   * Returns the source that the queries of a KB probably need. The KB's vectors decide later which
   * source is used.
   */
  default EmbedderSource likelyForQueries() {
    return this;
  }

  /** Returns the ids of all vectors that this source may make. */
  default VectorIds ids() {
    return new VectorIds(ids(false), ids(true));
  }

  private List<String> ids(boolean passages) {
    return otherWay(passages).map(other -> List.of(id(), other.id())).orElse(List.of(id()));
  }
}
