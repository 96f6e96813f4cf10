package dev.helixbg.daemon;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.SampleKb;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What scripts/check-tidy runs: the built program at a pseudo-terminal on the evaluation KB. First
 * twenty findings are decided one after the other while another writer is at the same KB, and after
 * each exactly the notes meant are changed. Then sessions of random keys, sizes and kills. Ends
 * with 1 where a note is lost that no act was to remove.
 */
final class CheckTidy {
  private static final int FINDINGS = 20;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Pattern REMOVE =
      Pattern.compile("Remove (\\S+:\\d+) and keep (\\S+:\\d+)\\?");
  private static final Pattern MARK = Pattern.compile("(?m)^\\(helix-bg: [0-9a-f]{12}\\) ?$");
  private static final List<String> KEYS =
      List.of(
          "s", "o", "l", "d", "x", "n", "p", "u", "e", "m", "?", " ", "\033", "\r", "\r", "\r",
          "\033[A", "\033[6~", "z", "y", "a", "ö");

  private final Path root;
  private final Path work;
  private final Path helix;
  private final Kb kb;
  private final Random random;
  private final Map<String, Integer> counts = new TreeMap<>();

  private CheckTidy(Path root, Path work, Path helix, long seed) throws IOException {
    this.root = root;
    this.work = work;
    this.helix = helix;
    this.kb = new Kb(Files.createDirectories(work.resolve("kb")));
    this.random = new Random(seed);
  }

  /** The folder of the build, where to work, sessions, seed, and the real helix if there is one. */
  public static void main(String[] arguments) throws Exception {
    Path dist = Path.of(arguments[0]);
    Path work = Path.of(arguments[1]);
    int sessions = Integer.parseInt(arguments[2]);
    long seed = Long.parseLong(arguments[3]);
    Path helix =
        arguments.length > 4
            ? Path.of(arguments[4])
            : StandInServer.install(work.resolve("bin/helix"), dist);
    try {
      CheckTidy check = new CheckTidy(dist.resolve("../../..").normalize(), work, helix, seed);
      check.plant();
      check.walk();
      for (int i = 0; i < sessions; i++) {
        check.session();
      }
      System.out.printf("check-tidy: all passed, seed %d: %s%n", seed, check.counts);
    } catch (AssertionError e) {
      System.err.println("check-tidy, seed " + seed + ": " + e.getMessage());
      System.exit(1);
    }
    System.exit(0);
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** The evaluation KB, its report, and the settings. */
  private void plant() throws Exception {
    StringBuilder source = new StringBuilder();
    Path notes = root.resolve("insight/src/test/resources/findings-kb");
    try (Stream<Path> parts = Files.list(notes)) {
      for (Path part : parts.filter(one -> one.toString().endsWith(".md")).sorted().toList()) {
        source.append(Files.readString(part)).append('\n');
      }
    }
    Files.write(kb.dataLog(), SampleKb.build(source.toString()));
    Process run = process(List.of(launcher(), "one-shot", folder()), work.resolve("one-shot"));
    if (run.waitFor() != 0) {
      throw new AssertionError("one-shot: " + Files.readString(work.resolve("one-shot")));
    }
  }

  private String launcher() {
    return root.resolve("scripts/helix-bg").toString();
  }

  private String folder() {
    return kb.folder().toString();
  }

  private Process process(List<String> command, Path out, String... more) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.put("HOME", Files.createDirectories(work.resolve("home")).toString());
    environment.put("HELIX_BG_HELIX_COMMAND", helix.toString());
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    for (int i = 0; i < more.length; i += 2) {
      environment.put(more[i], more[i + 1]);
    }
    return builder.redirectOutput(out.toFile()).start();
  }

  private Process tidy(Path out, String terminal) throws IOException {
    String command = "exec " + launcher() + " tidy " + folder();
    return process(List.of("script", "-qefc", command, "/dev/null"), out, "TERM", terminal);
  }

  /** Contents of all notes, without marks, by name. */
  private Map<String, String> notes() throws InterruptedException {
    LogReading log = DataLog.readQuiet(kb.dataLog());
    if (!log.account().damage().isEmpty()) {
      throw new AssertionError("the log is damaged: " + log.account().damage());
    }
    Map<String, Integer> places = new HashMap<>();
    Map<String, String> notes = new TreeMap<>();
    for (Entry entry : log.entries()) {
      int place = places.merge(entry.topic(), 1, Integer::sum) - 1;
      notes.put(
          entry.topic() + ":" + place,
          MARK.matcher(entry.text().content()).replaceAll("").replaceAll("\n+", "\n").strip());
    }
    return notes;
  }

