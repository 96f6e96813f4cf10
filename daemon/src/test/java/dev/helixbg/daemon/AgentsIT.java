package dev.helixbg.daemon;

import static dev.helixbg.daemon.TestAgent.ask;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.insight.agents.KnownPairs;
import dev.helixbg.insight.findings.FindingsBench;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import io.modelcontextprotocol.client.McpClient;
import io.modelcontextprotocol.client.McpSyncClient;
import io.modelcontextprotocol.spec.McpSchema.ClientCapabilities;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageResult;
import io.modelcontextprotocol.spec.McpSchema.Implementation;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Scripted agents answer the built program's questions about a KB with known relations. They use
 * the MCP SDK's client.
 */
@Timeout(1800)
class AgentsIT {
  private static final String LAUNCHER = Program.ROOT.resolve("scripts/helix-bg").toString();
  private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm");

  /**
   * Time before a page is answered, in ms; long enough that no page counts as answered too fast.
   */
  private static final long READING_MILLIS = 300;

  @TempDir static Path prepared;

  @TempDir Path folder;

  private Path home;
  private Path kb;
  private RealDaemon daemon;
  private final List<McpSyncClient> clients = new ArrayList<>();

  /** The right answer for each pair, by its older and newer text. Any other pair is related. */
  private final Map<List<String>, String> truth = new HashMap<>();

  /** Embeds all entries and has all pairs read, once for all tests. */
  @BeforeAll
  static void bringUpToDate() throws Exception {
    Path done = Files.createDirectories(prepared.resolve("kb"));
    Files.write(done.resolve("data.log"), FindingsBench.log());
    new RealDaemon(prepared.resolve("home"), Program.DIST, List.of())
        .withoutC2()
        .run("one-shot", done.toString());
  }

  private static Path state(Path home) {
    return home.resolve(".local/state/helix-bg");
  }

  @BeforeEach
  void plant() throws IOException {
    home = Files.createDirectories(folder.resolve("home"));
    kb = folder.resolve("kb");
    TortureFiles.copy(prepared.resolve("kb"), kb);
    ProgramStores.copy(state(prepared.resolve("home")), prepared.resolve("kb"), state(home), kb);
    daemon = RealDaemon.hasty(home);
    Map<String, Entry> byTime = new HashMap<>();
    for (Entry entry : DataLog.read(kb.resolve("data.log")).entries()) {
      LocalDateTime time =
          LocalDateTime.ofEpochSecond(entry.timestampMin() * 60L, 0, ZoneOffset.UTC);
      byTime.put(entry.topic() + "@" + TIME.format(time), entry);
    }
    for (String line : FindingsBench.resource("/findings-kb/truth.tsv").lines().toList()) {
      String[] fact = line.split("\t");
      if (Set.of("rewrite", "overtaken", "lookalike", "read").contains(fact[0])) {
        plant(fact[0], byTime.get(fact[1]), byTime.get(fact[2]));
      }
    }
    KnownPairs.next(1_000, Set.of())
        .forEach(
            known ->
                truth.put(
                    List.of(known.older(), known.newer()),
                    switch (known.truth()) {
                      case SAME -> "same";
                      case OVERTAKEN -> "overtaken";
                      case NEITHER -> "related";
                    }));
  }

  private void plant(String fact, Entry one, Entry other) {
    boolean isOlder = one.timestampMin() < other.timestampMin();
    String older = (isOlder ? one : other).text().content();
    String newer = (isOlder ? other : one).text().content();
    truth.put(
        List.of(older, newer),
        switch (fact) {
          case "overtaken" -> "overtaken";
          case "lookalike" -> "different";
          default -> "same";
        });
  }

  @AfterEach
  void end() throws Exception {
    clients.forEach(McpSyncClient::closeGracefully);
    daemon.close();
  }

  private McpSyncClient client(String name) {
    return client(name, TestAgent.of(LAUNCHER, home, kb));
  }

  private McpSyncClient client(String name, McpClient.SyncSpec spec) {
    McpSyncClient client =
        spec.clientInfo(Implementation.builder(name, "1.0").build())
            .requestTimeout(Duration.ofMinutes(10))
            .build();
    clients.add(client);
    client.initialize();
    return client;
  }

  private McpClient.SyncSpec sampling(Consumer<String> errors) {
    return TestAgent.of(LAUNCHER, home, List.of("--sampling", kb.toString()), errors);
  }

  private McpSyncClient sampling(
      BlockingQueue<String> errors, Function<List<String>, String> says) {
    return client(
        "reader",
        sampling(errors::add)
            .capabilities(ClientCapabilities.builder().sampling().build())
            .sampling(
                request -> {
                  String page = ((TextContent) request.messages().getFirst().content()).text();
                  List<String> ids =
                      page.lines()
                          .filter(line -> line.matches("## [0-9a-f]{16}"))
                          .map(line -> line.substring(3))
                          .toList();
                  return CreateMessageResult.builder(Role.ASSISTANT, says.apply(ids), "m").build();
                }));
  }

  private static String why(BlockingQueue<String> errors) throws InterruptedException {
    while (true) {
      String line = errors.poll(5, TimeUnit.MINUTES);
      assertTrue(line != null, "it goes on asking");
      if (line.contains("no more questions by sampling")) {
        return line;
      }
    }
  }

