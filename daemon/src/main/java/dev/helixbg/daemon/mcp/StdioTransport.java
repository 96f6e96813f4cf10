package dev.helixbg.daemon.mcp;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Json;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.InitializeResult;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import io.modelcontextprotocol.spec.McpServerSession;
import io.modelcontextprotocol.spec.McpServerTransport;
import io.modelcontextprotocol.spec.McpServerTransportProvider;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Mono;

/**
 * Exchanges JSON-RPC lines with one MCP client. Unlike the SDK's transport, it answers a bad line
 * with an error and goes on, accepts batches, and interrupts a call that the client cancels. When
 * the input ends, the transport waits up to 10 s for the running calls.
 */
final class StdioTransport implements McpServerTransportProvider {
  private static final Logger LOG = LoggerFactory.getLogger(StdioTransport.class);

  static final int MAX_MESSAGE = 4 << 20;

  private static final int CALLS = 8;

  private static final int WAITING = 256;

  private static final Duration LAST_ANSWERS = Duration.ofSeconds(10);

  private static final int LONGEST_NAME = 80;

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private static final Pattern CLASS_NAME =
      Pattern.compile("\\b[a-z]\\w*(?:\\.[a-z]\\w*)+\\.[A-Z]");

  private static final int BUSY = -32000;
  private static final int PARSE_ERROR = -32700;
  private static final int INVALID_REQUEST = -32600;
  private static final int METHOD_NOT_FOUND = -32601;
  private static final int INVALID_PARAMS = -32602;

  private final McpJsonMapper mapper;
  private final InputStream in;
  private final PrintStream out;
  private final List<String> tools;

  /**
   * Requests that have no answer yet. The key is the client's id as JSON, which is also the
   * request's id in the SDK. A request is removed under the lock of {@link #out}, so that no
   * message about progress follows its answer.
   */
  private final Map<Object, Call> unanswered = new ConcurrentHashMap<>();

  private record Call(FutureTask<Void> task, Object progressToken) {}

  private final ExecutorService calls;
  private final CountDownLatch over = new CountDownLatch(1);
  private McpServerSession session;

  private boolean answered;

  /**
   * Whether the client has sent {@code initialized}, or a request after the answer to its {@code
   * initialize}.
   */
  private boolean initialized;

  private Runnable greeted;

  StdioTransport(McpJsonMapper mapper, InputStream in, PrintStream out, List<String> tools) {
    this.mapper = mapper;
    this.in = new BufferedInputStream(in, 64 << 10);
    this.out = out;
    this.tools = tools;
    this.calls =
        Executors.newFixedThreadPool(
            CALLS, Thread.ofPlatform().daemon().name("mcp-call").factory());
  }

  @Override
  public void setSessionFactory(McpServerSession.Factory sessions) {
    session = sessions.create(new Outgoing());
  }

  /** Answers messages until the client leaves. When the session has begun, runs {@code greeted}. */
  void serve(Runnable greeted) throws InterruptedException {
    this.greeted = greeted;
    Thread.ofPlatform().daemon().name("mcp-reader").start(this::read);
    over.await();
  }

  private void read() {
    try {
      for (String line = readLine(); line != null; line = readLine()) {
        take(line);
      }
      calls.shutdown();
      calls.awaitTermination(LAST_ANSWERS.toNanos(), TimeUnit.NANOSECONDS);
    } catch (IOException | InterruptedException e) {
      LOG.debug("the client left: {}", e.toString());
    } catch (RuntimeException | Error e) {
      LOG.error("messages cannot be read any more", e);
      throw e;
    } finally {
      calls.shutdownNow();
      over.countDown();
    }
  }

