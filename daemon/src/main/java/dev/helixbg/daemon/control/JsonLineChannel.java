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
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * JSON objects over a channel, one a line. A line that takes too long closes the channel. One
 * thread reads, one writes; while that one is busy, {@link #listen} notices that the other end
 * leaves.
 */
final class JsonLineChannel implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(JsonLineChannel.class);
  static final ObjectMapper JSON = new ObjectMapper();
  private static final int KEPT = 32 << 10;

  /** Bytes of a line that may be written. */
  static final int LONGEST = 4 << 20;

  /** Bytes that most lines fit into. */
  private static final int FIRST = 4 << 10;

  private static final ScheduledExecutorService TIMER = timer();

  private final SocketChannel channel;
  private final int maxBytes;

  /** Incoming bytes, buffered. */
  private final InputStream received;

  /** Thread that waits for the next line; null when none does. */
  private Thread listener;

  /** Whether the listener heard something, once it has ended. */
  private boolean heard;

  /** Written, but not sent. */
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

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
    if (!begins(idle)) {
      return Optional.empty();
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    ScheduledFuture<?> deadline = closeAfter(line);
    try {
      for (int next = received.read(); next != '\n'; next = received.read()) {
        if (next < 0) {
          return Optional.empty();
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

  private boolean begins(Duration idle) throws IOException {
    ScheduledFuture<?> deadline = closeAfter(idle);
    try {
      if (listener == null) {
        return receive();
      }
      listener.join(); // which ends when the channel is closed
      listener = null;
      return heard;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    } finally {
      deadline.cancel(false);
    }
  }

  /** Waits for a byte, unless one is here; false when the other end has closed instead. */
  private boolean receive() throws IOException {
    received.mark(1);
    boolean here = received.read() >= 0;
    received.reset();
    return here;
  }

  /**
   * Waits for the next input in another thread, until the reading thread calls {@link #read} again.
   * Does nothing if input is here already.
   *
   * @param left told, by another thread, when the other end has closed instead
   */
  void listen(Runnable left) throws IOException {
    if (listener != null || received.available() > 0) {
      return;
    }
    heard = false;
    listener =
        Thread.ofVirtual()
            .name("control-listener")
            .start(
                () -> {
                  try {
                    heard = receive();
                  } catch (Throwable e) { // a client that cannot be heard has left
                    LOG.debug("a client left: {}", e.toString());
                  }
                  if (!heard) {
                    left.run();
                  }
                });
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
   * Writes an object and the end of its line, after what was added before.
   *
   * @throws java.nio.channels.ClosedChannelException when the other end took it too slowly
   */
  void write(JsonNode object, Duration within) throws IOException {
    keep(object);
    flush(within);
  }

  /** Keeps an object for the next {@link #write}, unless much is kept already. */
  void add(JsonNode object, Duration within) throws IOException {
    keep(object);
    if (kept.size() >= KEPT) {
      flush(within);
    }
  }

  private void keep(JsonNode object) throws IOException {
    byte[] line = JSON.writeValueAsBytes(object);
    if (line.length > LONGEST) {
      throw new Failure(
          ExitCode.PROBLEMS,
          "the answer has %,d bytes in one line, and no client takes more than %,d: ask for less"
              .formatted(line.length, LONGEST));
    }
    kept.write(line);
    kept.write('\n');
  }

  private void flush(Duration within) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(kept.toByteArray());
    kept.reset();
    ScheduledFuture<?> deadline = closeAfter(within);
    try {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
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