  @Test
  void anIdleClientsModelIsAsked() throws Exception {
    CountDownLatch pages = new CountDownLatch(2);
    McpSyncClient client =
        sampling(
            new LinkedBlockingQueue<>(),
            ids -> {
              assertEquals(10, ids.size());
              pages.countDown();
              return ids.stream().map(id -> id + ": related").collect(joining("\n"));
            });
    ask(client, "findings", Map.of());
    assertTrue(pages.await(5, TimeUnit.MINUTES), "two pages are asked");
    String said = ask(client, "findings", Map.of()).at("/agents/0").asText();
    assertTrue(said.startsWith("reader sampling 1.0 has answered"), said);
    assertEquals(10, ask(client, "questions", Map.of()).path("questions").size(), "and by itself");
  }

  @Test
  void aModelThatRefusesOrTalksNonsenseIsAskedOnce() throws Exception {
    Map<String, Function<List<String>, String>> says =
        Map.of(
            "the user said no",
            ids -> {
              throw new IllegalStateException("the user said no");
            },
            "contains no valid answer",
            ids -> "I like them all. 0123456789abcdef: same; " + ids.getFirst() + ": perhaps");
    for (Map.Entry<String, Function<List<String>, String>> one : says.entrySet()) {
      AtomicInteger asked = new AtomicInteger();
      BlockingQueue<String> errors = new LinkedBlockingQueue<>();
      McpSyncClient client =
          sampling(
              errors,
              ids -> {
                asked.incrementAndGet();
                return one.getValue().apply(ids);
              });
      ask(client, "findings", Map.of());
      String why = why(errors);
      assertTrue(why.contains(one.getKey()), why);
      JsonNode findings = ask(client, "findings", Map.of());
      assertTrue(findings.path("agents").isEmpty(), findings.path("agents")::toString);
      assertEquals(1, asked.get());
    }
  }

  @Test
  void aClientWithoutSamplingIsNotAsked() throws Exception {
    BlockingQueue<String> errors = new LinkedBlockingQueue<>();
    McpSyncClient client = client("reader", sampling(errors::add));
    ask(client, "findings", Map.of());
    assertTrue(why(errors).contains("the client offers no sampling"));
    assertEquals(10, ask(client, "questions", Map.of()).path("questions").size());
  }

  private static List<String> texts(JsonNode question) {
    return List.of(question.at("/older/text").asText(), question.at("/newer/text").asText());
  }

  private String right(List<String> texts) {
    return truth.getOrDefault(texts, "related");
  }

  private static List<List<String>> study(
      McpSyncClient agent, int questions, Function<List<String>, String> says) throws Exception {
    List<List<String>> kept = new ArrayList<>();
    while (kept.size() < questions) {
      JsonNode page = ask(agent, "questions", Map.of());
      if (page.path("questions").isEmpty()) {
        break;
      }
      List<Map<String, String>> answers = new ArrayList<>();
      List<List<String>> asked = new ArrayList<>();
      for (JsonNode question : page.path("questions")) {
        asked.add(texts(question));
        String answer = says.apply(texts(question));
        answers.add(Map.of("id", question.path("id").asText(), "answer", answer));
      }
      Thread.sleep(READING_MILLIS);
      JsonNode taken = ask(agent, "answers", Map.of("answers", answers));
      assertEquals(0, taken.path("refused").size(), taken.toString());
      assertEquals(answers.size(), taken.path("kept").asInt());
      kept.addAll(asked);
    }
    return kept;
  }

  @Test
  void twoAgentsBesideADaemonWhileTheKbGrows() throws Exception {
    daemon.start(kb);
    daemon.awaitUpToDate(
        DataLog.read(kb.resolve("data.log")).entries().size(), Duration.ofMinutes(10));
    try (ExecutorService two = Executors.newFixedThreadPool(2)) {
      List<Future<List<List<String>>>> studies = new ArrayList<>();
      for (String name : List.of("one", "two")) {
        McpSyncClient agent = client(name);
        Callable<List<List<String>>> work = () -> study(agent, 60, this::right);
        studies.add(two.submit(work));
      }
      for (int i = 0; i < 5; i++) {
        Thread.sleep(500);
        GeneratedKb.append(kb, "Something new, which tells of nothing before it: " + i);
      }
      List<List<String>> first = studies.get(0).get();
      List<List<String>> second = studies.get(1).get();
      assertTrue(first.size() >= 60 && second.size() >= 60);
      Set<List<String>> both = new HashSet<>(first);
      both.retainAll(second);
      KnownPairs.next(1_000, Set.of())
          .forEach(known -> both.remove(List.of(known.older(), known.newer())));
      assertEquals(Set.of(), both, "nothing is answered twice");
      JsonNode findings = ask(client("three"), "findings", Map.of("kind", "relation"));
      assertEquals(2, findings.path("agents").size(), findings.path("agents").toString());
      assertEquals(10, findings.path("findings").size());
      for (JsonNode leads : findings.path("findings")) {
        String by = leads.at("/agents/words").asText();
        String one = "(same|overtaken), by (one|two) 1\\.0";
        assertTrue(by.matches(one + "(; " + one + ")?"), leads::toString);
      }
    }
  }
}
