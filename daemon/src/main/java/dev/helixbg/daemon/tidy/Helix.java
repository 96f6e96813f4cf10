package dev.helixbg.daemon.tidy;

import java.util.Map;

/** A running helix, the only writer of one knowledge base's log. */
public interface Helix extends AutoCloseable {
  /** Thrown when helix reports an error or does not answer. */
  final class Refusal extends RuntimeException {
    private final boolean isCertain;

    /**
     * @param isCertain whether it is certain that no note was changed; false if helix did not
     *     answer
     */
    public Refusal(String message, boolean isCertain) {
      super(message, null, false, false);
      this.isCertain = isCertain;
    }

    public boolean isCertain() {
      return isCertain;
    }
  }

  /**
   * Calls a tool, and returns its text. Throws a {@link Refusal} if helix reports an error or does
   * not answer.
   */
  String call(String tool, Map<String, String> arguments);

  @Override
  void close();
}
