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

public final class Json {
  private Json() {}

  /** Holder of the mapper. The mapper is made at its first use, because making it takes 40 ms. */
  private static final class Mapper {
    static final ObjectMapper ONE = new ObjectMapper();
  }

  public static <T> T read(String json, Class<T> type) throws JacksonException {
    return Mapper.ONE.readValue(json, type);
  }

  public static <T> T read(JsonNode json, Class<T> type) throws JacksonException {
    return Mapper.ONE.treeToValue(json, type);
  }

  public static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  public static ObjectNode of(Record value) {
    return Mapper.ONE.valueToTree(value);
  }

  public static <T> ArrayNode array(Collection<T> items, Function<T, ? extends JsonNode> item) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode();
    items.forEach(one -> array.add(item.apply(one)));
    return array;
  }

  public static ArrayNode texts(Collection<String> texts) {
    return array(texts, JsonNodeFactory.instance::textNode);
  }

  /** Rounds a model's result to six decimals; further digits have no meaning. */
  public static double sixDecimals(double value) {
    return Math.round(value * 1e6) / 1e6;
  }

  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  public static void print(PrintStream out, JsonNode value) {
    out.println(value.toPrettyString());
  }
}
