package dev.helixbg.daemon.tidy;

import java.util.Map;

/** A running helix, the only writer of one knowledge base's log. */
public interface Helix extends AutoCloseable {
  /** An error in place of an answer. */
  final class Refusal extends RuntimeException {
    private final boolean isCertain;

    /** {@code isCertain}: true if surely no note was changed; false without an answer. */
    public Refusal(String message, boolean isCertain) {
      super(message, null, false, false);
      this.isCertain = isCertain;
    }

    public boolean isCertain() {
      return isCertain;
    }
  }

  /**
   * Calls a tool, and returns its text. Throws a {@link Refusal} on an error or without an answer.
   */
  String call(String tool, Map<String, String> arguments);

  @Override
  void close();
}
