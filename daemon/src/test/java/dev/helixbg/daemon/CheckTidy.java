package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.node.MissingNode;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.tidy.FileHelix;
import dev.helixbg.daemon.tidy.Helix;
import dev.helixbg.insight.acts.HelixTools;
import dev.helixbg.insight.acts.PresentEntries;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.findings.FindingsBench;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Program of {@code scripts/check-helix tidy}. Runs the built program at a pseudo-terminal on the
 * evaluation KB, with a real or a stand-in helix, while another process writes. First decides
 * twenty findings one by one, then runs sessions with random keys, screen sizes and kills. Each act
 * must change exactly the notes that its page named, links must lead to the same notes as before,
 * and the decisions must be those that the screen showed. The screen must report a half-done act.
 * Otherwise the program ends with exit code 1.
 */
final class CheckTidy {
  private static final Pattern HEADING =
      Pattern.compile(
          "(?m)^((?:Remove|Link|Move|Let|Give|Take this back)[^?]*)\\?", Pattern.DOTALL);
  private static final Pattern CLOSING =
      Pattern.compile("(\\d+) done, (\\d+) dismissed, \\d+ left");
  private static final Pattern MARK = Pattern.compile("\\(helix-bg: [0-9a-f]{12}\\)");
  private static final String OTHERS = "Written meanwhile";
  private static final List<String> OUTCOMES =
      List.of("Done: ", "Taken back", "othing was changed", "Stopped", "Dismissed.");
  private static final List<String> KEYS =
      List.of(
          "s", "s", "o", "l", "d", "x", "n", "n", "p", "u", "e", "m", "?", " ", "a", "\033", "\r",
          "\r", "\r", "\r", "\033[A", "\033[6~", "z", "y", "ö");
  private static final List<String> ENDS =
      List.of("q", "\003", "INT", "TERM", "HUP", "KILL", "KILL", "the terminal is closed");

  private final Path root;
  private final Path work;
  private final Path helix;
  private final Kb kb;
  private final Random random;
  private final Map<String, Integer> counts = new TreeMap<>();
  private byte[] planted = {};
  private int plantings;

  CheckTidy(Path root, Path work, Path helix, long seed) throws IOException {
    this.root = root;
    this.work = work;
    this.helix = helix;
    this.kb = new Kb(Files.createDirectories(work.resolve("kb")));
    this.random = new Random(seed);
  }

  /**
   * Arguments: folder of the build, work folder, number of sessions, seed, and the path of the real
   * helix, if any.
   */
  public static void main(String[] arguments) throws Exception {
    Path dist = Path.of(arguments[0]);
    Path work = Path.of(arguments[1]);
    int sessions = Integer.parseInt(arguments[2]);
    long seed = Long.parseLong(arguments[3]);
    Path helix =
        arguments.length > 4
            ? Path.of(arguments[4])
            : StandInServer.install(work.resolve("bin/helix"), dist);
    CheckTidy check = new CheckTidy(dist.resolve("../../..").normalize(), work, helix, seed);
    try {
      check.run(20, sessions);
      System.out.printf("check-helix tidy: all passed, seed %d: %s%n", seed, check.counts);
    } catch (AssertionError e) {
      System.err.printf(
          "check-helix tidy, seed %d, in %s: %s%n%s%n", seed, work, e.getMessage(), check.counts);
      System.exit(1);
    }
    System.exit(0);
  }

