package dev.helixbg.insight.acts;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * The MCP tools of helix, as tests call them: those of {@link StandInHelix} or of the real helix.
 */
public interface HelixTools {
  /** The error message with which helix refuses a call. */
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

  /** Returns the arguments of a call in the JSON form of an act. */
  static Map<String, String> arguments(JsonNode call) {
    Map<String, String> arguments = new HashMap<>();
    call.path("arguments")
        .properties()
        .forEach(one -> arguments.put(one.getKey(), one.getValue().asText()));
    return arguments;
  }

  /** Returns arguments by their names; arguments without a value are left out. */
  static Map<String, String> arguments(String... namesAndValues) {
    Map<String, String> arguments = new HashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].isEmpty()) {
        arguments.put(namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    return arguments;
  }

  /** Returns the bytes of data.log. */
  byte[] log() throws IOException;
}
