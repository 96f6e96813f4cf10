package dev.helixbg.daemon.control;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.IOException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Asks a daemon. One thread at a time. */
public final class ControlClient implements AutoCloseable {
  private static final Duration WRITE = Duration.ofSeconds(10);

  private final JsonLineChannel lines;
  private final Duration patience;

  private ControlClient(JsonLineChannel lines, Duration patience) {
    this.lines = lines;
    this.patience = patience;
  }

  /**
   * Connects to the daemon that listens there, if there is one.
   *
   * @param patience for each line of an answer
   * @throws IOException when the socket cannot be used
   */
  public static Optional<ControlClient> connect(Path socket, Duration patience) throws IOException {
    if (!Files.exists(socket)) {
      return Optional.empty();
    }
    try {
      SocketChannel channel = SocketChannel.open(ControlServer.address(socket));
      return Optional.of(
          new ControlClient(new JsonLineChannel(channel, JsonLineChannel.LONGEST), patience));
    } catch (SocketException e) {
      return Optional.empty(); // left by a daemon that was killed
    }
  }

  /**
   * Sends a request.
   *
   * @return all lines of the answer
   * @throws Failure with what the daemon says against it
   * @throws IOException when the daemon is gone or does not answer in time
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

  /** Sends a request. If the server has closed already, its last words can still be read. */
  private void send(ObjectNode request) throws IOException {
    try {
      lines.write(List.of(request), WRITE);
    } catch (ClosedChannelException e) {
      throw e;
    } catch (IOException brokenPipe) {
      // Reading says why, or that the connection was closed.
    }
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