  private static List<String> missing(Map<String, String> before, Map<String, String> after) {
    List<String> missing = new ArrayList<>(before.values());
    after.values().forEach(missing::remove);
    return missing;
  }

  /** A screen of a dumb terminal, of which the last is what somebody sees. */
  private final class Screen implements AutoCloseable {
    private final Path out;
    private final Process process;
    private final OutputStream keys;
    private int seen;

    Screen(Path out) throws IOException {
      this.out = out;
      this.process = tidy(out, "dumb");
      this.keys = process.getOutputStream();
    }

    private String text() throws IOException {
      return Files.readString(out).replace("\r", "");
    }

    /** What comes after a key, once it has any of these texts. */
    String press(String key, String... texts) throws Exception {
      seen = text().length();
      keys.write(key.getBytes(UTF_8));
      keys.flush();
      return await(texts);
    }

    String await(String... texts) throws Exception {
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() < end) {
        String now = text();
        String more = now.substring(Math.min(seen, now.length()));
        if (Stream.of(texts).anyMatch(more::contains)
            && (more.contains("q quit") || more.contains("Esc back"))) {
          Thread.sleep(30); // the rest of the screen
          return text().substring(seen);
        }
        if (!process.isAlive()) {
          throw new AssertionError("it ended, before " + List.of(texts) + ": " + more);
        }
        Thread.sleep(20);
      }
      throw new AssertionError("no " + List.of(texts) + " on: " + text().substring(seen));
    }

    @Override
    public void close() {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  /** Twenty findings, of which some are same, overtaken, linked and dismissed. */
  private void walk() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    Thread writer = Thread.ofPlatform().start(() -> writeUntil(over));
    try (Screen screen = new Screen(work.resolve("walk"))) {
      screen.await("Why: ");
      for (int i = 0; i < FINDINGS; i++) {
        if (screen.text().substring(screen.seen).contains("nothing is left to decide")) {
          screen.press("a", "Why: ");
        }
        decide(screen, List.of("s", "o", "l", "s", "d").get(i % 5));
      }
      screen.keys.write('q');
      screen.keys.flush();
      if (!screen.process.waitFor(1, TimeUnit.MINUTES) || screen.process.exitValue() != 0) {
        throw new AssertionError("q does not end it");
      }
    } finally {
      over.set(true);
      writer.join();
    }
  }

