package dev.helixbg.insight.acts;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashMap;
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

  /** The arguments of a call as an act tells it. */
  static Map<String, String> arguments(JsonNode call) {
    Map<String, String> arguments = new HashMap<>();
    call.path("arguments")
        .properties()
        .forEach(one -> arguments.put(one.getKey(), one.getValue().asText()));
    return arguments;
  }

  /** Arguments by their names; one without a value is left out. */
  static Map<String, String> arguments(String... namesAndValues) {
    Map<String, String> arguments = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].isEmpty()) {
        arguments.put(namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    return arguments;
  }

  /** The bytes of data.log. */
  byte[] log() throws IOException;
}
