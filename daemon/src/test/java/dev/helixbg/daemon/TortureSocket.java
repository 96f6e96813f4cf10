package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.kb.GeneratedKb;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Sends broken requests to a real daemon: wrong bytes, JSON or fields, or a client that misbehaves.
 * Each complete line must get an answer, no answer may report a fault of helix-bg, and the daemon
 * must still answer valid requests.
 */
final class TortureSocket extends TortureArea {
  private static final int REQUESTS = 25;
  private static final int MOST_FILES = 500;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> DO =
      List.of("status", "search", "related", "look", "", "Search", "stop ");
  private static final List<String> FIELDS = List.of("do", "text", "kb", "limit", "topic", "x");
  private static final List<String> VALUES =
      List.of(
          "null",
          "true",
          "0",
          "-1",
          "101",
          "1e400",
          "9".repeat(400),
          "9".repeat(2_000),
          "1.5",
          "[]",
          "{}",
          "\"\"",
          "\" \"",
          "\"\\u0000\"",
          "\"\\ud800\"",
          "\"\\udc00x\"",
          "\"\\u001b[31m\"",
          "\"..\\/..\\/etc\"",
          "\"a\\u0000b\"",
          "\"" + "x".repeat(9_000) + "\"",
          "\"lease timeout\"",
          "[".repeat(900) + "]".repeat(900),
          "[".repeat(5_000) + "]".repeat(5_000),
          "{\"a\":".repeat(800) + "1" + "}".repeat(800));

  private final Path kb;
  private final Path socket;
  private final Path logFile;
  private final RealDaemon daemon;
  private int logged; // number of characters of the log that were checked

  TortureSocket(Path folder, Path dist) throws IOException {
    Path home = folder.resolve("home");
    kb = GeneratedKb.write(folder.resolve("kb"), 30);
    socket = home.resolve(".helix/helix-bg.sock");
    logFile = home.resolve(".helix/logs/helix-bg.log");
    daemon = new RealDaemon(home, dist, List.of()).withoutC2();
  }

  private void start() throws IOException, InterruptedException {
    if (daemon.process() != null && daemon.process().isAlive()) {
      return;
    }
    daemon.start(kb);
    daemon.awaitUpToDate(30, Duration.ofMinutes(5));
  }

  @Override
  void run(long seed) throws Exception {
    start();
    Random random = new Random(seed);
    try {
      for (int i = 0; i < REQUESTS; i++) {
        request(random);
      }
      try (ControlClient client = daemon.connect().orElseThrow()) {
        JsonNode status = client.ask(DaemonLink.request("status")).getFirst();
        require(status.at("/kbs/0/folder").asText().equals(kb.toString()), "status: %s", status);
      }
      long files = openFiles();
      require(files < MOST_FILES, "the daemon has %d files open", files);
      counts.merge("most files", files, Math::max);
    } catch (IOException | RuntimeException e) {
      Thread.sleep(200); // until the fault is in the log, too
      throw new IllegalStateException("the daemon's log ends: " + endOf(daemon.log()), e);
    }
    String log = Files.readString(logFile);
    logged = log.length() < logged ? 0 : logged; // the log is a new file
    int error = log.indexOf(" ERROR ", logged);
    logged = log.length();
    require(
        error < 0,
        "in the daemon's log: %s",
        error < 0 ? "" : log.substring(error, Math.min(log.length(), error + 500)));
  }

  private static String endOf(String log) {
    return log.substring(Math.max(0, log.length() - 500));
  }

  private long openFiles() throws IOException {
    Path files = Path.of("/proc/" + daemon.process().pid() + "/fd");
    if (!Files.exists(files)) {
      return 0; // not Linux
    }
    try (Stream<Path> all = Files.list(files)) {
      return all.count();
    }
  }

