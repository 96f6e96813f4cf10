package dev.helixbg.insight.acts;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One call of a tool of helix's MCP server, to be carried out there: helix-bg never writes to a
 * knowledge base.
 *
 * @param tool {@code edit}, {@code store} or, to look, {@code topics}
 * @param arguments in reading order; all of helix's arguments are strings, numbers too
 */
public record HelixCall(String tool, Map<String, String> arguments) {
  public HelixCall {
    arguments = Collections.unmodifiableMap(new LinkedHashMap<>(arguments));
  }

  /**
   * @param namesAndValues of the arguments, in turn; those without a value are left out
   */
  static HelixCall of(String tool, String... namesAndValues) {
    Map<String, String> arguments = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      if (!namesAndValues[i + 1].isEmpty()) {
        arguments.put(namesAndValues[i], namesAndValues[i + 1]);
      }
    }
    return new HelixCall(tool, arguments);
  }

  /** As the parameters of a {@code tools/call}. */
  public ObjectNode toJson() {
    ObjectNode call = JsonNodeFactory.instance.objectNode().put("name", tool);
    ObjectNode given = call.putObject("arguments");
    arguments.forEach((name, value) -> given.put(name, PrintableText.wellFormed(value)));
    return call;
  }

  /** The same in one line to copy; what does not print is escaped. */
  public String json() {
    return PrintableText.json(toJson().toString());
  }
}
