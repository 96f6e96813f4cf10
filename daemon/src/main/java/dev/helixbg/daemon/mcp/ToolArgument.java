package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * An argument of a tool. {@code check} converts a value (null if absent) to JSON, or to a null node
 * if the request must not contain the argument.
 */
record ToolArgument(
    String name, Map<String, Object> schema, boolean isNeeded, Function<Object, JsonNode> check) {

  private static final int LONGEST_ANSWER = 1_000;

  private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,9}");

  /** Returns a text argument; an empty or null value counts as absent. */
  static ToolArgument text(String name, int longest, String about) {
    return new ToolArgument(
        name,
        Map.of("type", "string", "maxLength", longest, "description", about),
        false,
        given -> text(name, longest, given));
  }

  static ToolArgument choice(String name, List<String> among) {
    return new ToolArgument(
        name,
        Map.of("type", "string", "enum", among),
        false,
        given -> {
          JsonNode value = text(name, 100, given);
          if (!value.isNull() && !among.contains(value.textValue())) {
            throw Failure.usage(
                "\"%s\" must be one of %s".formatted(name, String.join(", ", among)));
          }
          return value;
        });
  }

  static ToolArgument number(String name, int least, int most, int usual) {
    return new ToolArgument(
        name,
        Map.of("type", "integer", "minimum", least, "maximum", most, "default", usual),
        false,
        given -> number(name, least, most, usual, given));
  }

  /**
   * Returns an argument for a list of objects with the string fields {@code id} and {@code answer};
   * the tool refuses wrong objects one by one.
   */
  static ToolArgument answers(int most) {
    Map<String, Object> string = Map.of("type", "string");
    Map<String, Object> item =
        Map.of(
            "type",
            "object",
            "properties",
            Map.of("id", string, "answer", string),
            "required",
            List.of("id", "answer"));
    return new ToolArgument(
        "answers",
        Map.of("type", "array", "maxItems", most, "items", item),
        false,
        given -> answers(most, given));
  }

  private static JsonNode answers(int most, Object given) {
    if (given == null) {
      return NullNode.instance;
    }
    JsonNode list = McpService.MAPPER.convertValue(given, JsonNode.class);
    if (given instanceof String text) { // some clients write the list as JSON in a text
      try {
        list = Json.read(text, JsonNode.class);
      } catch (JacksonException e) {
        // the text is not a list, so it is refused below
      }
    }
    if (!list.isArray()) {
      throw Failure.usage("\"answers\" must be a list of {\"id\": …, \"answer\": …}");
    }
    if (list.size() > most) {
      throw Failure.usage("\"answers\" may have %,d items at most".formatted(most));
    }
    // Only these fields are passed on. Long values are cut, because one long value would cause all
    // answers to be refused.
    return Json.array(list.valueStream().toList(), ToolArgument::answer);
  }

  private static ObjectNode answer(JsonNode item) {
    ObjectNode answer = Json.object();
    for (String field : List.of("id", "answer")) {
      if (item.path(field).isTextual()) {
        answer.put(field, PrintableText.beginning(item.path(field).asText(), LONGEST_ANSWER));
      }
    }
    return answer;
  }

  ToolArgument needed() {
    return new ToolArgument(name, schema, true, check);
  }

  /**
   * Puts the arguments into a request. Fails for a wrong value or a misspelled name; other unknown
   * names are ignored, because some clients add their own.
   */
  static void put(Map<String, Object> given, List<ToolArgument> all, ObjectNode request) {
    TreeSet<String> known = new TreeSet<>(all.stream().map(ToolArgument::name).toList());
    for (String name : given.keySet()) {
      String meant = known.contains(name) ? "" : NearestName.meant(name, known, "");
      if (!meant.isEmpty()) {
        throw Failure.usage(
            "there is no argument \"" + PrintableJson.excerpt(name, 40) + "\"" + meant);
      }
    }
    for (ToolArgument argument : all) {
      JsonNode value = argument.check().apply(given.get(argument.name()));
      if (!value.isNull()) {
        request.set(argument.name(), value);
      } else if (argument.isNeeded()) {
        throw Failure.usage(
            "\"%s\" is missing: this argument is required; the arguments are: %s"
                .formatted(argument.name(), String.join(", ", known)));
      }
    }
  }

  private static JsonNode text(String name, int longest, Object given) {
    if (given == null) {
      return NullNode.instance;
    }
    if (!(given instanceof String text)) {
      throw Failure.usage("\"%s\" must be a string".formatted(name));
    }
    if (text.length() > longest) {
      throw Failure.usage(
          "\"%s\" may have %,d characters at most, this has %,d: shorten it"
              .formatted(name, longest, text.length()));
    }
    return text.isBlank() ? NullNode.instance : TextNode.valueOf(text);
  }

  private static JsonNode number(String name, int least, int most, int usual, Object given) {
    if (given == null) {
      return IntNode.valueOf(usual);
    }
    Object value =
        given instanceof String text && INTEGER.matcher(text.strip()).matches()
            ? Integer.valueOf(text.strip()) // some models write numbers as texts
            : given;
    if (!(value instanceof Number number)
        || number.doubleValue() != number.intValue()
        || number.intValue() < least
        || number.intValue() > most) {
      throw Failure.usage(
          "\"%s\" must be a whole number from %d to %d".formatted(name, least, most));
    }
    return IntNode.valueOf(number.intValue());
  }
}
