package dev.helixbg.daemon.cli.bench;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.io.PrintStream;

/** How benchmarks print their results as they come to them. */
final class JsonStream {
  private JsonStream() {}

  /** Writes one value. */
  interface Content {
    void writeTo(JsonGenerator json) throws IOException;
  }

  /** A field with a rounded number. */
  static void decimal(JsonGenerator json, String field, double value) throws IOException {
    json.writeNumberField(field, Json.rounded(value));
  }

  /** Prints one value and ends the line. */
  static void print(PrintStream out, Content content) throws IOException {
    try (JsonGenerator json =
        new JsonFactory()
            .createGenerator(out)
            .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
            .setPrettyPrinter(new DefaultPrettyPrinter())) {
      content.writeTo(json);
    }
    out.println();
  }
}
