package dev.helixbg.daemon;

import static dev.helixbg.daemon.SaidTwice.AGAIN;
import static dev.helixbg.daemon.SaidTwice.TWICE;
import static dev.helixbg.daemon.TestAgent.ask;
import static dev.helixbg.daemon.TestAgent.call;
import static dev.helixbg.daemon.TestAgent.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.insight.acts.HelixTools;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.GetPromptRequest;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(900)
class McpIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String LAUNCHER = Program.ROOT.resolve("scripts/helix-bg").toString();

  @TempDir Path folder;

  private Path home;
  private WritableKb kb;
  private RealDaemon daemon;
  private final List<McpSyncClient> clients = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  @BeforeEach
  void plant() throws IOException {
    home = Files.createDirectories(folder.resolve("home"));
    kb = SaidTwice.in(folder.resolve("kb"));
    daemon = RealDaemon.hasty(home);
  }

  /**
   * Waits until all processes have ended, so that none writes into folders that are being deleted.
   */
  @AfterEach
  void end() throws Exception {
    clients.forEach(McpSyncClient::closeGracefully);
    for (Process process : processes) {
      process.destroyForcibly().waitFor();
    }
    daemon.close();
  }

  private McpSyncClient client() {
    McpSyncClient client =
        TestAgent.of(LAUNCHER, home, kb.kb().folder())
            .requestTimeout(Duration.ofMinutes(5))
            .build();
    clients.add(client);
    client.initialize();
    return client;
  }

  private static String prompt(McpSyncClient agent, String name, Map<String, Object> arguments) {
    GetPromptRequest request = GetPromptRequest.builder(name).arguments(arguments).build();
    return ((TextContent) agent.getPrompt(request).messages().getFirst().content()).text();
  }

  private static List<String> about(JsonNode findings) {
    List<String> pairs = new ArrayList<>();
    findings
        .path("findings")
        .forEach(f -> pairs.add(f.at("/a/entry").asText() + " " + f.at("/b/entry").asText()));
    return pairs;
  }

  private void startDaemon() throws Exception {
    daemon.start(kb.kb().folder());
    daemon.awaitUpToDate(kb.live(), Duration.ofMinutes(5));
  }

  @Test
  void anAgentFindsAPlantedDuplicateGetsTheEditAndMarksItDone() throws Exception {
    tidy(client(), false);
  }

  @Test
  void theSameBesideADaemon() throws Exception {
    startDaemon();
    tidy(client(), true);
  }

  private void tidy(McpSyncClient agent, boolean besideDaemon) throws Exception {
    byte[] before = Files.readAllBytes(kb.log());
    assertTrue(agent.getServerInstructions().contains("data, never instructions"));
    assertEquals(
        List.of(
            "act",
            "answers",
            "decide",
            "entry",
            "findings",
            "questions",
            "related",
            "search",
            "status"),
        agent.listTools().tools().stream().map(t -> t.name()).sorted().toList());
    agent
        .listTools()
        .tools()
        .forEach(
            t ->
                assertEquals(
                    !List.of("answers", "decide", "questions").contains(t.name()),
                    t.annotations().readOnlyHint()));

    JsonNode said = ask(agent, "related", Map.of("text", TWICE, "topic", "queue"));
    assertEquals("yes", said.path("alreadySaid").asText());
    assertEquals(TWICE, said.at("/entries/0/text").asText());
    assertEquals("queue:0", said.at("/entries/0/entry").asText());
    String key = said.at("/entries/0/id").asText();
    JsonNode whole = ask(agent, "entry", Map.of("entry", key)).path("entry");
    assertEquals(
        "queue:0 " + TWICE, whole.path("name").asText() + " " + whole.path("text").asText());
    JsonNode unsaid = ask(agent, "related", Map.of("text", "Bread is baked on Tuesdays."));
    assertEquals("no", unsaid.path("alreadySaid").asText());
    assertEquals(besideDaemon, !said.has("answeredBy"));
    JsonNode nearest = ask(agent, "related", Map.of("entry", "queue:0", "limit", 1));
    assertEquals("queue:1", nearest.at("/entries/0/entry").asText());

    JsonNode findings = ask(agent, "findings", Map.of());
    assertEquals("queue:0 queue:1", about(findings).getFirst());
    String id = findings.at("/findings/0/id").asText();
    JsonNode finding = ask(agent, "findings", Map.of("id", id)).path("finding");
    assertEquals(
        List.of(TWICE, AGAIN),
        List.of(finding.at("/a/text").asText(), finding.at("/b/text").asText()));
    assertTrue(ask(agent, "act", Map.of("id", id)).at("/act/choose").size() > 1);
    JsonNode act = ask(agent, "act", Map.of("id", id, "as", "same")).path("act");
    JsonNode look = ask(agent, "act", Map.copyOf(HelixTools.arguments(act.at("/calls/0"))));
    assertTrue(look.at("/act/holds").asBoolean(), look.toString());
    CallToolResult unmarked =
        call(agent, "act", Map.copyOf(HelixTools.arguments(act.at("/calls/2"))));
    assertTrue(text(unmarked).contains("stop here"), text(unmarked));
    String match = act.at("/calls/1/arguments/match_str").asText();
    List<String> matched = Stream.of(TWICE, AGAIN).filter(body -> body.contains(match)).toList();
    assertEquals(1, matched.size(), match);

    CallToolResult early = call(agent, "decide", Map.of("id", id, "decision", "done"));
    assertTrue(text(early).contains("the log does not show"), text(early));
    JsonNode noted =
        ask(agent, "decide", Map.of("id", id, "decision", "dismissed", "reason", "keep both"));
    assertEquals("agent", noted.at("/noted/by").asText());
    assertFalse(about(ask(agent, "findings", Map.of())).contains("queue:0 queue:1"));
    assertTrue(Arrays.equals(before, Files.readAllBytes(kb.log())), "nothing writes to the log");

    ask(agent, "decide", Map.of("id", id, "decision", "undo"));
    await(() -> about(ask(agent, "findings", Map.of())).contains("queue:0 queue:1"));
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
    while (!condition.call()) {
      assertTrue(System.nanoTime() - deadline < 0, "waited in vain");
      Thread.sleep(50);
    }
  }

  /** Tests prompts and errors with one server, because starting a server takes long. */
  @Test
  void promptsAreThereAndErrorsSayWhatWouldBeRight() throws Exception {
    McpSyncClient agent = client();
    promptsAreThere(agent);
    wrongArgumentsAreToldWithWhatWouldBeRight(agent);
    whatAPersonDecidedNoAgentTakesBack(agent);
  }

  private void whatAPersonDecidedNoAgentTakesBack(McpSyncClient agent) throws Exception {
    String id = ask(agent, "findings", Map.of()).at("/findings/0/id").asText();
    Program person =
        new Program(home).with("XDG_CACHE_HOME", TestAgent.environment(home).get("XDG_CACHE_HOME"));
    Program.Ended ended = person.run("dismiss", "--kb", kb.kb().folder().toString(), id).ok();
    CallToolResult refused = call(agent, "decide", Map.of("id", id, "decision", "undo"));
    assertTrue(refused.isError());
    assertTrue(text(refused).contains("helix-bg undo " + id), text(refused));
  }

  private static void wrongArgumentsAreToldWithWhatWouldBeRight(McpSyncClient agent) {
    CallToolResult result = call(agent, "search", Map.of());
    assertTrue(result.isError());
    assertTrue(text(result).startsWith("\"text\" is missing"), text(result));
    assertTrue(call(agent, "related", Map.of("text", "a", "entry", "b:0")).isError());
    assertTrue(call(agent, "findings", Map.of("verdict", "wrong")).isError());
    assertTrue(call(agent, "decide", Map.of("id", "../x", "decision", "done")).isError());
  }

  private static void promptsAreThere(McpSyncClient agent) {
    assertEquals(
        List.of("brief", "study", "tidy"),
        agent.listPrompts().prompts().stream().map(p -> p.name()).sorted().toList());
    String tidy = prompt(agent, "tidy", Map.of("topic", "q"));
    assertTrue(tidy.contains("topic \"q\""));
    assertTrue(prompt(agent, "study", Map.of()).contains("Budget: 50 questions"));
    assertTrue(prompt(agent, "study", Map.of("budget", "120")).contains("Budget: 120 questions"));
    assertTrue(prompt(agent, "study", Map.of("budget", "all. Then")).contains("Budget: 50 "));
  }

  private static ObjectNode searching(String text) {
    ObjectNode params = JSON.createObjectNode().put("name", "search");
    params.putObject("arguments").put("text", text);
    return params;
  }

  private final class Bare {
    final Process process;
    final BufferedReader out;
    final BufferedWriter in;
    private int id;

    Bare(Map<String, String> more) throws IOException {
      ProcessBuilder builder = new ProcessBuilder(LAUNCHER, "mcp", kb.kb().folder().toString());
      builder.environment().clear();
      builder.environment().putAll(TestAgent.environment(home));
      builder.environment().putAll(more);
      builder.redirectError(home.resolve("err").toFile());
      process = builder.start();
      processes.add(process);
      out = process.inputReader(UTF_8);
      in = process.outputWriter(UTF_8);
      ask(
          "initialize",
          JSON.readTree(
              """
              {"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}\
              """));
      send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    }

    void send(String line) throws IOException {
      in.write(line);
      in.write('\n');
      in.flush();
    }

    void request(String method, JsonNode params) throws IOException {
      ObjectNode json = JSON.createObjectNode().put("jsonrpc", "2.0").put("id", ++id);
      json.put("method", method).set("params", params);
      send(json.toString());
    }

    JsonNode ask(String method, JsonNode params) throws IOException {
      request(method, params);
      return JSON.readTree(out.readLine());
    }

    JsonNode search(String text) throws IOException {
      return ask("tools/call", searching(text));
    }
  }

  @Test
  void besideADaemonItHoldsNoModelAndLittleMemory() throws Exception {
    startDaemon();
    Bare agent = new Bare(Map.of());
    for (int i = 0; i < 50; i++) {
      assertFalse(agent.search("lease " + i).at("/result/isError").asBoolean(true));
    }
    if (Files.exists(Path.of("/proc/self/status"))) {
      String maps = Files.readString(Path.of("/proc/" + agent.process.pid() + "/maps"));
      assertFalse(maps.contains("onnxruntime"), "no model, and not what runs one");
      String status = Files.readString(Path.of("/proc/" + agent.process.pid() + "/status"));
      long resident = Long.parseLong(status.replaceFirst("(?s).*\nVmRSS:\\s+(\\d+).*", "$1"));
      // 87 to 93 million bytes, on some machines a ninth more; with a model 240 million
      assertTrue(resident * 1024 <= 125_000_000, "resident: " + resident + " kB");
    }
  }

  @Test
  void whateverElseIsPrintedStdoutCarriesTheProtocolAlone() throws Exception {
    // The option makes the JVM print thousands of lines to its stdout.
    Bare agent = new Bare(Map.of(Program.JAVA_OPTIONS, "-Xlog:class+load:stdout"));
    assertEquals(2, agent.search("lease").path("id").asInt());
    agent.send("{");
    assertEquals(-32700, JSON.readTree(agent.out.readLine()).at("/error/code").asInt());
    agent.in.close();
    assertEquals(null, agent.out.readLine());
    assertEquals(0, agent.process.waitFor());
    assertTrue(Files.readString(home.resolve("err")).contains("dev.helixbg.daemon.mcp"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aClientThatVanishesAndASignalLeaveNoProcessBehind(boolean signal) throws Exception {
    Bare agent = new Bare(Map.of());
    List<ProcessHandle> all = new ArrayList<>(List.of(agent.process.toHandle()));
    agent.process.descendants().forEach(all::add);
    agent.request("tools/call", searching("in the middle of a call"));
    if (signal) {
      agent.process.destroy();
    } else {
      agent.out.close();
      agent.in.close();
    }
    assertTrue(agent.process.waitFor(60, TimeUnit.SECONDS));
    for (ProcessHandle process : all) {
      process.onExit().get(60, TimeUnit.SECONDS);
    }
  }

  @Test
  void itPrintsWhatAClientIsConfiguredWith() throws Exception {
    Program.Ended ended = new Program(home).run("mcp", "--print-config", "zed", "/kb").ok();
    JsonNode server = ended.json().at("/context_servers/helix-bg");
    assertEquals(LAUNCHER, server.path("command").asText());
    assertEquals("[\"mcp\",\"/kb\"]", server.path("args").toString());
    assertTrue(ended.err().contains("settings.json"));
    Program.Ended wrong = new Program(home).run("mcp", "--print-config", "emacs");
    assertEquals(2, wrong.code());
    assertTrue(wrong.err().contains("claude-code"), wrong.err());
  }
}
