package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;

final class PrintableJson {
  private PrintableJson() {}

  static JsonNode printable(JsonNode value) {
    return printable(value, Integer.MAX_VALUE);
  }

  /** Returns a copy in which all texts are printable, and cut to {@code characters}. */
  static JsonNode printable(JsonNode value, int characters) {
    if (value instanceof ObjectNode object) {
      ObjectNode shown = JsonNodeFactory.instance.objectNode();
      object
          .properties()
          .forEach(field -> shown.set(field.getKey(), printable(field.getValue(), characters)));
      return shown;
    }
    if (value instanceof ArrayNode array) {
      ArrayNode shown = JsonNodeFactory.instance.arrayNode();
      array.forEach(element -> shown.add(printable(element, characters)));
      return shown;
    }
    return value.isTextual()
        ? JsonNodeFactory.instance.textNode(excerpt(value.textValue(), characters))
        : value;
  }

  static String excerpt(String text, int characters) {
    return PrintableText.block(PrintableText.beginning(text, characters));
  }

  static String line(String text, int characters) {
    return PrintableText.line(PrintableText.beginning(text, characters));
  }
}
