package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.daemon.control.ControlClient;
import dev.helixbg.daemon.link.DaemonLink;
import java.io.File;
import java.io.IOException;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs the built program as a daemon in another process, with its own home. */
final class RealDaemon implements AutoCloseable {
  static final String HASTY = "[daemon]\npoll_seconds = 0.2\nquiet_seconds = 0.2\n";

  /** Variables of malloc, as scripts/lib/launch.sh sets them. */
  private static final Map<String, String> MALLOC =
      Map.of(
          "MALLOC_ARENA_MAX", "2",
          "MALLOC_MMAP_THRESHOLD_", "131072",
          "MALLOC_TRIM_THRESHOLD_", "131072");

  private final Path home;
  private final Path dist;
  private final List<String> wrapper;
  private boolean withoutC2;
  private Process process;

  /**
   * Provides the prepared model in a new home, unless a wrapper is given, which may run the daemon
   * as another user.
   *
   * @param dist the folder that the build makes
   * @param wrapper command that starts the JVM; may be empty
   */
  RealDaemon(Path home, Path dist, List<String> wrapper) throws IOException {
    this(dist, wrapper, home);
    if (wrapper.isEmpty() && !Files.exists(cache())) {
      PreparedModel.linkInto(cache(), dist);
    }
  }

  private RealDaemon(Path dist, List<String> wrapper, Path home) throws IOException {
    this.home = Files.createDirectories(home);
    this.dist = dist;
    this.wrapper = wrapper;
  }

  /** Returns the program in an empty home, as at the first start on a machine. */
  static RealDaemon fromNothing(Path home, Path dist) throws IOException {
    return new RealDaemon(dist, List.of(), home);
  }

  /**
   * Returns a daemon without C2, whose settings make it notice and publish changes within a second.
   */
  static RealDaemon hasty(Path home) throws IOException {
    return hasty(home, List.of());
  }

  static RealDaemon hasty(Path home, List<String> wrapper) throws IOException {
    RealDaemon daemon = new RealDaemon(home, Program.DIST, wrapper).withoutC2();
    daemon.settings(HASTY);
    return daemon;
  }

  /**
   * Runs the JVM without C2, which takes most of the time of a short run. Language models need C2,
   * and so does hashing an embedding model that is not prepared yet.
   */
  RealDaemon withoutC2() {
    withoutC2 = true;
    return this;
  }

  /** Returns the value of XDG_CACHE_HOME for the program. */
  Path cache() {
    return home.resolve("cache");
  }

  /** Returns the daemon's stores of KBs. */
  ProgramStores stores() {
    return ProgramStores.of(home, cache().resolve("helix-bg"));
  }

  Process command(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(wrapper);
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    Path options =
        dist.resolve("../../../scripts/lib").normalize(); // independent of the working folder
    for (String name : List.of("jvm", "tiered", "daemon")) {
      command.add("@" + options.resolve(name + ".options"));
    }
    if (withoutC2) {
      command.add("-XX:TieredStopAtLevel=1");
    }
    command.addAll(List.of("-Xlog:disable", "-Xlog:all=error:stderr"));
    command.add("-XX:SharedArchiveFile=" + dist.resolve("lib/helix-bg.jsa"));
    command.add("-Djava.io.tmpdir=" + home); // folder for reports of faults
    command.addAll(List.of("-jar", dist.resolve("lib/helix-bg.jar").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.clear();
    environment.putAll(MALLOC);
    environment.put("LC_ALL", "C.UTF-8"); // as in the launcher
    environment.put("HOME", home.toString());
    environment.put("PATH", System.getenv("PATH"));
    environment.put("XDG_CACHE_HOME", cache().toString());
    File out = home.resolve("out").toFile();
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(out))
        .start();
  }

  void run(String... arguments) throws IOException, InterruptedException {
    int code = command(arguments).waitFor();
    TortureArea.require(
        code == 0,
        "%s ended with %d: %s",
        List.of(arguments),
        code,
        Files.readString(home.resolve("out")));
  }

  void settings(String toml) throws IOException {
    Files.createDirectories(home.resolve(".helix"));
    Files.writeString(home.resolve(".helix/helix-bg.toml"), toml);
  }

  void start(Path... kbs) throws IOException {
    startWith(Stream.of(kbs).map(Path::toString).toArray(String[]::new));
  }

  void startWith(String... arguments) throws IOException {
    process =
        command(Stream.concat(Stream.of("daemon"), Stream.of(arguments)).toArray(String[]::new));
  }

  Process process() {
    return process;
  }

  Optional<ControlClient> connect() throws IOException {
    try {
      Path socket = home.resolve(".helix/helix-bg.sock");
      return Optional.of(ControlClient.connect(socket, Duration.ofSeconds(60)));
    } catch (SocketException e) {
      return Optional.empty();
    }
  }

  Optional<JsonNode> status() {
    try (ControlClient client = connect().orElse(null)) {
      return client == null
          ? Optional.empty()
          : Optional.of(client.ask(DaemonLink.request("status")).getFirst());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Waits until the report contains this number of entries and is up to date. */
  void awaitUpToDate(int entries, Duration patience) throws InterruptedException, IOException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (status()
        .map(s -> s.path("kbs").get(0))
        .filter(kb -> kb.path("upToDate").asBoolean() && kb.path("entries").asInt() == entries)
        .isEmpty()) {
      if (System.nanoTime() - deadline > 0 || !process.isAlive()) {
        throw new IllegalStateException(
            "not up to date with " + entries + " entries: " + status() + log());
      }
      Thread.sleep(50);
    }
  }

  String log() throws IOException {
    Path log = home.resolve(".helix/logs/helix-bg.log");
    return (Files.exists(log) ? "\n" + Files.readString(log) : "")
        + "\n"
        + Files.readString(home.resolve("out"));
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** Stops the daemon by SIGTERM; returns how long that took. */
  Duration end() throws InterruptedException {
    long start = System.nanoTime();
    process.destroy();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      kill();
    }
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Override
  public void close() throws InterruptedException {
    if (process != null && process.isAlive()) {
      kill();
    }
  }
}
