package dev.helixbg.daemon.tidy;

import java.util.Map;

public interface Helix extends AutoCloseable {
  final class Refusal extends RuntimeException {
    final boolean isCertain;

    /** {@code isCertain} tells whether helix surely changed no note; false if it did not answer. */
    public Refusal(String message, boolean isCertain) {
      super(message, null, false, false);
      this.isCertain = isCertain;
    }
  }

  /** Calls a tool, and returns its text. Throws a {@link Refusal} for an error or a lost answer. */
  String call(String tool, Map<String, String> arguments);

  @Override
  void close();
}
