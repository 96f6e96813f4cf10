package dev.helixbg.daemon;

import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.link.DaemonLink;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures how long a running daemon takes to answer 100 searches of each of 100 clients.
 * Arguments: the socket, the number of different texts, and the milliseconds between two searches
 * of a client.
 *
 * <p>The clients use the same machine as the daemon. To save processor time, they only count an
 * answer's lines, after one answer was checked. Each client first makes a few searches that are not
 * measured, while this JVM warms up.
 */
final class SearchBench {
  private static final int CLIENTS = 100;
  private static final int SEARCHES = 100;
  private static final int UNCOUNTED = 30;
  private static final int HITS = 10;
  private static final byte[] END = "{\"end\":true}\n".getBytes(StandardCharsets.UTF_8);

  private final Path socket;
  private final int texts;
  private final long pause;
  private final CyclicBarrier warm = new CyclicBarrier(CLIENTS, () -> start = System.nanoTime());
  private volatile long start;

  private SearchBench(Path socket, int texts, long pause) {
    this.socket = socket;
    this.texts = texts;
    this.pause = pause;
  }

  public static void main(String[] arguments) throws Exception {
    new SearchBench(
            Path.of(arguments[0]), Integer.parseInt(arguments[1]), Long.parseLong(arguments[2]))
        .run();
  }

  private void run() throws Exception {
    check();
    List<Future<long[]>> clients = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int c = 0; c < CLIENTS; c++) {
        int client = c;
        clients.add(threads.submit(() -> search(client)));
      }
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    List<Long> nanos = new ArrayList<>();
    for (Future<long[]> client : clients) {
      Arrays.stream(client.get()).forEach(nanos::add);
    }
    nanos.sort(null);
    System.out.printf(
        "%d clients, %d searches, %d texts, %d ms apart: %.0f/s; p50 %.1f ms, p99 %.1f ms, worst"
            + " %.1f ms%n",
        CLIENTS,
        nanos.size(),
        texts,
        pause,
        nanos.size() / seconds,
        nanos.get(nanos.size() / 2) / 1e6,
        nanos.get(nanos.size() * 99 / 100) / 1e6,
        nanos.getLast() / 1e6);
  }

  /** Checks one answer. */
  private void check() throws IOException {
    try (ControlClient client = ControlClient.connect(socket, Duration.ofMinutes(1))) {
      var hits = client.ask(DaemonLink.request("search").put("text", "worker queue lease"));
      boolean good = hits.size() == HITS + 1;
      double last = 1;
      for (var hit : hits.subList(0, HITS)) {
        double similarity = hit.path("similarity").asDouble();
        good &= similarity <= last && !hit.path("text").asText().isBlank();
        last = similarity;
      }
      if (!good) {
        throw new IOException("no answer to a search: " + hits);
      }
    }
  }

  private long[] search(int client) throws Exception {
    long[] nanos = new long[SEARCHES];
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      ByteBuffer answer = ByteBuffer.allocate(1 << 16);
      for (int i = 0; i < UNCOUNTED; i++) {
        ask(channel, "worker queue lease", answer);
      }
      warm.await();
      Thread.sleep(pause * client / CLIENTS);
      for (int i = 0; i < SEARCHES; i++) {
        String text = "worker queue lease " + (client * SEARCHES + i) % texts;
        long asked = System.nanoTime();
        ask(channel, text, answer);
        nanos[i] = System.nanoTime() - asked;
        Thread.sleep(pause);
      }
    }
    return nanos;
  }

  private static void ask(SocketChannel channel, String text, ByteBuffer answer)
      throws IOException {
    String request = "{\"do\":\"search\",\"text\":\"" + text + "\"}\n";
    channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8)));
    answer.clear();
    while (!ended(answer)) {
      if (channel.read(answer) < 0) {
        throw new IOException("the daemon closed the connection");
      }
    }
    int lines = 0;
    for (int i = 0; i < answer.position(); i++) {
      lines += answer.get(i) == '\n' ? 1 : 0;
    }
    if (lines != HITS + 2) {
      throw new IOException(lines + " lines");
    }
  }

  private static boolean ended(ByteBuffer answer) {
    int from = answer.position() - END.length;
    return from >= 0 && answer.slice(from, END.length).equals(ByteBuffer.wrap(END));
  }
}
