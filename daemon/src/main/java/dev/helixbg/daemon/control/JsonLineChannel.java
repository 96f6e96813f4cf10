package dev.helixbg.daemon.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** JSON objects over a channel, one per line. A line that takes too long closes the channel. */
final class JsonLineChannel implements AutoCloseable {
  /** Maximum size of a written line, in bytes. */
  static final int LONGEST = 4 << 20;

  private static final ScheduledExecutorService TIMER = timer();

  private final SocketChannel channel;

  private final int maxBytes;

  private final InputStream received;

  JsonLineChannel(SocketChannel channel, int maxBytes) {
    this.channel = channel;
    this.maxBytes = maxBytes;
    this.received = new BufferedInputStream(Channels.newInputStream(channel), 4 << 10);
  }

  private static ScheduledExecutorService timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("control-timer").factory());
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }

  /**
   * Reads an object; empty if the other end has closed the channel. {@code idle} is the longest
   * wait for the first byte of the line, {@code line} the longest time from that byte to the line's
   * end. Fails if the line is too long, or is not a JSON object.
   */
  Optional<ObjectNode> read(Duration idle, Duration line) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ScheduledFuture<?> deadline = closeAfter(idle);
    try {
      for (int next = received.read(); next != '\n'; next = received.read()) {
        if (next < 0) {
          return Optional.empty();
        }
        if (bytes.size() == 0) {
          deadline.cancel(false);
          deadline = closeAfter(line);
        }
        if (bytes.size() == maxBytes) {
          throw Failure.usage("a request may have %,d bytes at most".formatted(maxBytes));
        }
        bytes.write(next);
      }
    } finally {
      deadline.cancel(false);
    }
    return Optional.of(parse(bytes.toByteArray()));
  }

  private static ObjectNode parse(byte[] bytes) {
    try {
      if (Json.read(new String(bytes, UTF_8), JsonNode.class) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      // invalid JSON is refused below, in the same way as a number or a list
    }
    throw Failure.usage("a request must be one JSON object on one line");
  }

  /** Writes each object as a line; closes the channel if the other end reads too slowly. */
  void write(List<? extends JsonNode> objects, Duration within) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (JsonNode object : objects) {
      byte[] line = object.toString().getBytes(UTF_8);
      if (line.length > LONGEST) {
        throw new Failure(
            ExitCode.PROBLEMS,
            "the answer has %,d bytes in one line, but a client accepts at most %,d: ask for less"
                .formatted(line.length, LONGEST));
      }
      bytes.write(line);
      bytes.write('\n');
    }
    ByteBuffer left = ByteBuffer.wrap(bytes.toByteArray());
    ScheduledFuture<?> deadline = closeAfter(within);
    try {
      while (left.hasRemaining()) {
        channel.write(left);
      }
    } finally {
      deadline.cancel(false);
    }
  }

  private ScheduledFuture<?> closeAfter(Duration time) {
    return TIMER.schedule(
        () -> {
          channel.close();
          return null;
        },
        time.toNanos(),
        TimeUnit.NANOSECONDS);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
