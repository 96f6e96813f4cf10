package dev.helixbg.daemon.tidy;

import java.util.Map;

/** A running helix, which changes a knowledge base for helix-bg. Only helix writes the log. */
public interface Helix extends AutoCloseable {
  /** Thrown when helix reports an error or does not answer. */
  final class Refusal extends RuntimeException {
    private final boolean isCertain;

    /**
     * @param isCertain whether helix has certainly changed no note; false if it has not answered
     */
    public Refusal(String message, boolean isCertain) {
      super(message, null, false, false);
      this.isCertain = isCertain;
    }

    public boolean isCertain() {
      return isCertain;
    }
  }

  /** Calls a tool, and returns its text. Throws a {@link Refusal} for an error or no answer. */
  String call(String tool, Map<String, String> arguments);

  @Override
  void close();
}