  private void request(Random random) throws IOException {
    count("requests");
    byte[] line = line(random);
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      switch (random.nextInt(6)) {
        case 0 -> { // closes the connection in the middle of the line
          send(channel, Arrays.copyOf(line, random.nextInt(line.length)));
        }
        case 1 -> send(channel, line); // closes the connection without reading
        case 2 -> { // sends slowly, in parts
          int cut = random.nextInt(line.length);
          send(channel, Arrays.copyOf(line, cut));
          send(channel, Arrays.copyOfRange(line, cut, line.length));
          answered(channel, line);
        }
        case 3 -> { // sends several requests at once
          ByteArrayOutputStream two = new ByteArrayOutputStream();
          two.write(line);
          two.write("{\"do\":\"status\"}\n".getBytes(UTF_8));
          send(channel, two.toByteArray());
          answered(channel, line);
        }
        default -> {
          send(channel, line);
          answered(channel, line);
        }
      }
    }
  }

  /** Sends a line. A daemon that refuses it may close the connection before it has read all. */
  private static void send(SocketChannel channel, byte[] bytes) {
    try {
      ByteBuffer all = ByteBuffer.wrap(bytes);
      while (all.hasRemaining()) {
        channel.write(all);
      }
    } catch (IOException e) {
      return; // the daemon's answer can still be read
    }
  }

  private void answered(SocketChannel channel, byte[] line) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    ByteBuffer some = ByteBuffer.allocate(1 << 16);
    while (true) {
      int read;
      try {
        read = channel.read(some.clear());
      } catch (IOException e) {
        read = -1;
      }
      require(read >= 0, "no answer to %s but %s", shown(line), shown(answer.toByteArray()));
      answer.write(some.array(), 0, read);
      if (read > 0 && some.get(read - 1) == '\n') {
        String[] lines = answer.toString(UTF_8).split("\n");
        for (String one : lines) {
          if (!(JSON.readTree(one) instanceof ObjectNode object)) {
            throw new IllegalStateException("an answer that is no object: " + one);
          }
          if (object.has("error")) {
            require(
                object.path("code").asInt(1) != ExitCode.INTERNAL.number(),
                "%s is answered with %s",
                shown(line),
                one);
            count("errors");
            return;
          }
          if (object.path("end").asBoolean()) {
            return;
          }
        }
      }
    }
  }

  private static String shown(byte[] line) {
    return JSON.valueToTree(
            new String(
                line, 0, Math.min(line.length, 300), java.nio.charset.StandardCharsets.ISO_8859_1))
        .toString();
  }

  /** Returns a broken line with its line feed; never a valid request to stop the daemon. */
  private static byte[] line(Random random) {
    byte[] line =
        switch (random.nextInt(8)) {
          case 0 -> {
            byte[] noise = new byte[1 + random.nextInt(300)];
            random.nextBytes(noise);
            yield noise;
          }
          case 1 -> "x".repeat(1 + random.nextInt(140_000)).getBytes(UTF_8);
          case 2 -> VALUES.get(random.nextInt(VALUES.size())).getBytes(UTF_8);
          case 3 -> {
            byte[] bytes = object(random).getBytes(UTF_8);
            for (int i = random.nextInt(3); i >= 0; i--) {
              bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            yield bytes;
          }
          case 4 -> {
            String whole = object(random);
            yield whole.substring(0, random.nextInt(whole.length())).getBytes(UTF_8);
          }
          default -> object(random).getBytes(UTF_8);
        };
    for (int i = 0; i < line.length; i++) {
      line[i] = line[i] == '\n' ? (byte) ' ' : line[i];
    }
    byte[] ended = Arrays.copyOf(line, line.length + 1);
    ended[line.length] = '\n';
    return ended;
  }

  private static String object(Random random) {
    List<String> fields = new ArrayList<>();
    fields.add("\"do\":\"" + DO.get(random.nextInt(DO.size())) + "\"");
    for (int i = random.nextInt(4); i > 0; i--) {
      fields.add(
          "\""
              + FIELDS.get(random.nextInt(FIELDS.size()))
              + "\":"
              + VALUES.get(random.nextInt(VALUES.size())));
    }
    return "{" + String.join(",", fields) + "}";
  }

  @Override
  public void close() throws Exception {
    daemon.close();
  }
}
