package dev.helixbg.daemon.mcp;

import dev.helixbg.config.Progress;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.Failure;
import io.modelcontextprotocol.server.McpSyncServerExchange;
import io.modelcontextprotocol.spec.McpSchema.CallToolRequest;
import io.modelcontextprotocol.spec.McpSchema.CallToolResult;
import io.modelcontextprotocol.spec.McpSchema.ProgressNotification;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Runs calls of tools, with a message about progress every second if the client wants it. */
final class ToolCallProgress implements AutoCloseable {
  private static final long BEAT_MILLIS = 1_000;

  private final Console console;
  private final ScheduledExecutorService beats;

  ToolCallProgress(Console console) {
    this.console = console;
    this.beats =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("mcp-progress").factory());
  }

  interface Work {
    String with(Progress.Display progress) throws Exception;
  }

  CallToolResult run(McpSyncServerExchange client, CallToolRequest request, Work work) {
    Object token = request.meta() == null ? null : request.meta().get("progressToken");
    Shown shown = new Shown();
    ScheduledFuture<?> beat =
        token == null
            ? null
            // after a late message, the next message waits a full second
            : beats.scheduleWithFixedDelay(
                () -> shown.tell(client, token), BEAT_MILLIS, BEAT_MILLIS, TimeUnit.MILLISECONDS);
    try {
      return result(work.with(shown), false);
    } catch (Exception | Error e) {
      return result(told(e), true);
    } finally {
      if (beat != null) {
        beat.cancel(false);
      }
    }
  }

  private static CallToolResult result(String text, boolean error) {
    return CallToolResult.builder().addTextContent(text).isError(error).build();
  }

  private String told(Throwable e) {
    if (ErrorReporter.isExpected(e)) {
      return e instanceof Failure || e.getMessage() != null ? e.getMessage() : "cancelled";
    }
    new ErrorReporter(console).report(e); // clients write stderr to a log
    return "a fault in helix-bg: " + e + "; helix-bg's stderr says where the details are";
  }

  private static final class Shown implements Progress.Display {
    private final long start = System.nanoTime();
    private volatile String what = "at work";
    private final AtomicLong done = new AtomicLong();
    private volatile long total;

    @Override
    public Progress begin(String step, long steps, long work) {
      done.set(0);
      total = steps;
      what = step;
      return new Progress() {
        @Override
        public void step(long items, long part) {
          done.addAndGet(items);
        }

        @Override
        public void close() {
          total = 0;
          what = "at work";
        }
      };
    }

    /** Sends the step's name, and the seconds so far, because MCP wants a number that grows. */
    void tell(McpSyncServerExchange client, Object token) {
      double seconds = (System.nanoTime() - start) / 1_000_000_000L;
      String message = total > 0 ? "%s: %,d of %,d".formatted(what, done.get(), total) : what;
      client.progressNotification(new ProgressNotification(token, seconds, null, message));
    }
  }

  @Override
  public void close() {
    beats.shutdownNow();
  }
}