  /** Returns the next line; null at the end of input, and an empty line for a refused line. */
  private String readLine() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    boolean tooLong = false;
    int next = in.read();
    if (next < 0) {
      return null;
    }
    while (next >= 0 && next != '\n') {
      tooLong |= bytes.size() == MAX_MESSAGE;
      if (!tooLong) {
        bytes.write(next);
      }
      next = in.read();
    }
    if (tooLong) {
      refuse(null, INVALID_REQUEST, "a line may have %,d bytes at most".formatted(MAX_MESSAGE));
      return "";
    }
    return bytes.toString(UTF_8);
  }

  private void take(String text) {
    if (text.isBlank()) {
      return;
    }
    JsonNode json;
    try {
      json = Json.read(text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text, JsonNode.class);
    } catch (JacksonException e) {
      refuse(null, PARSE_ERROR, "this line is not JSON");
      return;
    }
    if (json.isArray() && !json.isEmpty()) { // a batch of version 2025-03-26
      json.forEach(this::take);
    } else {
      take(json);
    }
  }

  private void take(JsonNode json) {
    JsonNode clientId = json.path("id");
    String id = clientId.isTextual() || clientId.isNumber() ? clientId.toString() : null;
    if (id != null && json.has("method")) {
      ((ObjectNode) json).put("id", id); // the SDK refuses some numbers, such as 1.0
    }
    JSONRPCMessage message;
    try {
      message = McpSchema.deserializeJsonRpcMessage(mapper, json.toString());
    } catch (IOException | RuntimeException e) { // for example JSON that is not an object
      refuse(id, INVALID_REQUEST, "this is not a JSON-RPC 2.0 message");
      return;
    }
    switch (message) {
      case JSONRPCRequest request -> take(request);
      case JSONRPCNotification note -> take(note);
      default -> handle(message);
    }
  }

  private void take(JSONRPCNotification note) {
    if (note.method().equals("notifications/cancelled")) {
      callOff(mapper.convertValue(note, JsonNode.class).at("/params/requestId").toString());
    } else {
      if (!initialized && note.method().equals(McpSchema.METHOD_NOTIFICATION_INITIALIZED)) {
        initialized = true;
        Thread.ofPlatform().daemon().name("mcp-greeted").start(greeted);
      }
      handle(note);
    }
  }

  private void take(JSONRPCRequest request) {
    if (request.method().equals(McpSchema.METHOD_PING)) {
      ObjectNode pong = reply(request.id()); // allowed even before initialize
      pong.putObject("result");
      write(pong.toString());
      return;
    }
    boolean first = request.method().equals(McpSchema.METHOD_INITIALIZE);
    if (!first && !answered) {
      // with another code, some clients would not try initialize after server/discover
      refuse(
          request.id(),
          METHOD_NOT_FOUND,
          "the first request must be initialize: send initialize, then notifications/initialized");
      return;
    }
    if (!first && !initialized) { // some clients do not send this notification
      take(new JSONRPCNotification(McpSchema.METHOD_NOTIFICATION_INITIALIZED));
    }
    Optional<String> wrong = wrong(request);
    if (wrong.isPresent()) {
      refuse(request.id(), INVALID_PARAMS, wrong.get());
      return;
    }
    if (unanswered.size() >= WAITING) {
      refuse(request.id(), BUSY, "too many requests at once; wait for answers");
      return;
    }
    FutureTask<Void> call = new FutureTask<>(() -> handle(request), null);
    if (unanswered.putIfAbsent(request.id(), new Call(call, progressToken(request))) != null) {
      refuse(request.id(), INVALID_REQUEST, "a request with this id is still running");
    } else if (first) {
      call.run(); // not in parallel: later messages need this call's session
    } else {
      calls.execute(call);
    }
  }

  private static Object progressToken(JSONRPCRequest request) {
    return request.params() instanceof Map<?, ?> params
            && params.get("_meta") instanceof Map<?, ?> m
        ? m.get("progressToken")
        : null;
  }

  /** Returns the error in a request, if any. Unlike the SDK's error, it names existing tools. */
  private Optional<String> wrong(JSONRPCRequest request) {
    if (request.params() != null && !(request.params() instanceof Map)) {
      return Optional.of("\"params\" must be an object");
    }
    if (!request.method().equals(McpSchema.METHOD_TOOLS_CALL)) {
      return Optional.empty();
    }
    String name =
        request.params() instanceof Map<?, ?> params ? String.valueOf(params.get("name")) : "";
    return tools.contains(name)
        ? Optional.empty()
        : Optional.of(
            "there is no tool "
                + PrintableText.excerpt(name, LONGEST_NAME)
                + NearestName.meant(name, tools, "; there are " + String.join(", ", tools)));
  }

  private void handle(JSONRPCMessage message) {
    session.handle(message).subscribe(_ -> {}, e -> LOG.error("a message was not handled", e));
  }

  private void callOff(String id) {
    Call call;
    synchronized (out) {
      call = unanswered.remove(id);
    }
    if (call != null) {
      call.task.cancel(true);
    }
  }

  private void refuse(Object id, int code, String message) {
    ObjectNode json = reply(id);
    json.putObject("error").put("code", code).put("message", message);
    write(json.toString());
  }

  private static ObjectNode reply(Object id) {
    ObjectNode reply = Json.object().put("jsonrpc", "2.0");
    return reply.putRawValue("id", id == null ? null : new RawValue(id.toString()));
  }

  private void write(String json) {
    byte[] line = (json + "\n").getBytes(UTF_8);
    synchronized (out) {
      out.write(line, 0, line.length);
      if (out.checkError()) { // the client has gone
        over.countDown();
      }
    }
  }

  static boolean namesClasses(String message) {
    return CLASS_NAME.matcher(String.valueOf(message)).find();
  }

  @Override
  public Mono<Void> notifyClients(String method, Object params) {
    return session.sendNotification(method, params);
  }

  @Override
  public Mono<Void> closeGracefully() {
    return Mono.fromRunnable(over::countDown);
  }

  private final class Outgoing implements McpServerTransport {
    @Override
    public Mono<Void> sendMessage(JSONRPCMessage message) {
      return Mono.fromCallable(
          () -> {
            synchronized (out) {
              answered |=
                  message instanceof JSONRPCResponse answer
                      && answer.result() instanceof InitializeResult;
              if (isExpected(message)) {
                write(mapper.writeValueAsString(forClient(message)));
              }
            }
            return null;
          });
    }

    /**
     * Whether the client waits for a message. Some clients close the session when they get an
     * unexpected message, such as a message about the progress of a cancelled request.
     */
    private boolean isExpected(JSONRPCMessage message) {
      return switch (message) {
        case JSONRPCResponse answer -> unanswered.remove(answer.id()) != null;
        case JSONRPCNotification note when note.params() instanceof ProgressNotification progress ->
            unanswered.values().stream()
                .anyMatch(call -> progress.progressToken().equals(call.progressToken));
        default -> true;
      };
    }

    /** Puts the client's id into an answer, and replaces an error text that names Java classes. */
    private Object forClient(JSONRPCMessage message) {
      if (!(message instanceof JSONRPCResponse answer)) {
        return message;
      }
      ObjectNode json = mapper.convertValue(answer, ObjectNode.class);
      if (namesClasses(json.at("/error/message").asText())) {
        json.putObject("error")
            .put("code", INVALID_PARAMS)
            .put("message", "\"params\" are not valid for this method");
      }
      return json.setAll(reply(answer.id()));
    }

    /**
     * Reads a sampling result. MCP allows a list as its content since version 2025-11-25, but the
     * SDK does not. Therefore this method replaces a list by its first text.
     */
    @Override
    public <T> T unmarshalFrom(Object data, TypeRef<T> type) {
      JsonNode json = mapper.convertValue(data, JsonNode.class);
      if (json.path("content").isArray()) {
        json.path("content")
            .valueStream()
            .filter(part -> part.has("text"))
            .findFirst()
            .ifPresent(part -> ((ObjectNode) json).set("content", part));
      }
      return mapper.convertValue(json, type);
    }

    @Override
    public Mono<Void> closeGracefully() {
      return Mono.empty();
    }
  }
}
