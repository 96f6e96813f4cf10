package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.control.ControlClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * 100 clients × 100 searches on a running daemon: how long an answer takes. Arguments: the socket,
 * how many different texts are asked, and milliseconds between two searches of a client.
 */
final class SearchBench {
  private static final int CLIENTS = 100;
  private static final int SEARCHES = 100;

  private SearchBench() {}

  public static void main(String[] arguments) throws Exception {
    Path socket = Path.of(arguments[0]);
    int texts = Integer.parseInt(arguments[1]);
    long pause = Long.parseLong(arguments[2]);
    List<Future<long[]>> clients = new ArrayList<>();
    long start = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int c = 0; c < CLIENTS; c++) {
        int client = c;
        clients.add(threads.submit(() -> search(socket, client, texts, pause)));
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

  private static long[] search(Path socket, int client, int texts, long pause)
      throws IOException, InterruptedException {
    long[] nanos = new long[SEARCHES];
    Thread.sleep(pause * client / CLIENTS);
    try (ControlClient connection =
        ControlClient.connect(socket, Duration.ofMinutes(1)).orElseThrow()) {
      for (int i = 0; i < SEARCHES; i++) {
        String text = "worker queue lease " + (client * SEARCHES + i) % texts;
        long start = System.nanoTime();
        List<JsonNode> hits = connection.ask(DaemonLink.request("search").put("text", text));
        nanos[i] = System.nanoTime() - start;
        if (hits.size() != 10) {
          throw new IOException(hits.size() + " hits");
        }
        Thread.sleep(pause);
      }
    }
    return nanos;
  }
}
