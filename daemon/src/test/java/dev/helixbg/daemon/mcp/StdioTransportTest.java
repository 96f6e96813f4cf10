package dev.helixbg.daemon.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Progress;
import dev.helixbg.daemon.terminal.Console;
import io.modelcontextprotocol.json.jackson2.JacksonMcpJsonMapper;
import io.modelcontextprotocol.json.schema.JsonSchemaValidator;
import io.modelcontextprotocol.server.McpServer;
import io.modelcontextprotocol.server.McpServerFeatures.SyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageRequest;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.SamplingMessage;
import io.modelcontextprotocol.spec.McpSchema.ServerCapabilities;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import io.modelcontextprotocol.spec.McpSchema.Tool;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the transport with a client that sends valid and invalid lines. */
@Timeout(120)
class StdioTransportTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String INITIALIZE =
      """
      {"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18",\
      "capabilities":{},"clientInfo":{"name":"test","version":"1"}}}\
      """;

  /** Bytes that a pipe holds for a client that does not read; then the server has to wait. */
  private static final int PIPE = 1 << 20;

  private static final String EMBED =
      """
      {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"embed","arguments":{},\
      "_meta":{"progressToken":"mine"}}}\
      """;
  private static final String CALL_OFF =
      """
      {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}\
      """;
  private static final String INITIALIZED =
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";

  private final ToolCallProgress calls =
      new ToolCallProgress(
          new Console(
              OutputStream.nullOutputStream(), OutputStream.nullOutputStream(), false, false));
  private final CountDownLatch greeted = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch calledOff = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);
  private final PipedOutputStream toServer = new PipedOutputStream();
  private final PipedInputStream fromServer = new PipedInputStream(PIPE);
  private final BufferedReader answers =
      new BufferedReader(new InputStreamReader(fromServer, UTF_8));
  private volatile boolean stubborn;
  private Thread server;

  @BeforeEach
  void start() throws IOException {
    JacksonMcpJsonMapper mapper = new JacksonMcpJsonMapper(JSON);
    StdioTransport transport =
        new StdioTransport(
            mapper,
            new PipedInputStream(toServer, 1 << 16),
            new PrintStream(new PipedOutputStream(fromServer), false, UTF_8),
            List.of("echo", "wait", "embed", "ask"));
    McpServer.sync(transport)
        .serverInfo("test", "1")
        .capabilities(ServerCapabilities.builder().tools(false).build())
        .jsonMapper(mapper)
        .jsonSchemaValidator(
            (schema, value) -> JsonSchemaValidator.ValidationResponse.asValid(null))
        .immediateExecution(true)
        .tools(
            tool("echo", arguments -> "" + arguments.get("text")),
            tool("wait", this::waits),
            embed(),
            ask())
        .build();
    server =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    transport.serve(greeted::countDown);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                });
  }

  private static SyncToolSpecification tool(
      String name, Function<Map<String, Object>, String> handler) {
    return new SyncToolSpecification(
        Tool.builder(name, Map.of("type", "object")).build(),
        (client, request) ->
            CallToolResult.builder().addTextContent(handler.apply(request.arguments())).build());
  }

  /** Returns a tool that reports its progress, as helix-bg's tools do. */
  private SyncToolSpecification embed() {
    return new SyncToolSpecification(
        Tool.builder("embed", Map.of("type", "object")).build(),
        (client, request) ->
            calls.run(
                client,
                request,
                progress -> {
                  try (Progress step = progress.begin("Embedding", 1200)) {
                    step.step(1, 1);
                    return waits(Map.of());
                  }
                }));
  }

  /** Returns a tool that asks the client's model, as sampling does. */
  private static SyncToolSpecification ask() {
    return new SyncToolSpecification(
        Tool.builder("ask", Map.of("type", "object")).build(),
        (client, request) ->
            CallToolResult.builder()
                .content(
                    List.of(
                        client
                            .createMessage(
                                CreateMessageRequest.builder(
                                        List.of(
                                            new SamplingMessage(
                                                Role.USER, TextContent.builder("?").build())),
                                        10)
                                    .build())
                            .content()))
                .build());
  }

  /** Waits until the test lets the call continue, or the call is cancelled. */
  private String waits(Map<String, Object> arguments) {
    begun.countDown();
    try {
      goOn.await();
      return "went on";
    } catch (InterruptedException e) {
      calledOff.countDown();
      return stubborn ? waits(arguments) : "called off";
    }
  }

  @AfterEach
  void end() throws Exception {
    goOn.countDown();
    toServer.close();
    calls.close();
    server.join(TimeUnit.SECONDS.toMillis(30));
    assertFalse(server.isAlive(), "it ends when its client has left");
  }

  private void send(String... lines) throws IOException {
    for (String line : lines) {
      toServer.write((line + "\n").getBytes(UTF_8));
    }
    toServer.flush();
  }

  private JsonNode answer() throws IOException {
    return JSON.readTree(answers.readLine());
  }

  private String answeredText() throws IOException {
    return answer().at("/result/content/0/text").asText();
  }

  private void initialize() throws IOException {
    send(INITIALIZE, INITIALIZED);
    assertEquals("2025-06-18", answer().at("/result/protocolVersion").asText());
  }

  private static String call(int id, String tool, String text) {
    return """
    {"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"%s","arguments":{"text":"%s"}}}\
    """
        .formatted(id, tool, text);
  }

  @Test
  void theNewestVersionIsOfferedToAClientThatAsksForAnUnknownOne() throws IOException {
    send(INITIALIZE.replace("2025-06-18", "2099-01-01"));
    assertEquals("2025-11-25", answer().at("/result/protocolVersion").asText());
  }

  /** Earlier preparation would only delay the answer to {@code initialize}. */
  @Test
  void getsReadyOnceAClientHasSaidThatItBegins() throws Exception {
    send(INITIALIZE);
    answer();
    assertEquals(1, greeted.getCount());
    send(INITIALIZED);
    assertTrue(greeted.await(30, TimeUnit.SECONDS));
  }

  @Test
  void badLinesAreAnsweredAndTheSessionGoesOn() throws IOException {
    initialize();
    for (String bad : List.of("{", "{\"jsonrpc\":", "no json", "\"", "[1,2", "\u0000\u0001")) {
      send(bad);
      JsonNode refused = answer();
      assertEquals(-32700, refused.at("/error/code").asInt(), bad);
      assertTrue(refused.path("id").isNull(), bad);
    }
    for (String wrong : List.of("[]", "7", "null", "{}", "{\"id\":3}", "{\"method\":{}}")) {
      send(wrong);
      assertEquals(-32600, answer().at("/error/code").asInt(), wrong);
    }
    send("", "   ", call(1, "echo", "still here"));
    assertEquals("still here", answeredText());
  }

  @Test
  void anUnknownMethodIsToldAndAnUnknownNotificationIsNot() throws IOException {
    initialize();
    send(
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"no/such\"}");
    JsonNode refused = answer();
    assertEquals("a", refused.path("id").asText());
    assertEquals(-32601, refused.at("/error/code").asInt());
  }

  @Test
  void whoMistypesAToolHearsWhichWasProbablyMeant() throws IOException {
    initialize();
    send(call(1, "ehco", "x"), call(2, "nothing like it", "x"), call(3, "echo", "there"));
    JsonNode refused = answer();
    assertEquals(1, refused.path("id").asInt());
    assertEquals(-32602, refused.at("/error/code").asInt());
    assertEquals(
        "there is no tool ehco; did you mean echo?", refused.at("/error/message").asText());
    assertEquals(
        "there is no tool nothing like it; there are echo, wait, embed, ask",
        answer().at("/error/message").asText());
    assertEquals("there", answeredText());
  }

  @Test
  void aMessageThatIsTooLongIsPassedOver() throws IOException {
    initialize();
    send(call(1, "echo", "x".repeat(StdioTransport.MAX_MESSAGE)), call(2, "echo", "short"));
    JsonNode refused = answer();
    assertEquals(-32600, refused.at("/error/code").asInt());
    assertTrue(refused.at("/error/message").asText().contains("4,194,304 bytes"));
    assertEquals("short", answeredText());
  }

  @Test
  void beforeItIsInitializedARequestIsRefused() throws IOException {
    send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    JsonNode refused = answer();
    assertTrue(refused.at("/error/message").asText().contains("send initialize"));
    assertEquals(-32601, refused.at("/error/code").asInt(), "so that any client then initializes");
    initialize();
  }

  @Test
  void aClientMayLeaveOutTheNotificationThatItBegins() throws Exception {
    send(INITIALIZE);
    answer();
    send(call(1, "echo", "early"));
    assertEquals("early", answeredText());
    assertTrue(greeted.await(30, TimeUnit.SECONDS));
    send(INITIALIZED, call(2, "echo", "late"));
    assertEquals("late", answeredText());
  }

  /** Version 2025-11-25 of MCP allows a list. */
  @Test
  void theReplyOfAClientsModelMayBeAListOfTexts() throws IOException {
    send(INITIALIZE.replace("\"capabilities\":{}", "\"capabilities\":{\"sampling\":{}}"));
    answer();
    send(call(1, "ask", ""));
    String reply =
        """
        {"jsonrpc":"2.0","id":%s,"result":{"role":"assistant","model":"m","content":[\
        {"type":"thinking"},{"type":"text","text":"the reply"},{"type":"text","text":"more"}]}}\
        """;
    send(reply.formatted(answer().path("id")));
    assertEquals("the reply", answeredText());
  }

  /** In MCP, either side may check at any time whether the other side still answers. */
  @Test
  void aPingIsAnsweredAtAnyTime() throws IOException {
    String ping = "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}";
    send(ping);
    assertEquals("{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}", answer().toString());
    initialize();
    send(ping);
    assertTrue(answer().path("result").isObject());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "tools/call | {\"name\":\"echo\",\"arguments\":\"x\"} | \"params\" are not valid for",
        "tools/call | {\"name\":\"echo\",\"arguments\":[1]}   | \"params\" are not valid for",
        "tools/call | {\"name\":\"echo\",\"arguments\":7}     | \"params\" are not valid for",
        "tools/call | {\"name\":{}}                       | there is no tool",
        "tools/call | {}                                 | there is no tool",
        "tools/call | null                               | there is no tool",
        "tools/call | []                                 | \"params\" must be an object",
        "tools/list | \"x\"                              | \"params\" must be an object",
        "tools/call | {\"name\":\"echo\",\"_meta\":3}       | \"params\" "
      })
  void wrongParametersAreToldInPlainWords(String method, String params, String expected)
      throws IOException {
    initialize();
    send(
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":%s}".formatted(method, params));
    JsonNode refused = answer();
    assertEquals(-32602, refused.at("/error/code").asInt(), refused.toString());
    assertTrue(refused.at("/error/message").asText().startsWith(expected), refused.toString());
    assertFalse(refused.toString().contains("java"), refused.toString());
  }

  @Test
  void aCallThatIsCalledOffIsInterruptedAndNotAnswered() throws Exception {
    initialize();
    send(call(1, "wait", ""));
    begun.await();
    send(
        CALL_OFF,
        CALL_OFF.replace(":1}", ":99}"),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    calledOff.await();
    send(call(2, "echo", "next"));
    assertEquals(2, answer().path("id").asInt());
  }

  @Test
  void whoGaveATokenHearsHowFarItsCallIs() throws Exception {
    initialize();
    send(EMBED);
    begun.await();
    JsonNode heard = answer();
    while (!heard.at("/params/message").asText().equals("Embedding: 1 of 1,200")) {
      assertEquals("notifications/progress", heard.path("method").asText(), heard.toString());
      heard = answer(); // on a slow machine, an older message may come first
    }
    assertEquals("notifications/progress", heard.path("method").asText());
    assertEquals("mine", heard.at("/params/progressToken").asText());
    JsonNode next = answer();
    assertTrue(
        next.at("/params/progress").asDouble() > heard.at("/params/progress").asDouble(),
        "it must grow: " + heard + " " + next);
    goOn.countDown();
    JsonNode last = next;
    while (last.has("method")) {
      last = answer();
    }
    assertEquals("went on", last.at("/result/content/0/text").asText());
  }

  /** A cancelled call may still run, if it cannot be interrupted. Its progress must not be sent. */
  @Test
  void howFarACallIsIsNotToldOnceItIsCalledOff() throws Exception {
    initialize();
    stubborn = true;
    send(EMBED);
    assertEquals("notifications/progress", answer().path("method").asText());
    send(CALL_OFF, call(2, "echo", "next"));
    JsonNode next = answer();
    while (next.has("method")) {
      next = answer(); // skips messages sent before the cancellation
    }
    assertEquals(2, next.path("id").asInt());
    Thread.sleep(2_300);
    assertEquals(0, fromServer.available());
  }

  /** MCP requires growing numbers. Messages that could not be sent in time are not sent later. */
  @Test
  void howFarACallIsGrowsThoughNobodyReadForAWhile() throws Exception {
    initialize();
    send(call(2, "echo", "x".repeat(2 * PIPE)));
    while (fromServer.available() < PIPE) {
      Thread.sleep(2);
    }
    send(EMBED);
    begun.await();
    Thread.sleep(3_300);
    double before = -1;
    for (int heard = 0; heard < 4; ) {
      JsonNode line = answer();
      if (line.has("method")) {
        double now = line.at("/params/progress").asDouble();
        assertTrue(now > before, now + " after " + before);
        before = now;
        heard++;
      }
    }
  }

  @Test
  void whoGaveNoTokenHearsNothingBeforeTheAnswer() throws Exception {
    initialize();
    send(call(1, "embed", ""));
    begun.await();
    goOn.countDown();
    assertEquals(1, answer().path("id").asInt());
  }

  @Test
  void callsAreAnsweredSideBySideAndAnIdOnlyOnce() throws Exception {
    initialize();
    send(call(1, "wait", ""));
    begun.await();
    send(call(1, "echo", "again"));
    assertTrue(answer().at("/error/message").asText().contains("this id"));
    send(call(2, "echo", "meanwhile"));
    assertEquals(2, answer().path("id").asInt());
    goOn.countDown();
    assertEquals(1, answer().path("id").asInt());
    send(call(1, "echo", "over"));
    assertEquals("over", answeredText());
  }

  @Test
  void whatIsUnderWayAtTheEndOfInputIsStillAnswered() throws Exception {
    initialize();
    send(call(1, "wait", ""));
    begun.await();
    toServer.close();
    goOn.countDown();
    assertEquals("went on", answeredText());
  }

  @Test
  void whatComesWithoutALineFeedAtTheEndIsAMessage() throws Exception {
    initialize();
    toServer.write(call(1, "echo", "last").getBytes(UTF_8));
    toServer.close();
    assertEquals("last", answeredText());
  }

  /**
   * Some languages write numbers as 1.0, and some programs begin a stream with a byte order mark.
   */
  @Test
  void anyNumberIsAnIdAndAByteOrderMarkIsNoContent() throws Exception {
    send("\uFEFF" + INITIALIZE.replace("\"id\":0", "\"id\":0.0"), INITIALIZED);
    assertEquals("0.0", answer().path("id").toString());
    for (String id : List.of("1.5", "1000.0", "123456789012345678901234567890", "\"1\"")) {
      send(call(7, "echo", "x").replace("7", id), call(7, "no", "x").replace("7", id));
      assertEquals(id, answer().path("id").toString());
      assertEquals(id, answer().path("id").toString());
    }
    send(call(7, "wait", "").replace("7", "7.5"));
    begun.await();
    send(CALL_OFF.replace(":1}", ":7.5}"));
    calledOff.await();
  }

  @Test
  void aBatchIsAnsweredMessageByMessage() throws Exception {
    initialize();
    send("[" + call(61, "no", "") + ",7," + call(62, "echo", "second") + "," + INITIALIZED + "]");
    assertEquals(61, answer().path("id").asInt());
    assertEquals(-32600, answer().at("/error/code").asInt());
    assertEquals("second", answeredText());
  }

  @Test
  void itEndsWhenNobodyReadsAnyMore() throws Exception {
    initialize();
    fromServer.close();
    send(call(1, "echo", "for nobody"));
    server.join(TimeUnit.SECONDS.toMillis(30));
    assertFalse(server.isAlive());
  }
}
