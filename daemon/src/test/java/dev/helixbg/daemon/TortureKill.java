package dev.helixbg.daemon;

import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Kills the built program with SIGKILL, many times on one KB, with edits between the kills, and
 * mostly just after a write. Successive seeds kill one-shot, the daemon, and the daemon during idle
 * work with a language model. Kills depend on real time, so a seed repeats the work, but not the
 * instruction at which the process dies; {@link TortureFiles} repeats that, too.
 *
 * <p>After each kill, checks the files. Then the built program makes the next run on a copy of the
 * files, without a language model, and {@link FromNothing} compares. So it does at the end of a
 * case, with the language model, on the files themselves.
 */
final class TortureKill extends TortureArea {
  /** Number of kills in a case of scripts/torture. */
  static final int KILLS = 20;

  /** Longest wait, also on a busy machine. */
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** Maximum delay of a kill that, in rare cases, waits for no change, in ms. */
  private static final long MOST_MILLIS = 2_000;

  /** Time without a write after which a daemon gets new work. */
  private static final Duration QUIET = Duration.ofMillis(400);

  /** The same time for a daemon that has written nothing yet; it may still be starting. */
  private static final Duration LONG_QUIET = Duration.ofSeconds(5);

  private static final int GUESSED_CHANGES = 10;

  private static final String SETTINGS =
      """
      threads = 1
      [daemon]
      poll_seconds = 0.2
      quiet_seconds = 0.1
      model_quiet_minutes = 0.001
      model_max_load = 1000
      """;

  /** The kind of process to kill. */
  private enum Kind {
    ONE_SHOT(24, 6),
    DAEMON(24, 6),
    IDLE(8, 3);

    private final int entries;
    private final int edits;

    /**
     * @param entries number of entries at the beginning
     * @param edits maximum number of edits between two kills
     */
    Kind(int entries, int edits) {
      this.entries = entries;
      this.edits = edits;
    }
  }

  private final Path folder;
  private final int kills;
  private final RealDaemon program;

  /** The same program, without C2. */
  private final RealDaemon soon;

  /** The program in another home, without C2 and without a language model, which is not killed. */
  private final RealDaemon next;

  private final Path languageModel;
  private final EmbedderSource model;

  /** Estimated number of changes of the folder by a run of one-shot. */
  private int changes = GUESSED_CHANGES;

  private int number;

  /** Content of the store just before the last kill. */
  private KeptFiles before;

  /**
   * @param kills number of kills in a case
   */
  TortureKill(Path folder, Path dist, int kills) throws IOException {
    this.folder = folder;
    this.kills = kills;
    this.program = new RealDaemon(home(), dist, List.of());
    this.soon = new RealDaemon(home(), dist, List.of()).withoutC2();
    this.next = new RealDaemon(folder.resolve("next-home"), dist, List.of()).withoutC2();
    this.languageModel = GoldenModel.Q4_0.path();
    this.model = EmbeddingModel.locate(DaemonFixture.settings(home(), Map.of()));
    next.settings(SETTINGS);
  }

  private Path home() {
    return folder.resolve("home");
  }

  @Override
  void run(long seed) throws Exception {
    Kind kind = Kind.values()[(int) Math.floorMod(seed, 3L)];
    Random random = new Random(seed);
    program.settings(
        SETTINGS + (kind == Kind.IDLE ? "[llm]\nmodel = \"%s\"\n".formatted(languageModel) : ""));
    Torture.delete(folder.resolve("kb"));
    WritableKb kb = new WritableKb(folder.resolve("kb"), new Random(seed + 1));
    kb.append(kind.entries);
    for (number = 1; number <= kills; number++) {
      if (kind != Kind.DAEMON || random.nextInt(4) > 0) {
        edit(kb, kind, random);
      } // otherwise a daemon may have no work
      kill(kb, kind, random);
      requireNextRunOfCopyAsFromNothing(kb, random.nextBoolean());
    }
    requireNextRunAsFromNothing(program, kb.kb(), kb.live(), kind == Kind.DAEMON);
  }

