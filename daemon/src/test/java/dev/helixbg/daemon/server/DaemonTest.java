package dev.helixbg.daemon.server;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.idle.IdleWork;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.VectorStore;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a whole daemon in this process, with a fake embedding model, over its socket. */
@Timeout(600)
class DaemonTest {
  private static final Daemon.World NO_PAIRS =
      new Daemon.World(
          DaemonClock.SYSTEM, KbFiles.DISK, IdleWork.Machine.THIS, settings -> Optional.empty());

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final List<String> REQUESTS =
      List.of("search", "related", "entry", "findings", "finding", "act", "questions");

  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "0",
          "-1",
          "101",
          "1e400",
          "9".repeat(2_000),
          "1.5",
          "[]",
          "{}",
          "\"\"",
          "\"\u00ff\"",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "\"\\udc00x\"",
          "\"\\u001b[31m\"",
          "\"..\\/..\\/etc\"",
          "\"" + "x".repeat(9_000) + "\"",
          "[".repeat(900) + "]".repeat(900),
          "[".repeat(5_000) + "]".repeat(5_000),
          "{\"a\":".repeat(800) + "1" + "}".repeat(800));

  @TempDir Path folder;

  private final Map<String, String> flags = new ConcurrentHashMap<>();

  private final FakeModel model = new FakeModel();
  private Daemon daemon;
  private Thread thread;
  private DaemonHome home;

  private void start(Kb... kbs) throws Exception {
    flags.putIfAbsent("daemon.poll_seconds", "0.1");
    flags.putIfAbsent("daemon.quiet_seconds", "0.1");
    home = new DaemonHome(folder.resolve("h"));
    daemon =
        Daemon.start(
            List.of(kbs), home, DaemonFixture.settings(folder, Map.copyOf(flags)), model, NO_PAIRS);
    thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  try (Daemon mine = daemon) {
                    mine.run();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  @AfterEach
  void stop() throws InterruptedException {
    if (thread != null) {
      thread.interrupt();
      thread.join();
    }
  }

  private WritableKb kb(String name, int entries) throws IOException {
    return new WritableKb(folder.resolve(name), new Random(name.hashCode()), entries);
  }

  private ControlClient client() throws IOException {
    return ControlClient.connect(home.socket(), PATIENCE);
  }

  private List<JsonNode> ask(ObjectNode request) throws IOException {
    try (ControlClient client = client()) {
      return client.ask(request);
    }
  }

  private JsonNode status() throws IOException {
    return ask(DaemonLink.request("status")).getFirst();
  }

  private static void await(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.call()) {
      assertTrue(System.nanoTime() - deadline < 0, "waited in vain");
      Thread.sleep(20);
    }
  }

  private void awaitUpToDate(int entries) throws Exception {
    await(
        () -> {
          JsonNode kb = status().path("kbs").get(0);
          return kb.path("upToDate").asBoolean() && kb.path("entries").asInt() == entries;
        });
  }

  /**
   * Without a status, the daemon would look dead, so an update would not restart it, and an
   * uninstall would not end it.
   */
  @Test
  void aLanguageModelThatIsGoneIsATroubleAndNotTheEndOfStatus() throws Exception {
    Path gone = folder.resolve("gone.gguf");
    flags.put("llm.model", gone.toString());
    start(kb("a", 3).kb());
    JsonNode status = ask(DaemonLink.request("status")).getFirst();
    assertTrue(status.path("model").isNull());
    String trouble = status.path("modelTrouble").asText();
    assertTrue(trouble.contains("there is no language model " + gone), trouble);
    assertEquals(1, status.path("kbs").size());
    assertTrue(new DaemonLink(home).watches(new Kb(folder.resolve("a"))));
  }

  @Test
  void itKeepsAKbUpToDateAndAnswersSearches() throws Exception {
    WritableKb kb = kb("kb", 20);
    start(kb.kb());
    awaitUpToDate(20);
    kb.append("gold", "the one that is sought");
    awaitUpToDate(21);
    JsonNode hit =
        ask(DaemonLink.request("search").put("text", "gold the one that is sought")).getFirst();
    assertEquals("gold:0", hit.path("name").asText());
    assertEquals(1.0, hit.path("similarity").asDouble(), 1e-5);
    assertEquals(
        3 + 1, ask(DaemonLink.request("search").put("text", "anything").put("limit", 3)).size());
    JsonNode metrics = status().path("metrics");
    assertEquals(21, metrics.path("embedded").asInt());
    assertEquals(2, metrics.path("searches").asInt());
    assertTrue(metrics.path("residentBytes").asLong() > 0);
    assertTrue(metrics.path("lastError").isNull());
    for (String counted : List.of("ticks", "readings", "reports", "workSeconds", "cpuSeconds")) {
      assertTrue(metrics.path(counted).asDouble() > 0, counted + " in " + metrics);
    }
    assertTrue(metrics.has("upSeconds") && metrics.has("answers"));
    DaemonFixture.assertAsFromNothing(
        DaemonFixture.store(folder, kb.kb()), folder.resolve("fresh"), model, 1e-6);
  }

  @Test
  void wrongRequestsAreToldSo() throws Exception {
    start(kb("kb", 2).kb());
    for (ObjectNode wrong :
        List.of(
            DaemonLink.request("explode"),
            DaemonLink.request("search"),
            DaemonLink.request("search").put("text", "x".repeat(8_001)),
            DaemonLink.request("search").put("text", "x").put("limit", 0),
            DaemonLink.request("search").put("text", "x").put("limit", 101))) {
      assertEquals(ExitCode.USAGE, assertThrows(Failure.class, () -> ask(wrong)).code());
    }
    for (String elsewhere : List.of("/etc", "no\0path")) {
      ObjectNode search = DaemonLink.request("search").put("text", "x").put("kb", elsewhere);
      assertEquals(ExitCode.KB, assertThrows(Failure.class, () -> ask(search)).code());
    }
  }

  /** Sends each value as each field of each request. None may be a fault of helix-bg. */
  @Test
  void anyValueOfAnyFieldIsAnswered() throws Exception {
    start(kb("kb", 5).kb());
    awaitUpToDate(5);
    for (String request : REQUESTS) {
      for (String field : List.of("do", "text", "kb", "limit", "topic", "offset", "entry", "x")) {
        for (String value : VALUES) {
          String line =
              "{\"do\":\"%s\",\"text\":\"x\",\"%s\":%s}\n".formatted(request, field, value);
          JsonNode last = lastLine(line);
          assertTrue(last.has("error") || last.path("end").asBoolean(), line + last);
          assertNotEquals(ExitCode.INTERNAL.number(), last.path("code").asInt(), line + last);
        }
      }
    }
    assertEquals(5, status().at("/kbs/0/entries").asInt());
  }

  /** Returns the last line of the answer to a line. */
  private JsonNode lastLine(String line) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(home.socket()))) {
      ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(ISO_8859_1)); // \u00ff is not UTF-8 then
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.shutdownOutput();
      String answer = Channels.newReader(channel, UTF_8).readAllAsString();
      return new ObjectMapper().readTree(answer.lines().toList().getLast());
    }
  }

  @Test
  void aSecondDaemonLeavesTheFirstAlone() throws Exception {
    Kb kb = kb("kb", 2).kb();
    start(kb);
    Failure failure =
        assertThrows(
            Failure.class,
            () ->
                Daemon.start(
                    List.of(kb), home, DaemonFixture.settings(folder, flags), model, NO_PAIRS));
    assertEquals(ExitCode.BUSY, failure.code());
    assertEquals(1, status().path("kbs").size());
  }

  /** When 'stop' answers, all work has ended, and another daemon can start. */
  @Test
  void stopIsTrueInTheMiddleOfAFirstEmbedding() throws Exception {
    WritableKb kb = kb("kb", 50);
    model.hold.at = 30;
    start(kb.kb());
    assertTrue(model.hold.reached.await(PATIENCE.toSeconds(), TimeUnit.SECONDS));
    ask(DaemonLink.request("stop"));
    home.lock().close();
    assertFalse(Files.exists(home.socket()));
    int saved =
        VectorStore.ofEntries(daemon.host.stores().of(kb.kb()).database()).read().byKey().size();
    assertEquals(30, saved, "finished work is kept");
    assertEquals(model.opened.get(), model.closed.get());
    thread.join(PATIENCE);
    assertFalse(thread.isAlive());
  }

  @Test
  void anErrorOfTheJvmIsATroubleAndEverythingGoesOn() throws Exception {
    WritableKb kb = kb("kb", 3);
    start(kb.kb());
    awaitUpToDate(3);
    int entries = 3;
    for (Error error :
        List.of(
            new OutOfMemoryError("of a test"),
            new StackOverflowError("of a test"),
            new NoClassDefFoundError("of a test"))) {
      model.error = error;
      kb.append();
      await(() -> status().path("kbs").get(0).path("trouble").asText().contains("of a test"));
      model.error = null;
      awaitUpToDate(++entries);
      assertTrue(status().path("kbs").get(0).path("trouble").isNull(), "it is over");
    }
    assertEquals(3 + 1, ask(DaemonLink.request("search").put("text", "x").put("limit", 3)).size());
  }

  @Test
  void aHundredClientsOfThirtySearchesAreAllAnswered() throws Exception {
    start(new Kb(GeneratedKb.write(folder.resolve("large"), 1_000)));
    awaitUpToDate(1_000);
    List<Future<?>> clients = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int c = 0; c < 100; c++) {
        int number = c;
        clients.add(threads.submit(() -> searchThirtyTimes(number)));
      }
    }
    for (Future<?> client : clients) {
      client.get();
    }
    assertEquals(3_000, status().at("/metrics/searches").asInt());
  }

  private Void searchThirtyTimes(int client) throws IOException {
    try (ControlClient connection = client()) {
      for (int i = 0; i < 30; i++) {
        String text = "query " + i + " of " + client % 10;
        assertEquals(10 + 1, connection.ask(DaemonLink.request("search").put("text", text)).size());
      }
    }
    return null;
  }
}
