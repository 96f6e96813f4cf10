package dev.helixbg.insight.acts;

import java.io.IOException;
import java.util.Map;

/** The tools of a helix that tests edit through: the stand-in, or the real one. */
public interface HelixTools {
  /** What helix says instead of doing it. */
  final class Refusal extends RuntimeException {
    public Refusal(String message) {
      super(message);
    }
  }

  /**
   * @return the text of the answer
   * @throws Refusal when it is an error
   */
  String call(String tool, Map<String, String> arguments);

  /** The bytes of data.log. */
  byte[] log() throws IOException;
}
