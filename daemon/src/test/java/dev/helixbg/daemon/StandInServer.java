package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.daemon.tidy.Helix;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A stand-in for the program helix: its MCP server {@code serve KB} has tools that change the log
 * as helix's tools do.
 */
public final class StandInServer {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Map<String, List<String>> TOOLS =
      Map.of(
          "store", List.of("topic", "text", "tags", "source", "links", "force"),
          "edit", List.of("action", "topic", "match_str", "text", "index", "tags", "into"),
          "topics", List.of("action", "topic", "match_str"));

  private StandInServer() {}

  /**
   * Arguments: {@code serve}, the folder of the knowledge base, the name of the server, and the
   * number of edits after which the next edit ends the server.
   */
  public static void main(String[] arguments) throws IOException {
    Helix helix = new FileHelix(Path.of(arguments[1]).resolve("data.log"));
    String name = arguments.length > 2 ? arguments[2] : "helix";
    int left = arguments.length > 3 ? Integer.parseInt(arguments[3]) : Integer.MAX_VALUE;
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      JsonNode message = JSON.readTree(line);
      if (!message.has("id")) {
        continue;
      }
      ObjectNode answer = JSON.createObjectNode().put("jsonrpc", "2.0");
      answer.set("id", message.path("id"));
      switch (message.path("method").asText()) {
        case "initialize" -> {
          ObjectNode result = answer.putObject("result").put("protocolVersion", "2024-11-05");
          result.putObject("capabilities").putObject("tools");
          result.putObject("serverInfo").put("name", name).put("version", "stand-in");
        }
        case "tools/list" -> tools(answer.putObject("result").putArray("tools"));
        case "tools/call" -> {
          String tool = message.at("/params/name").asText();
          if (!tool.equals("topics") && left-- == 0) {
            System.exit(1);
          }
          call(helix, tool, message.at("/params/arguments"), answer);
        }
        default -> answer.putObject("result");
      }
      out.println(answer);
    }
  }

  private static void tools(ArrayNode tools) {
    TOOLS.forEach(
        (name, arguments) -> {
          ObjectNode schema =
              tools.addObject().put("name", name).put("description", name).putObject("inputSchema");
          ObjectNode properties = schema.put("type", "object").putObject("properties");
          arguments.forEach(one -> properties.putObject(one).put("type", "string"));
        });
  }

  private static void call(Helix helix, String tool, JsonNode given, ObjectNode answer) {
    Map<String, String> arguments = new HashMap<>();
    given.properties().forEach(one -> arguments.put(one.getKey(), one.getValue().asText()));
    try {
      String text = helix.call(tool, arguments);
      answer
          .putObject("result")
          .putArray("content")
          .addObject()
          .put("type", "text")
          .put("text", text);
    } catch (Helix.Refusal e) {
      answer.putObject("error").put("code", -32603).put("message", e.getMessage());
    }
  }

  /**
   * Writes a script that starts the stand-in from the build.
   *
   * @param program path of the script
   * @param dist the folder of the build
   * @param options name of the server, and number of edits, as in {@link #main}
   */
  static Path install(Path program, Path dist, String... options) throws IOException {
    Files.createDirectories(program.getParent());
    Files.writeString(
        program,
        """
        #!/bin/sh
        exec '%s/bin/java' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '%s/lib/*:%s/bench/*' %s "$1" "$2" %s
        """
            .formatted(
                System.getProperty("java.home"),
                dist,
                dist,
                StandInServer.class.getName(),
                String.join(" ", options)));
    return Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
  }
}