  private void kill(WritableKb kb, Kind kind, Random random) throws Exception {
    String name = kb.kb().folder().toString();
    int seen = 0;
    RealDaemon chosen = kind == Kind.IDLE ? program : soon;
    Process process = chosen.command(kind == Kind.ONE_SHOT ? "one-shot" : "daemon", name);
    try {
      if (kind == Kind.IDLE) {
        awaitAnswers(process, kb.kb());
      }
      seen +=
          await(
              process,
              kb,
              kind,
              random,
              1 + random.nextInt(kind == Kind.ONE_SHOT ? changes : GUESSED_CHANGES));
      say(kb.kb(), random);
      before = program.stores().with(kb.kb().folder(), KeptFiles::of);
      boolean ending = kind != Kind.ONE_SHOT && random.nextInt(4) == 0;
      if (ending) {
        process.destroy();
      }
      if (random.nextBoolean()) {
        seen += await(process, kb, kind, random, 1 + random.nextInt(3));
      }
      process.destroyForcibly().waitFor();
      boolean dead = process.exitValue() == 137;
      count((dead ? "kills of " : "ended before, ") + kind);
      if (dead && ending) {
        count("of them while it ended");
      }
      if (dead && seen == 0) {
        count("of them before it wrote");
      }
      if (!dead && kind == Kind.ONE_SHOT) {
        changes = (changes + Math.max(3, seen)) / 2;
      }
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Returns the keys of all texts in the present log. */
  private Set<TextKey> wanted(Kb kb) throws IOException {
    Set<TextKey> keys = new HashSet<>();
    for (Entry entry : DataLog.read(kb.dataLog()).entries()) {
      keys.add(TextKey.of(model.id(), entry.embeddedText()));
      for (Passage passage : Passage.of(entry, model.maxTokens())) {
        keys.add(TextKey.of(model.id(), passage.embeddedText(entry, model.maxTokens())));
      }
    }
    return keys;
  }

  /**
   * Checks the files after a kill, and the next run on a copy of them, so that the program to be
   * killed still finds the files after the kill.
   */
  private void requireNextRunOfCopyAsFromNothing(WritableKb kb, boolean asDaemon)
      throws IOException, InterruptedException {
    Kb copy = new Kb(folder.resolve("next"));
    Torture.delete(copy.folder());
    TortureFiles.copy(kb.kb().folder(), copy.folder());
    ProgramStores.copy(state(program), kb.kb().folder(), state(next), copy.folder());
    try {
      TortureKb.requireWholeReports(copy.insights());
      Set<TextKey> wanted = wanted(copy);
      KeptFiles after =
          next.stores()
              .with(
                  copy.folder(),
                  store -> {
                    KeptFiles.requireWhole(store);
                    return KeptFiles.of(store);
                  });
      counts.merge("answers kept", (long) after.answers().size(), Math::max);
      before.requireIn(after, wanted);
      requireNextRunAsFromNothing(next, copy, kb.live(), asDaemon);
      before.requireIn(next.stores().with(copy.folder(), KeptFiles::of), wanted);
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "after kill %d, by %s over a copy".formatted(number, asDaemon ? "a daemon" : "one-shot"),
          e);
    }
  }

  private void requireNextRunAsFromNothing(RealDaemon by, Kb kb, int live, boolean asDaemon)
      throws IOException, InterruptedException {
    if (asDaemon) {
      requireDaemonAsOneShot(by, kb, live);
    } else {
      by.run("one-shot", kb.folder().toString());
    }
    long left = KeptFiles.leftovers(kb.folder(), ProgramStores.folder(state(by), kb.folder()));
    require(left == 0, "%d files in the making are left for good", left);
    new FromNothing(kb, folder.resolve("fresh"), by).compare();
  }

  private static Path state(RealDaemon program) {
    return program.stores().settings().state();
  }

  /**
   * Requires equal reports of daemon and one-shot: either may rely on wrong data that the killed
   * process left.
   */
  private void requireDaemonAsOneShot(RealDaemon by, Kb kb, int live)
      throws IOException, InterruptedException {
    by.start(kb.folder());
    by.awaitUpToDate(live, Duration.ofMinutes(5));
    by.end();
    Path reports = folder.resolve("reports");
    Torture.delete(reports);
    TortureFiles.copy(kb.insights(), reports);
    by.run("one-shot", kb.folder().toString());
    for (String name : List.of("report.json", "report.md", "report.html")) {
      String daemons = Files.readString(reports.resolve(name));
      String ours = Files.readString(kb.insights().resolve(name));
      int at = Arrays.mismatch(daemons.toCharArray(), ours.toCharArray());
      require(
          at < 0,
          "%s of the daemon is not that of one-shot: …%s… and …%s…",
          name,
          around(daemons, at),
          around(ours, at));
    }
  }

  private static String around(String text, int at) {
    return text.substring(Math.max(0, at - 150), Math.clamp(at + 100L, 0, text.length()))
        .replaceAll("\\s+", " ");
  }

  /** Makes random edits; at least one entry is new. */
  private static void edit(WritableKb kb, Kind kind, Random random) throws IOException {
    for (int i = random.nextInt(kind.edits); i > 0; i--) {
      switch (random.nextInt(8)) {
        case 0 -> kb.delete();
        case 1 -> kb.deleteEdited(kb.appendEdited());
        case 2 -> {
          if (random.nextInt(5) == 0) {
            kb.compact();
          }
        }
        case 3 -> {
          if (random.nextInt(5) == 0) { // appends a long entry, which has passages
            String words = " lease %d".formatted(random.nextInt(1 << 20)).repeat(100);
            kb.append("long", "a note of many words" + words);
          }
        }
        default -> kb.append();
      }
    }
    kb.append();
  }

  private void say(Kb kb, Random random) {
    Decision decision = TortureKb.dismissal(random.nextLong(1L << 40));
    program
        .stores()
        .with(
            kb.folder(),
            store -> {
              store.decisions().add(List.of(decision));
              return null;
            });
  }

  /** Waits until idle work has stored an answer, or the process has ended. */
  private void awaitAnswers(Process process, Kb kb) throws Exception {
    int before = program.stores().answers(kb.folder()).size();
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (process.isAlive() && System.nanoTime() - deadline < 0) {
      if (program.stores().answers(kb.folder()).size() > before) {
        return;
      }
      Thread.sleep(20);
    }
  }

  /**
   * Waits until the folder has changed {@code changes} times, then perhaps up to 50 ms longer. In
   * rare cases, waits for a random time instead.
   *
   * @return number of changes seen
   */
  private int await(Process process, WritableKb kb, Kind kind, Random random, int changes)
      throws Exception {
    if (random.nextInt(12) == 0) {
      process.waitFor(Duration.ofMillis(random.nextLong(MOST_MILLIS)));
      return 0;
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    long last = System.nanoTime();
    Set<String> files = files(kb.kb());
    int seen = 0;
    while (seen < changes && process.isAlive() && System.nanoTime() - deadline < 0) {
      Thread.sleep(1);
      Set<String> now = files(kb.kb());
      if (!now.equals(files)) {
        seen++;
        last = System.nanoTime();
      } else if (kind != Kind.ONE_SHOT
          && System.nanoTime() - last > (seen > 0 ? QUIET : LONG_QUIET).toNanos()) {
        edit(kb, kind, random);
        last = System.nanoTime();
        now = files(kb.kb());
      }
      files = now;
    }
    if (random.nextBoolean()) {
      process.waitFor(Duration.ofNanos((long) (50e6 * Math.pow(random.nextDouble(), 3))));
    }
    return seen;
  }

  private Set<String> files(Kb kb) throws IOException {
    Set<String> files = new TreeSet<>();
    Path store = ProgramStores.folder(program.stores().settings().state(), kb.folder());
    for (Path folder : List.of(kb.folder(), kb.insights(), store)) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path file : all.toList()) {
          files.add(file + " " + Files.size(file));
        }
      } catch (NoSuchFileException e) {
        continue; // the file is gone, or does not exist yet
      }
    }
    return files;
  }
}
