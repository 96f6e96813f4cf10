package dev.helixbg.daemon.mcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import dev.helixbg.daemon.ExternalTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClientConfigTest {
  private static final String PROGRAM = "/home/ada's place/helix \"bg\"/bin/helix-bg";
  private static final List<String> KBS = List.of("/home/ada/kb $HOME", "/kb\\b ü");

  private static List<String> command() {
    List<String> command = new ArrayList<>(List.of(PROGRAM, "mcp"));
    command.addAll(KBS);
    return command;
  }

  private static List<String> command(JsonNode server) {
    List<String> command = new ArrayList<>(List.of(server.path("command").asText()));
    server.path("args").forEach(argument -> command.add(argument.asText()));
    return command;
  }

  @Test
  void jsonOfEditorsAndDesktops() throws IOException {
    for (var place :
        Map.of(
                ClientConfig.CLAUDE_DESKTOP, "mcpServers",
                ClientConfig.CURSOR, "mcpServers",
                ClientConfig.GEMINI, "mcpServers",
                ClientConfig.WINDSURF, "mcpServers",
                ClientConfig.VSCODE, "servers",
                ClientConfig.ZED, "context_servers")
            .entrySet()) {
      JsonNode json = new ObjectMapper().readTree(place.getKey().snippet(PROGRAM, KBS));
      assertEquals(command(), command(json.path(place.getValue()).path("helix-bg")));
    }
    JsonNode code = new ObjectMapper().readTree(ClientConfig.VSCODE.snippet(PROGRAM, KBS));
    assertEquals("stdio", code.at("/servers/helix-bg/type").asText());
  }

  @Test
  void tomlOfCodex() throws IOException {
    JsonNode toml = new TomlMapper().readTree(ClientConfig.CODEX.snippet(PROGRAM, KBS));
    assertEquals(command(), command(toml.at("/mcp_servers/helix-bg")));
  }

  @Test
  void theCommandOfClaudeCodeSurvivesAShell(@TempDir Path folder) throws Exception {
    Path claude = folder.resolve("claude");
    Files.writeString(claude, "#!/bin/sh\nfor a in \"$@\"; do printf '%s\\n' \"$a\"; done\n");
    claude.toFile().setExecutable(true);
    ProcessBuilder shell =
        new ProcessBuilder("sh", "-c", ClientConfig.CLAUDE_CODE.snippet(PROGRAM, KBS));
    shell.environment().put("PATH", folder + ":" + System.getenv("PATH"));
    List<String> words = ExternalTool.said(shell).lines().toList();
    List<String> expected =
        new ArrayList<>(List.of("mcp", "add", "--scope", "user", "helix-bg", "--"));
    expected.addAll(command());
    assertEquals(expected, words);
  }
}
