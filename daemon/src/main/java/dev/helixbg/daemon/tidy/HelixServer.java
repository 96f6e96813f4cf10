package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Version;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.client.transport.StdioClientTransport;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A process {@code helix serve KB}. Other programs are named helix, too, so the start checks the
 * server's name and tools.
 */
public final class HelixServer implements Helix {
  private static final String NAME = "helix";

  private static final Map<String, Set<String>> TOOLS =
      Map.of(
          "store", Set.of("topic", "text"),
          "edit", Set.of("action", "topic", "match_str", "text", "into"),
          "topics", Set.of("action", "topic", "match_str"));

  /** Longest wait for the first answer, which a program that is not helix may never send. */
  private static final Duration BEGINS_WITHIN = Duration.ofSeconds(10);

  private static final Duration ANSWERS_WITHIN = Duration.ofSeconds(30);

  private final McpSyncClient client;

  private HelixServer(McpSyncClient client) {
    this.client = client;
  }

  /**
   * Returns the program named in the setting {@code helix.command}; fails if it is not a program.
   * Without the setting, returns the first helix in the absolute folders of {@code path}.
   */
  public static Optional<Path> find(Settings settings, String path) {
    if (settings.helix().isPresent()) {
      Path named = settings.helix().get();
      if (!isProgram(named)) {
        throw Failure.usage("helix.command = " + named + ": this is not a program");
      }
      return settings.helix();
    }
    return Arrays.stream(path.split(File.pathSeparator))
        .map(HelixServer::absolute)
        .filter(Objects::nonNull)
        .map(folder -> folder.resolve(NAME))
        .filter(HelixServer::isProgram)
        .findFirst();
  }

  private static Path absolute(String folder) {
    try {
      Path path = Path.of(folder);
      return path.isAbsolute() ? path : null;
    } catch (InvalidPathException e) {
      return null;
    }
  }

  private static boolean isProgram(Path file) {
    return Files.isRegularFile(file) && Files.isExecutable(file);
  }

  /** Starts helix on a knowledge base, or fails with {@link ExitCode#UNDONE}. */
  public static HelixServer start(Path program, Kb kb) {
    StdioClientTransport transport =
        new StdioClientTransport(
            ServerParameters.builder(program.toString())
                .args("serve", kb.folder().toString())
                .build(),
            new JacksonMcpJsonMapper(new ObjectMapper()));
    transport.setStdErrorHandler(line -> {});
    HelixServer server =
        new HelixServer(
            McpClient.sync(transport)
                .requestTimeout(ANSWERS_WITHIN)
                .initializationTimeout(BEGINS_WITHIN)
                .clientInfo(Implementation.builder("helix-bg", Version.text()).build())
                .jsonSchemaValidator(
                    (schema, value) -> JsonSchemaValidator.ValidationResponse.asValid(null))
                .build());
    try {
      Optional<String> stranger = server.stranger();
      if (stranger.isPresent()) {
        throw new Failure(
            ExitCode.UNDONE,
            "%s is not the program helix that writes knowledge bases: %s. Set helix.command to the path of helix"
                .formatted(program, stranger.get()));
      }
      // When helix ends, the client is closed, so that a running call fails at once.
      Thread.ofVirtual()
          .start(
              () -> {
                transport.awaitForExit();
                server.client.close();
              });
      return server;
    } catch (RuntimeException e) {
      server.close();
      throw e;
    }
  }

  private Optional<String> stranger() {
    try {
      String name = client.initialize().serverInfo().name();
      if (!name.equals(NAME)) {
        return Optional.of("it calls itself " + name);
      }
      Map<String, Set<String>> has =
          client.listTools().tools().stream()
              .collect(Collectors.toMap(Tool::name, HelixServer::arguments, (a, b) -> a));
      List<String> missing =
          TOOLS.keySet().stream()
              .filter(tool -> !has.getOrDefault(tool, Set.of()).containsAll(TOOLS.get(tool)))
              .sorted()
              .toList();
      return missing.isEmpty()
          ? Optional.empty()
          : Optional.of("it lacks these tools or their arguments: " + String.join(", ", missing));
    } catch (RuntimeException e) {
      return Optional.of("it does not answer as an MCP server");
    }
  }

  private static Set<String> arguments(Tool tool) {
    return tool.inputSchema() != null
            && tool.inputSchema().get("properties") instanceof Map<?, ?> properties
        ? properties.keySet().stream().map(String::valueOf).collect(Collectors.toSet())
        : Set.of();
  }

  @Override
  public String call(String tool, Map<String, String> arguments) {
    CallToolResult result;
    try {
      result =
          client.callTool(
              CallToolRequest.builder(tool).arguments(new HashMap<>(arguments)).build());
    } catch (McpError e) {
      throw new Refusal(e.getMessage(), true);
    } catch (RuntimeException e) {
      throw new Refusal("helix does not answer", false);
    }
    String text =
        result.content().stream()
            .filter(TextContent.class::isInstance)
            .map(part -> ((TextContent) part).text())
            .collect(Collectors.joining());
    if (Boolean.TRUE.equals(result.isError())) {
      throw new Refusal(text, true);
    }
    return text;
  }

  @Override
  public void close() {
    client.closeGracefully();
  }
}