  /** The stand-in beside, or a real one: both lock the log. */
  private void writeUntil(AtomicBoolean over) {
    if (!helix.startsWith(work)) {
      return; // the stand-in does not hold to the lock of the real one
    }
    FileHelix other = new FileHelix(kb.dataLog());
    Random own = new Random(random.nextLong());
    for (int i = 0; !over.get(); i++) {
      String topic = own.nextInt(4) == 0 ? "auth" : "meanwhile";
      other.call("store", Map.of("topic", topic, "text", "Written meanwhile: " + i));
      try {
        Thread.sleep(500 + own.nextInt(1500));
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void decide(Screen screen, String key) throws Exception {
    Map<String, String> before = notes();
    String page =
        screen.press(
            key,
            "carry it out",
            "Enter dismiss",
            "nothing is to be done",
            "does nothing",
            "decided elsewhere",
            "I did it");
    if (!page.contains("carry it out") && !page.contains("Enter dismiss")) {
      count("walk: nothing to do");
      screen.press("\033", "q quit");
      screen.press("n", "Why: ");
      return;
    }
    for (int attempt = 0; attempt < 5; attempt++) {
      Matcher removal = REMOVE.matcher(page);
      Optional<String> gone = removal.find() ? Optional.of(removal.group(1)) : Optional.empty();
      String after =
          screen.press(
              "\r",
              "Done: ",
              "Dismissed.",
              "nothing was changed",
              "Nothing was changed",
              "Stopped");
      List<String> missing = missing(before, notes());
      List<String> meant =
          after.contains("Done: ") && gone.isPresent()
              ? List.of(before.get(gone.get()))
              : List.of();
      if (!missing.equals(meant)) {
        throw new AssertionError("after " + page + "\nthese are gone: " + missing);
      }
      if (after.contains("Stopped")) {
        throw new AssertionError("stopped: " + after);
      }
      if (!after.contains("nothing was changed")) {
        count("walk: " + (after.contains("Done: ") ? "done by " + key : "dismissed"));
        return;
      }
      count("walk: planned anew");
      page = after;
      before = notes();
    }
    screen.press("\033", "q quit");
    screen.press("n", "Why: ");
  }

  /** Random keys, sizes, and an end of any kind; no note is lost but by an act that says so. */
  private void session() throws Exception {
    Map<String, String> before = notes();
    int settled = settled();
    Path out = work.resolve("session");
    Process process = tidy(out, random.nextBoolean() ? "xterm-256color" : "dumb");
    boolean killed = false;
    try {
      OutputStream keys = process.getOutputStream();
      long end = System.nanoTime() + PATIENCE.toNanos();
      while (!Files.readString(out).contains("quit") && process.isAlive()) {
        if (System.nanoTime() > end) {
          throw new AssertionError("no first screen: " + Files.readString(out));
        }
        Thread.sleep(20);
      }
      if (Files.readString(out).contains("nothing is left to decide")) {
        keys.write('a'); // the report leads with nothing more: all others
        keys.flush();
      }
      for (int i = random.nextInt(30); i > 0 && process.isAlive(); i--) {
        keys.write(KEYS.get(random.nextInt(KEYS.size())).getBytes(UTF_8));
        keys.flush();
        if (random.nextInt(6) == 0) {
          resize(process);
        }
        Thread.sleep(random.nextInt(150));
      }
      String how = List.of("\003", "INT", "TERM", "HUP", "KILL").get(random.nextInt(5));
      count("session ended by " + (how.equals("\003") ? "Ctrl-C" : how));
      killed = how.equals("KILL");
      if (how.length() == 1) {
        keys.write(how.getBytes(UTF_8));
        keys.flush();
      } else {
        signal(process, how);
      }
      if (!process.waitFor(1, TimeUnit.MINUTES)) {
        throw new AssertionError(how + " does not end it: " + Files.readString(out));
      }
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    String screen = Files.readString(out);
    if (screen.contains("Exception") || screen.contains("fault in helix-bg")) {
      throw new AssertionError("a fault: " + screen);
    }
    if (screen.contains("\033[?1049h") && !killed && !screen.contains("\033[?1049l")) {
      throw new AssertionError("the terminal is left as it was not");
    }
    List<String> missing = missing(before, notes());
    int acts = settled() - settled + (killed ? 1 : 0);
    if (missing.size() > Math.max(0, acts)) {
      throw new AssertionError(missing.size() + " notes gone by " + acts + " acts: " + missing);
    }
    count("sessions");
    counts.merge("notes removed in sessions", missing.size(), Integer::sum);
  }

  private int settled() throws Exception {
    Path out = work.resolve("settled");
    process(List.of(launcher(), "findings", folder(), "--settled"), out).waitFor();
    return (int)
        Files.readString(out).lines().filter(line -> line.matches("\\S+ +done .*")).count();
  }

  private Optional<ProcessHandle> java(Process process) {
    return process
        .descendants()
        .filter(
            one -> one.info().command().filter(command -> command.endsWith("/java")).isPresent())
        .filter(one -> !one.info().commandLine().orElse("").contains("StandInServer"))
        .findFirst();
  }

  private void signal(Process process, String name) throws Exception {
    Optional<ProcessHandle> java = java(process);
    if (java.isPresent()) {
      new ProcessBuilder("kill", "-" + name, "" + java.get().pid()).start().waitFor();
    }
  }

  private void resize(Process process) throws Exception {
    Optional<ProcessHandle> java = java(process);
    if (java.isPresent()) {
      count("resizes");
      new ProcessBuilder(
              "stty",
              "-F",
              "/proc/" + java.get().pid() + "/fd/0",
              "cols",
              "" + (10 + random.nextInt(150)),
              "rows",
              "" + (3 + random.nextInt(50)))
          .redirectErrorStream(true)
          .start()
          .waitFor();
    }
  }
}
