package dev.helixbg.daemon.control;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One JSON object a line over a channel, each within a time: whoever is late finds the channel
 * closed. One thread reads, one writes.
 */
final class Lines implements AutoCloseable {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final int KEPT = 32 << 10;

  /** Bytes that most lines fit into. */
  private static final int FIRST = 4 << 10;

  private static final ScheduledExecutorService TIMER = timer();

  private final SocketChannel channel;
  private final int maxBytes;

  /** What came and was not read yet; grows as lines need it. */
  private ByteBuffer received;

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
   * @throws ControlException when a line is too long or no JSON object
   * @throws java.nio.channels.ClosedChannelException when it came too late
   */
  Optional<ObjectNode> read(Duration idle, Duration line) throws IOException {
    int end = endOfLine(0);
    boolean begun = received.hasRemaining();
    ScheduledFuture<?> deadline = closeAfter(begun ? line : idle);
    try {
      while (end < 0) {
        int before = received.remaining();
        if (before > maxBytes) {
          throw new ControlException(2, "a request may have %,d bytes at most".formatted(maxBytes));
        }
        makeRoom();
        int count = channel.read(received);
        received.flip();
        if (count < 0) {
          return Optional.empty();
        }
        if (!begun) {
          begun = true;
          deadline.cancel(false);
          deadline = closeAfter(line);
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

  private static ObjectNode parse(byte[] bytes) throws ControlException {
    try {
      if (JSON.readTree(new String(bytes, UTF_8)) instanceof ObjectNode object) {
        return object;
      }
    } catch (JacksonException e) {
      // the same answer as for a number or a list
    }
    throw new ControlException(2, "a request is one JSON object on one line");
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
