package dev.helixbg.daemon.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.daemon.control.ControlServer.ControlLimits;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ControlServerTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final ControlLimits FEW = new ControlLimits(4, 1000, PATIENCE, PATIENCE, PATIENCE);
  private static final ControlLimits HASTY =
      new ControlLimits(4, 1000, PATIENCE, Duration.ofMillis(500), Duration.ofMillis(500));

  @TempDir Path folder;

  private final CountDownLatch gate = new CountDownLatch(1);
  private final CountDownLatch blocked = new CountDownLatch(1);
  private final AtomicInteger interrupts = new AtomicInteger();
  private Path socket;
  private ControlServer server;

  @BeforeEach
  void place() {
    socket = folder.resolve("private/test.sock");
  }

  @AfterEach
  void stop() throws IOException {
    gate.countDown();
    if (server != null) {
      server.close();
    }
  }

  private void start(ControlLimits limits) throws IOException {
    server = ControlServer.start(socket, this::answer, limits);
  }

  private List<ObjectNode> answer(ObjectNode request) throws InterruptedException {
    return switch (request.path("do").asText()) {
      case "echo" ->
          Collections.nCopies(request.path("times").asInt(1), text(request.path("text").asText()));
      case "list" ->
          IntStream.range(0, request.path("times").asInt())
              .mapToObj(i -> text("x".repeat(1_000)).put("number", i))
              .toList();
      case "block" -> {
        blocked.countDown();
        gate.await();
        yield List.of();
      }
      case "outlast" -> {
        outlast();
        yield List.of();
      }
      case "overflow" -> throw new StackOverflowError();
      case "flood" -> Collections.nCopies(200, text("x".repeat(100_000)));
      case "endless" -> List.of(text("x".repeat(5 << 20)));
      case "fail" -> throw new Failure(ExitCode.KB, "no such knowledge base");
      default -> throw new IllegalStateException("a bug");
    };
  }

  private static ObjectNode text(String text) {
    return JSON.createObjectNode().put("text", text);
  }

  /** Waits despite interrupts, as the request that stops the daemon does. */
  private void outlast() {
    blocked.countDown();
    while (gate.getCount() > 0) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        interrupts.incrementAndGet();
      }
    }
  }

  private ControlClient client() throws IOException {
    return ControlClient.connect(socket, PATIENCE);
  }

  /** Sends a request over a new connection. */
  private List<JsonNode> ask(String what) throws IOException {
    try (ControlClient client = client()) {
      return client.ask(request(what));
    }
  }

  /** Begins a request that is not answered until the gate is opened. */
  private Future<?> underWay(String what) throws InterruptedException {
    FutureTask<?> asking = new FutureTask<>(() -> ask(what));
    Thread.ofVirtual().start(asking);
    assertTrue(blocked.await(60, TimeUnit.SECONDS));
    return asking;
  }

  private static ObjectNode request(String what) {
    return JSON.createObjectNode().put("do", what);
  }

  @Test
  void anAnswerHasManyLinesAndAConnectionServesManyRequests() throws IOException {
    start(ControlLimits.USUAL);
    try (ControlClient client = client()) {
      for (int i = 0; i < 3; i++) {
        List<JsonNode> lines = client.ask(request("echo").put("text", "grüße\n\"").put("times", 3));
        assertEquals(3, lines.size());
        assertEquals("grüße\n\"", lines.get(2).path("text").asText());
      }
      // An agent may give this many answers at once; these characters have three bytes each.
      String large = "問".repeat(100 * 2 * 1_000);
      assertEquals(
          large, client.ask(request("echo").put("text", large)).getFirst().path("text").asText());
      Failure told = assertThrows(Failure.class, () -> client.ask(request("fail")));
      assertEquals(ExitCode.KB, told.code());
      assertEquals("no such knowledge base", told.getMessage());
      Failure bug = assertThrows(Failure.class, () -> client.ask(request("other")));
      assertEquals(ExitCode.INTERNAL, bug.code());
      Failure overflow = assertThrows(Failure.class, () -> client.ask(request("overflow")));
      assertEquals(ExitCode.INTERNAL, overflow.code());
      assertTrue(overflow.getMessage().contains("StackOverflowError"), overflow.getMessage());
      Failure endless = assertThrows(Failure.class, () -> client.ask(request("endless")));
      assertTrue(endless.getMessage().startsWith("the answer has 5,242,"), endless.getMessage());
      assertEquals(1, client.ask(request("echo")).size(), "an error ends a request only");
    }
  }

  @Test
  void linesThatGoOutTogetherArriveInOrder() throws IOException {
    start(ControlLimits.USUAL);
    try (ControlClient client = client()) {
      for (int times : new int[] {0, 1, 10, 500}) {
        List<JsonNode> lines = client.ask(request("list").put("times", times));
        assertEquals(times, lines.size());
        for (int i = 0; i < times; i++) {
          assertEquals(i, lines.get(i).path("number").asInt());
        }
      }
    }
  }

  @Test
  void onlyTheUserGetsIn() throws IOException {
    Files.createDirectories(socket.getParent());
    OnDisk.setMode(socket.getParent(), "rwxr-xr-x");
    start(ControlLimits.USUAL);
    assertEquals("rwx------", OnDisk.mode(socket.getParent()));
    assertEquals("rw-------", OnDisk.mode(socket));
    server.close();
    List<String> peers = new ArrayList<>();
    server =
        ControlServer.start(
            socket,
            this::answer,
            ControlLimits.USUAL,
            peer -> {
              peers.add(peer.getName());
              return false;
            });
    try (ControlClient client = client()) {
      assertThrows(IOException.class, () -> client.ask(request("echo")));
    }
    assertEquals(List.of(Files.getOwner(socket).getName()), peers, "the kernel says who calls");
  }

  @Test
  void noClientBlocksAnother() throws Exception {
    start(ControlLimits.USUAL);
    try (SocketChannel _ = sent("{\"do\":")) {
      List<Future<?>> waiting = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        waiting.add(underWay("block"));
      }
      assertEquals(1, ask("echo").size());
      assertFalse(waiting.stream().anyMatch(Future::isDone));
      gate.countDown();
      for (Future<?> one : waiting) {
        one.get();
      }
    }
  }

  @Test
  void aRequestThatIsTooLongOrNoObjectIsRefused() throws IOException {
    start(FEW);
    assertTrue(raw("{\"do\":\"" + "x".repeat(2000) + "\"}\n").contains("1,000 bytes"));
    for (String wrong : List.of("[]\n", "7\n", "\n", "{\"do\":\n", "\u0000\n", "{} {}x\n")) {
      String said = raw(wrong);
      assertTrue(said.contains("error"), wrong + " -> " + said);
    }
    assertTrue(raw("[".repeat(900) + "\n").contains("error"));
    assertEquals(1, ask("echo").size());
  }

  /** Opens a connection, and sends this over it. */
  private SocketChannel sent(String text) throws IOException {
    SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    channel.write(ByteBuffer.wrap(text.getBytes(UTF_8)));
    return channel;
  }

  /** Returns all that the server sends until it closes the connection. */
  private static String said(SocketChannel channel) throws IOException {
    return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
  }

  /** Sends a request, and returns the first line of the answer. */
  private String raw(String request) throws IOException {
    try (BufferedReader answer = new BufferedReader(Channels.newReader(sent(request), UTF_8))) {
      return answer.readLine();
    }
  }

  @Test
  void whoDoesNotFinishALineOrDoesNotReadIsLetGo() throws Exception {
    start(HASTY);
    try (SocketChannel slow = sent("{\"do\"")) {
      assertEquals(-1, slow.read(ByteBuffer.allocate(100)), "closed after its time");
    }
    try (SocketChannel _ = sent("{\"do\":\"flood\"}\n")) {
      awaitNoClient();
    }
  }

  /** This also holds for a client that asked earlier. Other clients are still answered. */
  @Test
  void whoAsksNothingForLongIsLetGo() throws Exception {
    start(new ControlLimits(4, 1000, Duration.ofSeconds(3), PATIENCE, PATIENCE));
    try (SocketChannel silent = sent("{\"do\":\"echo\",\"text\":\"x\"}\n")) {
      assertEquals("{\"text\":\"x\"}\n{\"end\":true}\n", said(silent));
      assertEquals(1, ask("echo").size());
    }
  }

  @Test
  void theAnswerToAClientThatHasLeftDisturbsNobody() throws Exception {
    start(ControlLimits.USUAL);
    try (SocketChannel _ = sent("{\"do\":\"block\"}\n")) {
      assertTrue(blocked.await(60, TimeUnit.SECONDS));
    }
    gate.countDown();
    awaitNoClient();
    assertEquals(1, ask("echo").size());
  }

  private void awaitNoClient() throws InterruptedException {
    long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (server.clients() > 0 && System.nanoTime() - deadline < 0) {
      Thread.sleep(20);
    }
    assertEquals(0, server.clients());
  }

  /**
   * {@code nc -N} closes half of the connection. A client that sends two requests at once gets both
   * answers.
   */
  @Test
  void whoClosesHalfOfTheConnectionIsAnswered() throws Exception {
    start(ControlLimits.USUAL);
    String two = "{\"do\":\"echo\",\"text\":\"x\"}\n{\"do\":\"fail\"}\n";
    try (SocketChannel half = sent(two)) {
      half.shutdownOutput();
      String said = said(half);
      assertTrue(said.startsWith("{\"text\":\"x\"}\n{\"end\":true}\n{\"error\""), said);
    }
  }

  @Test
  void closingItAnswersThoseWhoWait() throws Exception {
    start(ControlLimits.USUAL);
    Future<?> answer = underWay("block");
    server.close();
    ExecutionException e =
        assertThrows(ExecutionException.class, () -> answer.get(60, TimeUnit.SECONDS));
    assertTrue(e.getCause() instanceof Failure told && told.code() == ExitCode.BUSY, e.toString());
  }

  @Test
  void closingItDoesNotDisturbTheLastAnswer() throws Exception {
    start(ControlLimits.USUAL);
    Future<?> answer = underWay("outlast");
    server.refuse();
    while (interrupts.get() == 0) {
      Thread.sleep(1);
    }
    server.refuse();
    assertFalse(Files.exists(socket));
    gate.countDown();
    server.close();
    answer.get(60, TimeUnit.SECONDS);
    assertEquals(1, interrupts.get(), "another might hit the writing");
  }

  @Test
  void tooManyClientsAreTold() throws Exception {
    start(FEW);
    try (ControlClient one = client();
        ControlClient two = client();
        ControlClient three = client();
        ControlClient four = client()) {
      for (ControlClient client : List.of(one, two, three, four)) {
        client.ask(request("echo"));
      }
      try (ControlClient fifth = client()) {
        Failure told = assertThrows(Failure.class, () -> fifth.ask(request("echo")));
        assertEquals(ExitCode.BUSY, told.code());
      }
    }
  }

  @Test
  void aStaleSocketIsCleanedUpAndAFileIsNot() throws IOException {
    Files.createDirectories(socket.getParent());
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(socket));
    }
    assertTrue(Files.exists(socket), "a dead process leaves it");
    assertThrows(IOException.class, () -> client());
    start(ControlLimits.USUAL);
    assertEquals(1, ask("echo").size());
    server.close();
    assertFalse(Files.exists(socket), "it goes with the server");
    Files.writeString(socket, "notes");
    IOException e = assertThrows(IOException.class, () -> start(ControlLimits.USUAL));
    assertTrue(e.getMessage().contains("is not a socket"), e.getMessage());
    assertEquals("notes", Files.readString(socket));
  }

  @Test
  void aPathTooLongForASocketIsOneClearError() {
    socket = folder.resolve("x".repeat(120)).resolve("test.sock");
    IOException e = assertThrows(IOException.class, () -> start(ControlLimits.USUAL));
    assertTrue(e.getMessage().contains("103 bytes"), e.getMessage());
  }
}
