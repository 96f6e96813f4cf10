package dev.helixbg.daemon.tidy;

import java.util.Map;

/** A running helix, which owns the log of one knowledge base. */
public interface Helix extends AutoCloseable {
  /** An error in place of helix's answer. */
  final class Refusal extends RuntimeException {
    private final boolean isCertain;

    /**
     * @param isCertain whether nothing was changed; else there was no answer
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
   * Calls one of its tools.
   *
   * @return the text of the answer
   * @throws Refusal when it is an error, or when there is none
   */
  String call(String tool, Map<String, String> arguments);

  @Override
  void close();
}
