package dev.helixbg.daemon;

import dev.helixbg.insight.acts.HelixTools;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.client.transport.ServerParameters;
import io.modelcontextprotocol.spec.McpError;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A real helix server for a knowledge base; tests call its tools over stdin and stdout, as agents
 * do.
 */
final class RealHelix implements HelixTools, AutoCloseable {
  private final Path folder;
  private final McpSyncClient client;

  /**
   * @param binary path of the real program helix
   * @param folder folder of the knowledge base
   */
  RealHelix(Path binary, Path folder) throws IOException {
    this.folder = Files.createDirectories(folder);
    ServerParameters server =
        ServerParameters.builder(binary.toString())
            .args("serve", folder.toString())
            .env(Map.of("HOME", folder.toString()))
            .build();
    this.client = TestAgent.of(server, line -> {}).build();
    client.initialize();
  }

  @Override
  public synchronized String call(String tool, Map<String, String> arguments) {
    try {
      return TestAgent.call(client, tool, Map.copyOf(arguments)).content().stream()
          .map(part -> ((TextContent) part).text())
          .collect(Collectors.joining());
    } catch (McpError e) {
      throw new Refusal(e.getMessage());
    }
  }

  @Override
  public byte[] log() throws IOException {
    return Files.readAllBytes(folder.resolve("data.log"));
  }

  @Override
  public void close() {
    client.close();
  }
}
