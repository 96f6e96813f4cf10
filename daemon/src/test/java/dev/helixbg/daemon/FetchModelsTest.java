package dev.helixbg.daemon;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.helixbg.config.files.OnDisk;
import dev.helixbg.config.text.HostileText;
import dev.helixbg.daemon.Program.Ended;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests scripts/fetch-models with a host that cuts connections, gives wrong answers and refuses.
 */
class FetchModelsTest {
  private static final Path SCRIPT = Path.of("../scripts/fetch-models").toAbsolutePath();
  private static final String NAME = "Qwen3-0.6B-Q8_0.gguf";

  @TempDir Path folder;
  private HttpServer server;
  private final byte[] model = new byte[300_000];
  private String declared;
  private final List<String> ranges = new ArrayList<>();
  private final Set<String> paths = ConcurrentHashMap.newKeySet();

  /** How the host answers; each test sets what differs from a normal answer. */
  private int cutAfter = Integer.MAX_VALUE;

  private boolean ignoresRanges;
  private boolean liesAboutRanges;
  private int status = 200;
  private int statusOfDownloads = 200;
  private byte[] sent;

  /** Size of the file that the host reports; null: none. */
  private String linkedSize = "300000";

  /** Length of the page with which the host redirects to a store, in bytes; -1: no redirect. */
  private int redirect = -1;

  @BeforeAll
  static void curlIsThere() {
    ExternalTool.require("curl");
  }

  @BeforeEach
  void start() throws Exception {
    new Random(5).nextBytes(model);
    sent = model;
    declared = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(model));
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answer(HttpExchange exchange) throws IOException {
    paths.add(exchange.getRequestURI().getPath());
    // Headers with the properties of a file, as the real host sends them.
    exchange.getResponseHeaders().set("X-Linked-Etag", '"' + declared + '"');
    if (linkedSize != null) {
      exchange.getResponseHeaders().set("X-Linked-Size", linkedSize);
    }
    if (redirect >= 0 && !exchange.getRequestURI().getPath().startsWith("/store")) {
      sendOn(exchange);
      return;
    }
    boolean isHead = exchange.getRequestMethod().equals("HEAD");
    int code = isHead || status != 200 ? status : statusOfDownloads;
    if (isHead || code != 200) {
      exchange.sendResponseHeaders(code, -1);
      exchange.close();
      return;
    }
    String range = exchange.getRequestHeaders().getFirst("Range");
    ranges.add(String.valueOf(range));
    int from = 0;
    if (range != null && !ignoresRanges) {
      from = Integer.parseInt(range.replaceAll("bytes=(\\d+)-.*", "$1"));
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes %d-%d/%d".formatted(from, sent.length - 1, sent.length));
    }
    byte[] body = Arrays.copyOfRange(sent, from, sent.length);
    if (range != null && liesAboutRanges) {
      body = Arrays.copyOf(sent, body.length);
    }
    exchange.sendResponseHeaders(range != null && !ignoresRanges ? 206 : 200, body.length);
    exchange.getResponseBody().write(body, 0, Math.min(cutAfter, body.length));
    exchange.getResponseBody().flush();
    exchange.close();
  }

