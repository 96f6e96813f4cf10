package dev.helixbg.daemon.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
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
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * JSON objects over a channel, one a line. A line that takes too long closes the channel. One
 * thread reads and writes.
 */
final class JsonLineChannel implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();

  /** Bytes of a line that may be written. */
  static final int LONGEST = 4 << 20;

  /** Bytes that most lines fit into. */
  private static final int FIRST = 4 << 10;

  private static final ScheduledExecutorService TIMER = timer();

  private final SocketChannel channel;
  private final int maxBytes;

  /** Incoming bytes, buffered. */
  private final InputStream received;

  /**
   * @param maxBytes of a line that is read
   */
  JsonLineChannel(SocketChannel channel, int maxBytes) {
    this.channel = channel;
    this.maxBytes = maxBytes;
    this.received = new BufferedInputStream(Channels.newInputStream(channel), FIRST);
  }

  private static ScheduledExecutorService timer() {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("control-timer").factory());
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
    return Executors.unconfigurableScheduledExecutorService(timer);
  }

  /**
   * Reads the next object.
   *
   * @param idle until its first byte
   * @param line from there to its end
   * @return empty when the other end has closed
   * @throws Failure with {@link ExitCode#USAGE} when a line is too long or no JSON object
   * @throws java.nio.channels.ClosedChannelException when it came too late
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
      if (JSON.readTree(new String(bytes, UTF_8)) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      // the same answer as for a number or a list
    }
    throw Failure.usage("a request is one JSON object on one line");
  }

  /**
   * Writes objects, each with the end of its line.
   *
   * @throws java.nio.channels.ClosedChannelException when the other end took them too slowly
   */
  void write(List<? extends JsonNode> objects, Duration within) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (JsonNode object : objects) {
      byte[] line = JSON.writeValueAsBytes(object);
      if (line.length > LONGEST) {
        throw new Failure(
            ExitCode.PROBLEMS,
            "the answer has %,d bytes in one line, and no client takes more than %,d: ask for less"
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
