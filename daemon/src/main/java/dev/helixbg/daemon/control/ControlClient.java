package dev.helixbg.daemon.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Client of a daemon. One thread at a time may use a client. */
public final class ControlClient implements AutoCloseable {
  private static final Duration WRITE = Duration.ofSeconds(10);

  private final JsonLineChannel lines;
  private final Duration patience;

  private ControlClient(JsonLineChannel lines, Duration patience) {
    this.lines = lines;
    this.patience = patience;
  }

  /** Connects to a daemon, or fails; {@code patience} is the longest wait for each line. */
  public static ControlClient connect(Path socket, Duration patience) throws IOException {
    SocketChannel channel = SocketChannel.open(ControlServer.address(socket));
    return new ControlClient(new JsonLineChannel(channel, JsonLineChannel.LONGEST), patience);
  }

  /**
   * Returns all lines of the answer. Throws a {@link Failure} with the daemon's error, or an
   * IOException if the daemon ends or is too slow.
   */
  public List<JsonNode> ask(ObjectNode request) throws IOException {
    List<JsonNode> answer = new ArrayList<>();
    try {
      send(request);
      while (true) {
        ObjectNode line =
            lines
                .read(patience, patience)
                .orElseThrow(() -> new IOException("the daemon closed the connection"));
        if (line.has("error")) {
          throw new Failure(ExitCode.of(line.path("code").asInt(1)), line.path("error").asText());
        }
        if (line.path("end").asBoolean()) {
          return answer;
        }
        answer.add(line);
      }
    } catch (ClosedChannelException e) {
      throw new IOException("the daemon did not answer within " + patience.toSeconds() + " s", e);
    }
  }

  /** Ignores a broken pipe, so that the caller can read the server's last message. */
  private void send(ObjectNode request) throws IOException {
    try {
      lines.write(List.of(request), WRITE);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException brokenPipe) {
      // The next read returns the server's reason, or fails because the connection is closed.
    }
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
