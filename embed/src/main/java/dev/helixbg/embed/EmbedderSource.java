package dev.helixbg.embed;

import dev.helixbg.embed.cache.VectorIds;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Source of an embedding model, which is opened only when a text must be embedded. */
public interface EmbedderSource {

  /** Returns the id; models with the same id compute the same vector for a text. */
  String id();

  int maxTokens();

  String describe();

  Embedder open();

  /**
   * Minimum number of texts at which a speed trial of {@link #otherWay} can save more time than it
   * takes.
   */
  int MANY = 512;

  /** Starts to load the model before its first use, if the source keeps it loaded between uses. */
  default void openAhead() {}

  /** Starts to prepare the model's files for this machine, if that has not been done yet. */
  default void prepareAhead() {}

  /**
   * Another method of computing vectors, which may be faster than the usual method.
   *
   * @param id id of the method's vectors
   * @param opensFaster whether the model opens faster than the usual model
   * @param model opens the model
   */
  record OtherWay(String id, boolean opensFaster, Gain gain, Supplier<Embedder> model) {}

  interface Gain {
    /**
     * Returns the speed of the other method of computing vectors, as a multiple of the usual
     * method's speed; 0 if the other method must not be used.
     *
     * @param few whether there are too few texts for a trial. In this case, a method that was never
     *     tried counts as fast enough if it opens faster.
     */
    double of(boolean few);
  }

  /** Returns another method of embedding passages or entries; empty if there is none. */
  default Optional<OtherWay> otherWay(boolean passages) {
    return Optional.empty();
  }

  /**
   * Returns the source that embeds queries; {@code vectors} is the id of the vectors that the
   * queries are compared with.
   */
  default EmbedderSource forQueries(String vectors) {
    return this;
  }

  /** Returns the source that queries probably need, when the id of the KB's vectors is unknown. */
  default EmbedderSource likelyForQueries() {
    return this;
  }

  default VectorIds ids() {
    return new VectorIds(ids(false), ids(true));
  }

  private List<String> ids(boolean passages) {
    return otherWay(passages).map(other -> List.of(id(), other.id())).orElse(List.of(id()));
  }
}
