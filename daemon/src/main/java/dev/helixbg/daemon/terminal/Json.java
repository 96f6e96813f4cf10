package dev.helixbg.daemon.terminal;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.Collection;
import java.util.Locale;
import java.util.function.Function;

/** How every command with {@code --json} makes and prints its one JSON value. */
public final class Json {
  private Json() {}

  /** Made when it is first needed: a command that reads no JSON starts 40 ms sooner without it. */
  private static final class Mapper {
    static final ObjectMapper ONE = new ObjectMapper();
  }

  /**
   * Reads a value of a type.
   *
   * @throws JacksonException when the text is no JSON, or no such value
   */
  public static <T> T read(String json, Class<T> type) throws JacksonException {
    return Mapper.ONE.readValue(json, type);
  }

  /**
   * Makes a value of a type of a tree.
   *
   * @throws JacksonException when it is no such value
   */
  public static <T> T read(JsonNode json, Class<T> type) throws JacksonException {
    return Mapper.ONE.treeToValue(json, type);
  }

  /** An object without fields, which keep the order in which they are put. */
  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  /** A record as an object of its components. */
  public static ObjectNode of(Record value) {
    return Mapper.ONE.valueToTree(value);
  }

  /** An array of what each item becomes. */
  public static <T> ArrayNode array(Collection<T> items, Function<T, ? extends JsonNode> item) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    items.forEach(one -> array.add(item.apply(one)));
    return array;
  }

  public static ArrayNode texts(Collection<String> texts) {
    return array(texts, JsonNodeFactory.instance::textNode);
  }

  /** A number of a model: its digits after the sixth decimal mean nothing. */
  public static double sixDecimals(double value) {
    return Math.round(value * 1e6) / 1e6;
  }

  /** A constant as output names it. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /**
   * Prints one value and ends the line.
   *
   * @param out of {@link Console#json}
   */
  public static void print(PrintStream out, JsonNode value) {
    out.println(value.toPrettyString());
  }
}
