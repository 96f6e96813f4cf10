package dev.helixbg.daemon.terminal;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.PrettyPrinter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintStream;

/** How every command with {@code --json} prints its one JSON value. */
public final class Json {
  private Json() {}

  /** Writes one value. */
  public interface Content {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** A number of a model's or a similarity; what is behind six decimals means nothing. */
  public static double rounded(double value) {
    return Math.round(value * 1e6) / 1e6;
  }

  /** A field with a rounded number. */
  public static void decimal(JsonGenerator json, String field, double value) throws IOException {
    json.writeNumberField(field, rounded(value));
  }

  /**
   * @param out of {@link Console#json}
   */
  public static void print(PrintStream out, Content content) throws IOException {
    print(out, new DefaultPrettyPrinter(), content);
  }

  /** Prints one value and ends the line. */
  public static void print(PrintStream out, JsonNode value) throws IOException {
    print(out, json -> new ObjectMapper().writeTree(json, value));
  }

  /** On one line. */
  public static void printLine(PrintStream out, JsonNode value) throws IOException {
    print(out, new MinimalPrettyPrinter(), json -> new ObjectMapper().writeTree(json, value));
  }

  private static void print(PrintStream out, PrettyPrinter printer, Content content)
      throws IOException {
    try (JsonGenerator json =
        new JsonFactory()
            .createGenerator(out)
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .setPrettyPrinter(printer)) {
      content.writeTo(json);
    }
    out.println();
  }
}
