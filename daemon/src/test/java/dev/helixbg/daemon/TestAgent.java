package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Connects the official MCP client to the built program, for tests. */
final class TestAgent {
  private static final ObjectMapper JSON = new ObjectMapper();

  private TestAgent() {}

  /** Returns the environment of a server for a user with this home. */
  static Map<String, String> environment(Path home) {
    return Map.of(
        "HOME", home.toString(),
        "PATH", System.getenv("PATH"),
        "XDG_CACHE_HOME", home.resolve("cache").toString(),
        "JAVA_HOME", System.getProperty("java.home"));
  }

  /** Returns a client of {@code helix-bg mcp} (without C2) that is not connected yet. */
  static McpClient.SyncSpec of(String launcher, Path home, Path kb) {
    return of(launcher, home, List.of(kb.toString()), line -> {});
  }

  /**
   * Does the same, with more options.
   *
   * @param arguments of {@code helix-bg mcp}
   * @param errors receives each line of stderr
   */
  static McpClient.SyncSpec of(
      String launcher, Path home, List<String> arguments, Consumer<String> errors) {
    Map<String, String> environment = new HashMap<>(environment(home));
    environment.put(Program.JAVA_OPTIONS, Program.WITHOUT_C2);
    List<String> all = Stream.concat(Stream.of("mcp"), arguments.stream()).toList();
    return of(ServerParameters.builder(launcher).args(all).env(environment).build(), errors);
  }

  /** Returns a client of any MCP server. */
  static McpClient.SyncSpec of(ServerParameters server, Consumer<String> errors) {
    StdioClientTransport transport =
        new StdioClientTransport(server, new JacksonMcpJsonMapper(new ObjectMapper()));
    transport.setStdErrorHandler(errors);
    return McpClient.sync(transport)
        .initializationTimeout(Duration.ofMinutes(2))
        .jsonSchemaValidator(
            (schema, value) -> JsonSchemaValidator.ValidationResponse.asValid(null));
  }

  static CallToolResult call(McpSyncClient client, String tool, Map<String, Object> arguments) {
    return client.callTool(CallToolRequest.builder(tool).arguments(arguments).build());
  }

  static String text(CallToolResult result) {
    return ((TextContent) result.content().getFirst()).text();
  }

  /** Calls a tool that must not answer with an error. */
  static JsonNode ask(McpSyncClient client, String tool, Map<String, Object> arguments)
      throws IOException {
    CallToolResult result = call(client, tool, arguments);
    assertFalse(result.isError(), text(result));
    return JSON.readTree(text(result));
  }
}