  private void sendOn(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Location", "/store" + exchange.getRequestURI().getPath());
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.getResponseHeaders().set("Content-Length", Integer.toString(redirect));
      exchange.sendResponseHeaders(302, -1);
    } else {
      exchange.sendResponseHeaders(302, redirect == 0 ? -1 : redirect);
      exchange.getResponseBody().write(new byte[redirect]);
    }
    exchange.close();
  }

  private Ended fetch(String... arguments) throws IOException, InterruptedException {
    return fetchFrom("http://127.0.0.1:" + server.getAddress().getPort(), arguments);
  }

  private Ended fetchFrom(String url, String... arguments)
      throws IOException, InterruptedException {
    return fetch(Map.of(), url, arguments);
  }

  /** Fetches the test's bytes instead of the model's, unless the arguments say otherwise. */
  private Ended fetch(Map<String, String> variables, String url, String... arguments)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("--from", url, "--sha256", NAME + "=" + declared));
    all.addAll(List.of(arguments));
    return run(variables, all);
  }

  private Ended run(Map<String, String> variables, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("bash", SCRIPT.toString(), "--to", folder.toString()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().keySet().removeIf(name -> name.toLowerCase().endsWith("_proxy"));
    builder.environment().putAll(variables);
    return ExternalTool.run(builder);
  }

  private Path file() {
    return folder.resolve(NAME);
  }

  /** The unfinished download that an interrupted run leaves behind. */
  private Path part() {
    return folder.resolve(NAME + ".part");
  }

  private void assertFetched(Ended ended) throws IOException {
    assertEquals(0, ended.code(), ended.err());
    assertArrayEquals(model, Files.readAllBytes(file()));
    assertFalse(Files.exists(part()));
  }

  private void assertRefused(Ended ended, int code, String... words) {
    assertEquals(code, ended.code(), ended.err());
    assertFalse(Files.exists(file()), "nothing unchecked is put in place");
    for (String word : words) {
      assertTrue(ended.err().contains(word), ended.err());
    }
  }

  /** Checks the file name of each size on the host, and that a hash pins its content. */
  @Test
  void eachSizeIsTheVendorsFileAtARevision() throws Exception {
    Map<String, String> sizes =
        Map.of(
            "qwen3-1.7b", "Qwen3-1.7B-Q8_0.gguf",
            "qwen3-4b", "Qwen3-4B-Q4_K_M.gguf",
            "qwen3-8b", "Qwen3-8B-Q4_K_M.gguf");
    for (Map.Entry<String, String> size : sizes.entrySet()) {
      String name = size.getValue();
      Ended unpinned = fetch(size.getKey());
      assertEquals(5, unpinned.code(), "the host may send what it likes: " + unpinned.err());
      Ended ended = fetch(size.getKey(), "--sha256", name + "=" + declared);
      assertEquals(0, ended.code(), ended.err());
      assertArrayEquals(model, Files.readAllBytes(folder.resolve(name)));
      String repository = "Qwen/" + name.replaceAll("-Q.*", "-GGUF");
      assertTrue(
          paths.stream()
              .anyMatch(path -> path.matches("/" + repository + "/resolve/[0-9a-f]{40}/" + name)),
          paths.toString());
    }
    Ended several = fetch();
    assertTrue(several.err().contains("4 models; 'helix-bg doctor' says"), several.err());
  }

  @Test
  void oneSizeIsSuggestedByMemoryAndGpu() throws Exception {
    assertEquals("qwen3-0.6b", suggested(4, "exit 9", "Linux x86_64"));
    assertEquals("qwen3-1.7b", suggested(64, "exit 9", "Linux x86_64"));
    assertEquals("qwen3-4b", suggested(16, "echo 2048; echo 8192", "Linux x86_64"));
    assertEquals("qwen3-8b", suggested(16, "echo 24564", "Linux x86_64"));
    assertEquals("qwen3-1.7b", suggested(8, "exit 9", "Darwin arm64"));
    assertEquals("qwen3-8b", suggested(32, "exit 9", "Darwin arm64"));
  }

  /**
   * @param gpus shell command that {@code nvidia-smi} runs
   * @return the suggested model, the last word of the list, on a machine that fake programs
   *     describe
   */
  private String suggested(int gigabytes, String gpus, String system) throws Exception {
    String[] words = system.split(" ");
    Map<String, String> programs =
        Map.of(
            "uname", "[ \"$1\" = -m ] && echo " + words[1] + " || echo " + words[0],
            "sysctl", "echo " + ((long) gigabytes << 30),
            "awk",
                "case $* in *MemTotal*) echo "
                    + gigabytes
                    + ";; *) exec /usr/bin/awk \"$@\";; esac",
            "nvidia-smi", gpus);
    Path bin = Files.createDirectories(folder.resolve("bin"));
    for (Map.Entry<String, String> program : programs.entrySet()) {
      Path file = bin.resolve(program.getKey());
      Files.writeString(file, "#!/bin/sh\n" + program.getValue() + "\n");
      OnDisk.setMode(file, "rwxr-xr-x");
    }
    ProcessBuilder list = new ProcessBuilder("bash", SCRIPT.toString(), "list");
    list.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    String said = ExternalTool.said(list);
    String[] all = said.strip().split(" ");
    return all[all.length - 1];
  }

  @Test
  void withoutHomeItIsThatOfTheAccount() throws Exception {
    ExternalTool.said(new ProcessBuilder("env", "-u", "HOME", "bash", SCRIPT.toString(), "list"));
  }

  @Test
  void fetchesOnceAndChecks() throws Exception {
    assertFetched(fetch("--timeout=9"));
    Ended again = fetch();
    assertFetched(again);
    assertTrue(again.err().contains("there already"), again.err());
    assertEquals(1, ranges.size());
  }

  @Test
  void goesOnWhereTheConnectionWasCut() throws Exception {
    cutAfter = 100_000;
    assertFetched(fetch());
    assertEquals(List.of("null", "bytes=100000-", "bytes=200000-"), ranges);
  }

  @Test
  void whatAnEarlierRunLeftMayBeSomethingElse() throws Exception {
    Files.write(part(), new byte[123_456]);
    assertFetched(fetch());
    Files.delete(file());
    Files.write(part(), new byte[model.length + 5]);
    assertFetched(fetch());
  }

  @Test
  void aHostWithoutRangesStartsOver() throws Exception {
    ignoresRanges = true;
    Files.write(part(), Arrays.copyOf(model, 1000));
    assertFetched(fetch());
  }

  @Test
  void aHostThatLiesAboutRangesIsFoundOut() throws Exception {
    liesAboutRanges = true;
    Files.write(part(), Arrays.copyOf(model, 1000));
    assertFetched(fetch());
    assertEquals(List.of("bytes=1000-", "null"), ranges);
  }

  /**
   * Only the SHA-256 decides whether a file is right. Sizes may be wrong: a redirect's page has a
   * length, too.
   */
  @Test
  void whatTheHostSaysOfSizesCostsNoRightFile() throws Exception {
    redirect = 231;
    linkedSize = null;
    assertFetched(fetch());
    assertEquals(1, ranges.size());
    Files.move(file(), part());
    assertFetched(fetch());
    cutAfter = 100_000;
    Files.delete(file());
    assertFetched(fetch());
    for (String wrong : List.of("231", "299999", "400000")) {
      cutAfter = Integer.MAX_VALUE;
      linkedSize = wrong;
      Files.delete(file());
      assertFetched(fetch());
    }
  }

  @Test
  void wrongBytesAreNeverPutInPlace() throws Exception {
    sent = model.clone();
    sent[1234] ^= 1;
    assertRefused(fetch(), 5, NAME, "is another file");
    sent = Arrays.copyOf(model, model.length + 10);
    assertRefused(fetch(), 5, NAME);
  }

  @Test
  void aHostThatAlwaysCutsOrSendsTooLittleIsGivenUp() throws Exception {
    cutAfter = 0;
    assertRefused(fetch(), 4, "cut");
  }

  @Test
  void aHostCannotVouchForAnotherFile() throws Exception {
    String host = "http://127.0.0.1:" + server.getAddress().getPort();
    assertRefused(run(Map.of(), List.of("--from", host)), 5, "is another file", "9465e63a22ad");
    assertEquals(1, paths.size(), "MiniLM was not asked for: " + paths);
    assertTrue(
        paths.iterator().next().matches("/Qwen/.*/resolve/[0-9a-f]{40}/" + NAME), "" + paths);
    assertRefused(
        run(Map.of(), List.of("minilm", "--from", host)), 5, "tokenizer.json", "be50c3628f2b");
    assertTrue(paths.stream().noneMatch(path -> path.contains("/main/")), "" + paths);
  }

  @Test
  void aPinOfTheUserIsAboveTheScripts() throws Exception {
    assertRefused(fetch("--sha256", NAME + "=" + "0".repeat(64)), 5, "is another file");
    assertFetched(fetch("--sha256", NAME + "=" + declared.toUpperCase()));
  }

  @Test
  void noArgumentActsOnTheTerminal() throws Exception {
    for (String text : HostileText.CORPUS) {
      String argument = text.replace('\0', '?');
      for (String[] arguments :
          new String[][] {{argument}, {"--sha256", argument}, {"--timeout", argument}}) {
        Ended ended = fetch(arguments);
        assertEquals(2, ended.code(), ended.err());
        HostileText.assertHarmless(ended.err(), "stderr");
      }
    }
  }

  @Test
  void refusalsAndNoNetworkAreClear() throws Exception {
    status = 404;
    assertRefused(fetch(), 4, "refused with status 404");
    int port = server.getAddress().getPort();
    server.stop(0);
    assertRefused(fetchFrom("http://127.0.0.1:" + port), 4, "offline", "proxy");
    assertRefused(fetchFrom("http://no-such-host.invalid"), 4, "offline");
    assertRefused(fetch("--nonsense"), 2, "--nonsense");
    assertRefused(fetch("--sha256", "x"), 2, "--sha256");
    assertRefused(fetch("--timeout", "0"), 2, "--timeout");
    assertRefused(fetch("--to="), 2, "--to needs a value");
    assertRefused(fetch("--to", ""), 2, "--to needs a value");
  }

  /** Two processes would append to the same file. */
  @Test
  void aFileIsDownloadedByOneProcessAtATime() throws Exception {
    Path lock = folder.resolve(NAME + ".part.lock");
    Files.createSymbolicLink(lock, Path.of("" + ProcessHandle.current().pid()));
    assertRefused(fetch(), 6, "process " + ProcessHandle.current().pid() + " downloads it already");
    Files.delete(lock);
    Files.createSymbolicLink(lock, Path.of("999999999")); // the lock of a killed process
    assertFetched(fetch());
    assertFalse(Files.isSymbolicLink(lock));
  }

  /** Accepts connections one by one, reads a request's head, and always sends the same answer. */
  private static final class Proxy implements AutoCloseable {
    private final ServerSocket socket;
    private final AtomicInteger requests = new AtomicInteger();

    /**
     * @param answer the answer; null: sends none, and keeps the connection open
     */
    Proxy(String answer) throws IOException {
      socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
      Thread.ofVirtual().start(() -> serve(answer));
    }

    private void serve(String answer) {
      List<Socket> open = new ArrayList<>();
      try {
        while (true) {
          Socket client = socket.accept();
          open.add(client);
          BufferedReader head = new BufferedReader(new InputStreamReader(client.getInputStream()));
          for (String line = head.readLine(); line != null && !line.isEmpty(); ) {
            line = head.readLine();
          }
          requests.incrementAndGet();
          if (answer != null) {
            client.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
            client.close();
          }
        }
      } catch (IOException e) {
        // The socket was closed, because the test has ended.
      }
    }

    int port() {
      return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /** Tests both uses of a proxy: CONNECT for https, and a direct request for http. */
  private void assertRefusedThroughProxy(int port, String... words) throws Exception {
    assertRefusedThroughProxy(60, port, words);
  }

  private void assertRefusedThroughProxy(int patience, int port, String... words) throws Exception {
    String proxy = "http://somebody:secret@127.0.0.1:" + port;
    for (String scheme : List.of("http", "https")) {
      Ended ended =
          fetch(
              Map.of(scheme + "_proxy", proxy),
              scheme + "://models.invalid",
              "--timeout",
              "" + patience);
      assertRefused(ended, 4, words);
      assertTrue(ended.err().contains("http://127.0.0.1:" + port), ended.err());
      assertFalse(ended.err().contains("secret"), ended.err());
      assertEquals(1, ended.err().lines().count(), ended.err());
    }
  }

  @Test
  void aProxyThatRefusesConnectionsIsNamed() throws Exception {
    int port;
    try (Proxy proxy = new Proxy(null)) {
      port = proxy.port();
    }
    assertRefusedThroughProxy(port, "proxy", "does not answer");
  }

  @Test
  void aProxyThatNeverAnswersIsGivenUpInTime() throws Exception {
    try (Proxy proxy = new Proxy(null)) {
      long start = System.nanoTime();
      assertRefusedThroughProxy(2, proxy.port(), "proxy", "no data came for 2 seconds");
      long seconds = (System.nanoTime() - start) / 1_000_000_000;
      assertEquals(2, proxy.requests.get(), "it was asked, and not again and again");
      // Allows for two waits of two seconds on a busy machine; each wait is usually a minute.
      assertTrue(seconds >= 4 && seconds < 60, seconds + " s");
    }
  }

  @Test
  void aProxyThatWantsAPasswordOrCannotConnectSaysSo() throws Exception {
    String end = "Content-Length: 0\r\nConnection: close\r\n\r\n";
    try (Proxy proxy = new Proxy("HTTP/1.1 407 Proxy Authentication Required\r\n" + end)) {
      assertRefusedThroughProxy(proxy.port(), "requires a name and a password");
    }
    try (Proxy proxy = new Proxy("HTTP/1.1 502 Bad Gateway\r\n" + end)) {
      assertRefusedThroughProxy(proxy.port(), "refused with status 502");
    }
  }

  @Test
  void aProxyThatCannotBeFoundIsNamed() throws Exception {
    Ended ended =
        fetch(Map.of("https_proxy", "http://no-such-proxy.invalid:3128"), "https://models.invalid");
    assertRefused(ended, 4, "http://no-such-proxy.invalid:3128", "cannot be found");
  }

  /** The proxy delivers the file's hash, then fails. The script must not report a damaged file. */
  @Test
  void aProxyThatFailsInTheMiddleLeavesWhatCame() throws Exception {
    Files.write(part(), Arrays.copyOf(model, 123_456));
    statusOfDownloads = 502;
    Ended ended = fetch();
    assertRefused(ended, 4, "refused with status 502");
    assertEquals(123_456, Files.size(part()));
    statusOfDownloads = 200;
    assertFetched(fetch());
    assertEquals(List.of("bytes=123456-"), ranges);
  }
}
