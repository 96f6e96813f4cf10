package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** MCP clients, each with its own format of configuration. */
public enum ClientConfig {
  CLAUDE_CODE("run this command"),
  CLAUDE_DESKTOP(
      "add this to claude_desktop_config.json (Settings, Developer, Edit Config), then restart"
          + " Claude"),
  CURSOR("add this to ~/.cursor/mcp.json, or to .cursor/mcp.json of a project"),
  VSCODE(
      "add this to mcp.json (command MCP: Open User Configuration), or to .vscode/mcp.json of a"
          + " project"),
  ZED("add this to settings.json (command zed: open settings file)"),
  CODEX("add this to ~/.codex/config.toml"),
  GEMINI("add this to ~/.gemini/settings.json, or to .gemini/settings.json of a project"),
  WINDSURF("add this to ~/.codeium/windsurf/mcp_config.json");

  private final String where;

  ClientConfig(String where) {
    this.where = where;
  }

  public String where() {
    return where;
  }

  /** Returns the configuration that runs {@code program mcp} with these arguments. */
  public String snippet(String program, List<String> arguments) {
    List<String> command = new ArrayList<>(List.of(program, "mcp"));
    command.addAll(arguments);
    return switch (this) {
      case CLAUDE_CODE ->
          "claude mcp add --scope user helix-bg -- "
              + command.stream().map(Console::shellWord).collect(Collectors.joining(" "));
      case CLAUDE_DESKTOP, CURSOR, GEMINI, WINDSURF -> json("mcpServers", false, command);
      case VSCODE -> json("servers", true, command);
      case ZED -> json("context_servers", false, command);
      case CODEX -> // A JSON string is also a valid string in TOML.
          "[mcp_servers.helix-bg]\ncommand = %s\nargs = %s"
              .formatted(TextNode.valueOf(program), Json.texts(command.subList(1, command.size())));
    };
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String json(String servers, boolean typed, List<String> command) {
    ObjectNode json = Json.object();
    ObjectNode server = json.putObject(servers).putObject("helix-bg");
    if (typed) {
      server.put("type", "stdio");
    }
    server.put("command", command.getFirst());
    server.set("args", Json.texts(command.subList(1, command.size())));
    return json.toPrettyString();
  }
}
