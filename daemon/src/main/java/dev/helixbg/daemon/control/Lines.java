package dev.helixbg.daemon.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
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
 * One JSON object a line over a channel, each within a time: whoever is late finds the channel
 * closed. One thread reads, one writes; while that one is busy, {@link #listen} hears when the
 * other end leaves.
 */
final class Lines implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Lines.class);
  static final ObjectMapper JSON = new ObjectMapper();
  private static final int KEPT = 32 << 10;

  /** Bytes that most lines fit into. */
  private static final int FIRST = 4 << 10;

  private static final ScheduledExecutorService TIMER = timer();

  private final SocketChannel channel;
  private final int maxBytes;

  /** What came and was not read yet; grows as lines need it. */
  private ByteBuffer received;

  /** Waits for what comes next; null when nobody does. */
  private Thread listener;

  /** Written, but not sent. */
  private final ByteArrayOutputStream kept = new ByteArrayOutputStream();

  /**
   * @param maxBytes of a line that is read
   */
  Lines(SocketChannel channel, int maxBytes) {
    this.channel = channel;
    this.maxBytes = maxBytes;
    this.received = ByteBuffer.allocate(Math.min(FIRST, maxBytes + 1)).flip();
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
    int end = endOfLine(0);
    ScheduledFuture<?> deadline = closeAfter(line);
    try {
      while (end < 0) {
        int before = received.remaining();
        if (before > maxBytes) {
          throw Failure.usage("a request may have %,d bytes at most".formatted(maxBytes));
        }
        if (!receive()) {
          return Optional.empty();
        }
        end = endOfLine(before);
      }
    } finally {
      deadline.cancel(false);
    }
    byte[] bytes = new byte[end];
    received.get(bytes);
    received.get(); // the line feed
    return Optional.of(parse(bytes));
  }

  private boolean begins(Duration idle) throws IOException {
    if (listener == null && received.hasRemaining()) {
      return true;
    }
    ScheduledFuture<?> deadline = closeAfter(idle);
    try {
      if (listener == null) {
        return receive();
      }
      listener.join(); // which ends when the channel is closed
      listener = null;
      return received.hasRemaining();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    } finally {
      deadline.cancel(false);
    }
  }

  /** Waits for bytes; false when the other end has closed instead. */
  private boolean receive() throws IOException {
    makeRoom();
    try {
      return channel.read(received) >= 0;
    } finally {
      received.flip();
    }
  }

  /**
   * Waits, beside whatever the reading thread does until its next {@link #read}, for what comes
   * next; unless that is here already.
   *
   * @param left told, by another thread, when the other end has closed instead
   */
  void listen(Runnable left) {
    if (received.hasRemaining() || listener != null) {
      return;
    }
    listener =
        Thread.ofVirtual()
            .name("control-listener")
            .start(
                () -> {
                  boolean here = false;
                  try {
                    here = receive();
                  } catch (Throwable e) { // a client that cannot be heard has left
                    LOG.debug("a client left: {}", e.toString());
                  }
                  if (!here) {
                    left.run();
                  }
                });
  }

  private void makeRoom() {
    if (received.remaining() < received.capacity()) {
      received.compact();
      return;
    }
    int larger = Math.min(2 * received.capacity(), maxBytes + 1);
    received = ByteBuffer.allocate(larger).put(received);
  }

  private int endOfLine(int from) {
    for (int i = from; i < received.remaining(); i++) {
      if (received.get(received.position() + i) == '\n') {
        return i;
      }
    }
    return -1;
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
    kept.write(JSON.writeValueAsBytes(object));
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
