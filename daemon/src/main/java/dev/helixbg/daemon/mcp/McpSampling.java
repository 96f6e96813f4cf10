package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Progress;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.server.StudyPage;
import dev.helixbg.daemon.terminal.Console;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema.ClientCapabilities;
import io.modelcontextprotocol.spec.McpSchema.CreateMessageRequest;
import io.modelcontextprotocol.spec.McpSchema.Role;
import io.modelcontextprotocol.spec.McpSchema.SamplingMessage;
import io.modelcontextprotocol.spec.McpSchema.TextContent;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Asks the language model of an idle client the open questions; MCP calls this sampling. Sends the
 * questions on the same page as the command {@code study}. Ends if none of the answers can be
 * stored, because each question costs the user tokens.
 */
final class McpSampling {
  private static final Duration IDLE = Duration.ofSeconds(10);

  private static final Duration NOTHING_OPEN = Duration.ofHours(1);

  private static final int QUESTIONS = 10;
  private static final int QUESTIONS_A_DAY = 50;

  /** Maximum number of tokens of one answer; the text around all answers may have as many. */
  private static final int TOKENS = 50;

  private static final int LONGEST_REASON = 300;

  private final ToolAnswers answers;
  private final Console console;
  private int calls;
  private long rests;
  private McpSyncServerExchange client;

  McpSampling(ToolAnswers answers, Console console) {
    this.answers = answers;
    this.console = console;
  }

  void start() {
    Thread.ofPlatform().daemon().name("mcp-sampling").start(this::run);
  }

  /** Runs a call of a tool; the client does not count as idle until the call ends. */
  <T> T during(McpSyncServerExchange caller, Supplier<T> call) {
    synchronized (this) {
      calls++;
    }
    try {
      return call.get();
    } finally {
      synchronized (this) {
        calls--;
        rests = System.nanoTime();
        client = caller;
        notifyAll();
      }
    }
  }

  private void run() {
    try {
      while (true) {
        if (!ask(idle())) {
          Thread.sleep(NOTHING_OPEN);
        }
      }
    } catch (IOException | RuntimeException e) {
      String why =
          StdioTransport.namesClasses(e.getMessage())
              ? "the client's reply is not valid"
              : PrintableText.excerpt(String.valueOf(e.getMessage()), LONGEST_REASON);
      console.warn("no more questions by sampling: %s", why);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized McpSyncServerExchange idle() throws InterruptedException {
    while (client == null || calls > 0 || System.nanoTime() - rests < IDLE.toNanos()) {
      wait(IDLE.toMillis());
    }
    return client;
  }

  /** Has the client's model answer a page of questions; returns false if none is open. */
  private boolean ask(McpSyncServerExchange client) throws IOException, InterruptedException {
    ClientCapabilities offered = client.getClientCapabilities();
    if (offered == null || offered.sampling() == null) {
      throw new IOException("the client offers no sampling");
    }
    JsonNode given =
        answers.questions(
            request(client, "questions").put("count", QUESTIONS).put("perDay", QUESTIONS_A_DAY),
            Progress.Display.SILENT);
    int questions = given.path("questions").size();
    if (questions == 0) {
      return false;
    }
    TextContent page = TextContent.builder(StudyPage.of(given)).build();
    CreateMessageRequest message =
        CreateMessageRequest.builder(
                List.of(new SamplingMessage(Role.USER, page)), (questions + 1) * TOKENS)
            .build();
    String said =
        client.createMessage(message).content() instanceof TextContent text ? text.text() : "";
    ObjectNode taken =
        answers.answers(
            request(client, "answers").set("answers", StudyPage.answers(said)),
            Progress.Display.SILENT);
    if (taken.path("kept").asInt() == 0) {
      throw new IOException("the reply of the client's model contains no valid answer");
    }
    return true;
  }

  private static ObjectNode request(McpSyncServerExchange client, String name) {
    return McpTools.putClient(client.getClientInfo(), " sampling", DaemonLink.request(name));
  }
}