  /** Decides about findings one after the other, then runs sessions. */
  Map<String, Integer> run(int findings, int sessions) throws Exception {
    plant();
    AtomicBoolean over = new AtomicBoolean();
    Thread writer = Thread.ofPlatform().daemon().start(() -> writeUntil(over));
    try {
      walk(findings);
      for (int i = 0; i < sessions; i++) {
        if (i % 20 == 19) {
          plantAgain(); // most findings have a decision by now
        }
        session();
      }
    } finally {
      over.set(true);
      writer.join();
    }
    return counts;
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** Makes the evaluation KB and its report, and a copy of both. */
  private void plant() throws Exception {
    planted = FindingsBench.log();
    Files.write(kb.dataLog(), planted);
    new Program(Files.createDirectories(work.resolve("home"))).withModel();
    Path out = work.resolve("one-shot");
    if (process(out, "dumb", launcher(), "one-shot", folder()).waitFor() != 0) {
      throw new AssertionError("one-shot: " + Files.readString(work.resolve("errors")));
    }
    require("cp", "-a", work.resolve("home").toString(), work.resolve("planted").toString());
  }

  private void plantAgain() throws Exception {
    plantings++;
    require("rm", "-rf", work.resolve("home").toString());
    require("cp", "-a", work.resolve("planted").toString(), work.resolve("home").toString());
    synchronized (this) { // the other writer must not write now: its helix does not see this change
      Files.write(kb.dataLog(), planted);
      Files.deleteIfExists(kb.folder().resolve("index.bin"));
    }
  }

  private static void require(String... command) throws InterruptedException {
    if (!ExternalTool.succeeds(command)) {
      throw new AssertionError("failed: " + List.of(command));
    }
  }

  private String launcher() {
    return root.resolve("scripts/helix-bg").toString();
  }

  private String folder() {
    return kb.folder().toString();
  }

  private Process process(Path out, String terminal, String... command) throws IOException {
    return new Program(work.resolve("home"))
        .withoutC2()
        .with("HELIX_BG_HELIX_COMMAND", helix.toString())
        .with("LANG", "C.UTF-8")
        .with("TERM", terminal)
        .byCommand(command)
        .start(List.of(), out, work.resolve("errors"));
  }

  private TestScreen screen() throws IOException {
    String terminal = random.nextBoolean() ? "xterm-256color" : "dumb";
    Path out = work.resolve("screen");
    String command = "%s tidy %s; echo ended by $?; stty -a".formatted(launcher(), folder());
    // A process started in the background, or by nohup, ignores these signals, and so would its
    // children.
    String[] script = {"env", "--default-signal=INT,HUP", "script", "-qefc", command, "/dev/null"};
    return new TestScreen(process(out, terminal, script), out, terminal);
  }

  /** Returns all notes except those of the other writer. */
  private List<NamedEntry> notes() throws InterruptedException {
    LogReading log = DataLog.readQuiet(kb.dataLog());
    if (!log.account().damage().isEmpty()) {
      throw new AssertionError("the log is damaged: " + log.account().damage());
    }
    return new PresentEntries(log, "m")
        .all().stream().filter(one -> !one.entry().body().startsWith(OTHERS)).toList();
  }

  private static List<String> told(List<NamedEntry> notes) {
    return notes.stream().map(one -> one.entry().topic() + "\n" + one.entry().body()).toList();
  }

  private Map<String, Decision> decisions() {
    Map<String, Decision> decisions = new HashMap<>();
    Function<KbStore, Collection<Decision>> settled = store -> store.decisions().read().settled();
    new Program(work.resolve("home"))
        .stores()
        .with(kb.folder(), settled)
        .forEach(one -> decisions.put(one.id(), one));
    return decisions;
  }

  /** Stores notes, and edits and removes its own, through another helix on the same log. */
  private void writeUntil(AtomicBoolean over) {
    Random own = new Random(random.nextLong());
    FileHelix standIn = new FileHelix(kb.dataLog());
    while (!over.get()) {
      Map<String, String> arguments =
          switch (own.nextInt(5)) {
            case 0 -> Map.of("action", "delete", "topic", "meanwhile", "index", "0");
            case 1 -> stored("auth", own.nextLong());
            default -> stored("meanwhile", own.nextLong());
          };
      String tool = arguments.containsKey("action") ? "edit" : "store";
      synchronized (this) {
        try (RealHelix real = isStandIn() ? null : new RealHelix(helix, kb.folder())) {
          if (real == null) {
            standIn.call(tool, arguments);
          } else {
            real.call(tool, arguments);
          }
        } catch (HelixTools.Refusal | Helix.Refusal e) {
          // there is no note to remove yet
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      try {
        Thread.sleep(300 + own.nextInt(1500));
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private boolean isStandIn() throws IOException {
    return Files.size(helix) < 10_000; // a script
  }

  private static Map<String, String> stored(String topic, long number) {
    return Map.of("topic", topic, "text", OTHERS + ": " + number, "force", "true");
  }

  /** Decides findings one after the other: same, overtaken, link or dismiss. */
  private void walk(int findings) throws Exception {
    try (TestScreen screen = screen()) {
      screen.await(List.of("Why: "));
      for (int i = 0; i < findings; i++) {
        if (screen.now().contains("There are no leading findings left to decide")) {
          screen.press("a", List.of("Why: "));
        }
        String key = List.of("s", "o", "l", "s", "d").get(i % 5);
        List<String> pages =
            List.of(
                "carry it out",
                "Enter dismiss",
                "no edit is needed",
                "does nothing",
                "decided by another program",
                "I have made the edit");
        String page = screen.press(key, pages);
        for (int tries = 0; page.contains("carry it out") || page.contains("Enter dismiss"); ) {
          page = act(screen, page, Optional.empty());
          if (page.contains("Stopped") || tries++ == 5) {
            throw new AssertionError("stopped, or planned anew six times: " + page);
          }
          count(page.contains("Done: ") ? "walk: done by " + key : "walk: not done by " + key);
          if (page.contains("Done: ") || page.contains("Dismissed.")) {
            page = "";
          }
        }
        if (!page.isEmpty()) {
          screen.press("\033", List.of("q quit"));
          screen.press("n", List.of("Why: "));
        }
      }
      screen.end("q");
      restored(screen, "q");
    }
  }

  /**
   * Presses Enter on a page that changes something, and checks the changes.
   *
   * @param end signal or key that ends the program during the act; empty: the act runs to its end
   * @return the text on the screen after the act
   */
  private String act(TestScreen screen, String page, Optional<String> end) throws Exception {
    List<NamedEntry> before = notes();
    String after;
    if (end.isPresent()) {
      screen.type("\r");
      Thread.sleep(random.nextInt(1500));
      screen.end(end.get());
      after = screen.rest();
    } else {
      after = screen.press("\r", OUTCOMES);
    }
    List<NamedEntry> notes = notes();
    if (told(before).equals(told(notes)) && !after.contains("Done: ")) {
      return after;
    }
    Matcher heading = HEADING.matcher(page);
    if (!heading.find()) {
      throw new AssertionError("notes were changed by this page: " + page);
    }
    String words = heading.group(1).replaceAll("\\s+", " ").strip();
    try {
      if (words.startsWith("Take this back")) {
        takenBack(page, before, notes);
      } else {
        words = words.substring(0, 1).toLowerCase(Locale.ROOT) + words.substring(1);
        new ActExpectation(MissingNode.getInstance(), words, before, notes, Set.of()).check();
      }
      count("changed: " + words.split(" ")[0]);
    } catch (AssertionError e) {
      halfDone(screen, end.orElse(""), after, words, before, notes, e);
    }
    return after;
  }

  /** Checks that an undo restores texts and changes nothing else. */
  private static void takenBack(String page, List<NamedEntry> before, List<NamedEntry> after) {
    List<String> left = new ArrayList<>(told(after));
    told(before)
        .forEach(
            note -> {
              if (!left.remove(note)) {
                throw new AssertionError("lost when something was taken back: " + note);
              }
            });
    if (left.isEmpty() || !page.contains("restore the texts")) {
      throw new AssertionError("taken back: " + left);
    }
  }

  /**
   * Checks that a half-done act loses nothing and is reported: at once or, after a kill, by the
   * next session.
   */
  private void halfDone(
      TestScreen screen,
      String end,
      String after,
      String words,
      List<NamedEntry> before,
      List<NamedEntry> notes,
      AssertionError why)
      throws Exception {
    List<String> left = notes.stream().map(one -> withoutMark(one.entry().body())).toList();
    for (NamedEntry one : before) {
      if (!left.contains(withoutMark(one.entry().body())) && !words.contains(one.name())) {
        throw new AssertionError(words + ", half done: lost " + one.entry().body(), why);
      }
    }
    if (!isUntold(end) && !after.contains("Stopped in the middle")) {
      throw new AssertionError("half done, and not said: " + words + "\n" + after, why);
    }
    count("half done and said");
    if (notes.stream().anyMatch(one -> MARK.matcher(one.entry().body()).find())) {
      screen.close();
      try (TestScreen next = screen()) {
        next.await(List.of("An act was interrupted"));
        next.end("q");
      }
      plantAgain();
    }
  }

  private static String withoutMark(String body) {
    return MARK.matcher(body).replaceAll("").strip();
  }

  /** Runs a session with random keys and screen sizes, and ends it in a random way. */
  private void session() throws Exception {
    Map<String, Decision> before = decisions();
    int planting = plantings;
    String end = ENDS.get(random.nextInt(ENDS.size()));
    try (TestScreen screen = screen()) {
      screen.await(List.of("quit"));
      if (random.nextBoolean()) {
        screen.type(
            "a"); // lists all findings; otherwise the list may be empty, because no leading finding
        // is open
      }
      for (int i = random.nextInt(30); i > 0 && screen.isAlive(); i--) {
        String key = KEYS.get(random.nextInt(KEYS.size()));
        String page = "";
        if (key.equals("\r")) {
          screen.resize(100, 40); // large enough for the whole page
          page = screen.synced();
        }
        if (page.contains("carry it out") || page.contains("take it back")) {
          boolean last = random.nextInt(3) == 0;
          act(screen, page, last ? Optional.of(end) : Optional.empty());
          if (last) {
            count("ended in an act by " + end.replace("\003", "Ctrl-C"));
            break;
          }
        } else {
          screen.type(key);
        }
        if (random.nextInt(6) == 0) {
          screen.resize(10 + random.nextInt(150), 3 + random.nextInt(50));
          count("resizes");
        }
        Thread.sleep(random.nextInt(150));
      }
      screen.end(end);
      count("sessions ended by " + end.replace("\003", "Ctrl-C"));
      restored(screen, end);
      if (planting != plantings) { // a kill left an act half done, so the KB was made anew
        return;
      }
      Matcher closing = CLOSING.matcher(screen.text());
      Map<String, Decision> now = decisions();
      if (!new HashSet<>(now.values()).containsAll(before.values())) {
        throw new AssertionError("decisions are gone: " + before + " and " + now);
      }
      now.keySet().removeAll(before.keySet());
      if (!isUntold(end)) {
        String told = null;
        while (closing.find()) {
          told = closing.group(1) + " done, " + closing.group(2) + " dismissed";
        }
        String noted =
            counted(now, Decision.Outcome.DONE) + ", " + counted(now, Decision.Outcome.DISMISSED);
        if (!noted.equals(told)) {
          throw new AssertionError("said: " + told + ", noted: " + now + "\n" + screen.text());
        }
      }
      counts.merge("decided in sessions", now.size(), Integer::sum);
    }
  }

  private static String counted(Map<String, Decision> decisions, Decision.Outcome outcome) {
    long count = decisions.values().stream().filter(one -> one.outcome() == outcome).count();
    return count + " " + outcome.name().toLowerCase(Locale.ROOT);
  }

  /** Whether the program can write nothing more if it ends in this way. */
  private static boolean isUntold(String end) {
    return end.equals("KILL") || end.startsWith("the terminal");
  }

  /** Checks that the terminal is restored and shows no fault. */
  private static void restored(TestScreen screen, String end) throws IOException {
    String text = screen.text();
    if (text.contains("Exception") || text.contains("fault in helix-bg")) {
      throw new AssertionError("a fault: " + text);
    }
    if (isUntold(end)) {
      return;
    }
    boolean left = text.lastIndexOf("\033[?1049l") >= text.lastIndexOf("\033[?1049h");
    boolean cursor = text.lastIndexOf("\033[?25h") >= text.lastIndexOf("\033[?25l");
    if (!left
        || !cursor
        || !text.replaceAll("\\s+", " ").contains(" isig icanon iexten echo echoe ")) {
      throw new AssertionError("the terminal is left as it was not, by " + end + ": " + text);
    }
  }
}
