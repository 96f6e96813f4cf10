package dev.helixbg.insight.review;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A language model, as reviews ask it.
 *
 * <p>Every call may be cancelled; it then ends within one pass over the model's weights, with a
 * {@link java.util.concurrent.CancellationException}.
 */
public interface Oracle {

  /** What the model is called. */
  String name();

  /**
   * The likeliest of a few answers; the model can say nothing else.
   *
   * @param system what the model is told first
   * @param user what is asked; becomes text only
   * @return index of the choice
   */
  int choose(String system, String user, List<String> choices, BooleanSupplier cancelled);

  /**
   * A free answer.
   *
   * @param listener is given the pieces as they come
   */
  String write(
      String system,
      String user,
      int maxTokens,
      Consumer<String> listener,
      BooleanSupplier cancelled);
}
