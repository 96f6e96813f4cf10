package dev.helixbg.daemon;

import static dev.helixbg.daemon.TortureArea.require;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.watch.Cursor;
import dev.helixbg.embed.cache.CachedVectors;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.review.History;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Kills the built program with SIGKILL, again and again on one KB: at any moment, or as soon as it
 * is seen to have written something. Seeds one after the other kill one-shot, the daemon, and the
 * daemon at idle work with a language model. The moment is real time, so that a seed repeats what
 * is done, not the very instruction in which the process dies; {@link TortureFiles} does that.
 */
final class TortureKill implements TortureArea {
  private static final String ANSWERS = "answers.jsonl";
  private static final int KILLS = 5;
  private static final long MOST_MILLIS = 4_000;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  /** What is killed. */
  private enum Kind {
    ONE_SHOT,
    DAEMON,
    IDLE
  }

  private final Path folder;
  private final RealDaemon program;
  private final Path model;
  private final Map<String, Long> counts = new TreeMap<>();

  TortureKill(Path folder, Path dist) throws IOException {
    this.folder = folder;
    this.program = new RealDaemon(folder.resolve("home"), dist, List.of());
    this.model = TortureGguf.goldenModel("golden-q40.gguf", folder);
  }

  @Override
  public void run(long seed) throws Exception {
    Kind kind = Kind.values()[(int) Math.floorMod(seed, 3L)];
    Random random = new Random(seed);
    program.settings(
        """
        threads = 1
        [daemon]
        poll_seconds = 0.2
        quiet_seconds = 0.1
        model_quiet_minutes = 0.001
        model_max_load = 1000
        session_gap_minutes = 0.01
        """
            + (kind == Kind.IDLE ? "[llm]\nmodel = \"%s\"\n".formatted(model) : ""));
    Torture.delete(folder.resolve("kb"));
    WritableKb kb = new WritableKb(folder.resolve("kb"), random);
    for (int i = kind == Kind.IDLE ? 30 : 120; i > 0; i--) {
      kb.append();
    }
    Set<TextKey> lost = new HashSet<>();
    List<Decision> said = new ArrayList<>();
    for (int kill = 0; kill < KILLS; kill++) {
      edit(kb, random);
      Process process = start(kb.kb(), kind);
      try {
        if (kind == Kind.IDLE) {
          awaitAnswers(process, kb.kb());
        }
        await(process, kb.kb(), random);
        said.add(say(kb.kb(), random));
        if (random.nextBoolean()) {
          await(process, kb.kb(), random);
        }
        Kept before = Kept.of(kb.kb());
        process.destroyForcibly().waitFor();
        String what = process.exitValue() == 137 ? "kills of " : "ended before, ";
        counts.merge(what + kind, 1L, Long::sum);
        Kept after = Kept.of(kb.kb());
        counts.merge(
            "answers kept", after.lines().getOrDefault(ANSWERS, List.of()).size() + 0L, Math::max);
        before.vectors().stream().filter(key -> !after.vectors().contains(key)).forEach(lost::add);
        before.requireLinesIn(after);
        requireWhole(kb.kb());
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
    Decisions decisions = new DecisionFile(kb.kb().insights()).read();
    for (Decision one : said) {
      require(decisions.on(one.id()).equals(Optional.of(one)), "a decision is lost: %s", one);
    }
    program.run("one-shot", kb.kb().folder().toString());
    new FromNothing(kb.kb(), folder.resolve("fresh"), program).compare();
    lost.retainAll(Kept.of(kb.kb()).vectors()); // those of entries that are gone may be lost
    require(lost.isEmpty(), "%d vectors that were on the disk were lost", lost.size());
  }

  private Process start(Kb kb, Kind kind) throws IOException {
    String name = kb.folder().toString();
    return kind == Kind.ONE_SHOT
        ? program.command("one-shot", name)
        : program.command("daemon", name);
  }

  private static void edit(WritableKb kb, Random random) throws IOException {
    for (int i = random.nextInt(20); i >= 0; i--) {
      switch (random.nextInt(8)) {
        case 0 -> kb.delete();
        case 1 -> kb.deleteEdited(kb.appendEdited());
        case 2 -> {
          if (random.nextInt(5) == 0) {
            kb.compact();
          }
        }
        default -> kb.append();
      }
    }
  }

  private static Decision say(Kb kb, Random random) throws IOException {
    Decision decision =
        new Decision(
            "dup-%010x".formatted(random.nextLong(1L << 40)),
            Decision.Verdict.DISMISSED,
            Instant.EPOCH,
            "");
    new DecisionFile(kb.insights()).append(List.of(decision));
    return decision;
  }

  /** Until idle work has begun, if it does at all. */
  private static void awaitAnswers(Process process, Kb kb) throws Exception {
    Path answers = kb.insights().resolve(ANSWERS);
    long before = Files.exists(answers) ? Files.size(answers) : 0;
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (process.isAlive() && System.nanoTime() - deadline < 0) {
      if (Files.exists(answers) && Files.size(answers) > before) {
        return;
      }
      Thread.sleep(5);
    }
  }

  /** For some time, or until something in the folder changes for the Nth time. */
  private static void await(Process process, Kb kb, Random random) throws Exception {
    if (random.nextInt(3) == 0) {
      process.waitFor(Duration.ofMillis(random.nextLong(MOST_MILLIS)));
      return;
    }
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    int changes = 1 + random.nextInt(12);
    Set<String> seen = files(kb);
    while (changes > 0 && process.isAlive() && System.nanoTime() - deadline < 0) {
      Thread.sleep(1);
      Set<String> now = files(kb);
      changes -= now.equals(seen) ? 0 : 1;
      seen = now;
    }
  }

  private static Set<String> files(Kb kb) throws IOException {
    Set<String> files = new TreeSet<>();
    for (Path folder : List.of(kb.folder(), kb.insights())) {
      try (Stream<Path> all = Files.list(folder)) {
        for (Path file : all.toList()) {
          files.add(file + " " + Files.size(file));
        }
      } catch (NoSuchFileException e) {
        continue; // gone meanwhile, or not there yet
      }
    }
    return files;
  }

  /** What is on the disk. */
  private record Kept(
      Set<TextKey> vectors, Map<String, List<String>> lines, Map<String, Object> files) {
    static Kept of(Kb kb) throws IOException {
      CachedVectors cached = new EmbeddingCache(kb.folder()).read();
      require(
          cached.state() != CachedVectors.State.UNUSABLE, "vectors are lost: %s", cached.reason());
      Set<TextKey> vectors = new HashSet<>(cached.journal().vectors().keySet());
      cached.rows().forEach(row -> vectors.add(row.key()));
      Map<String, List<String>> lines = new TreeMap<>();
      Map<String, Object> files = new TreeMap<>();
      for (String name : List.of(ANSWERS, History.NAME, DecisionFile.NAME)) {
        Path file = kb.insights().resolve(name);
        if (Files.exists(file)) {
          files.put(name, Files.readAttributes(file, BasicFileAttributes.class).fileKey());
          String text = Files.readString(file);
          lines.put(name, text.substring(0, text.lastIndexOf('\n') + 1).lines().toList());
        }
      }
      return new Kept(vectors, lines, files);
    }

    /** Unless a file was written anew, without what is stale. */
    void requireLinesIn(Kept after) {
      lines.forEach(
          (name, mine) ->
              require(
                  !files.get(name).equals(after.files().get(name))
                      || after.lines().get(name).containsAll(mine),
                  "lines of %s are lost",
                  name));
    }
  }

  private static void requireWhole(Kb kb) throws IOException {
    TortureKb.requireWholeReports(kb.insights());
    for (String name : List.of(ANSWERS, History.NAME, DecisionFile.NAME)) {
      Path file = kb.insights().resolve(name);
      if (Files.exists(file)) {
        int torn = 0;
        for (String line : Files.readAllLines(file)) {
          torn += isJson(line) ? 0 : 1;
        }
        require(torn <= KILLS, "%d lines of %s are torn", torn, name);
      }
    }
    Path cursor = kb.insights().resolve(Cursor.NAME);
    require(!Files.exists(cursor) || isJson(Files.readString(cursor)), "the cursor is torn");
  }

  private static boolean isJson(String text) {
    try {
      return new ObjectMapper().readTree(text).isObject();
    } catch (IOException e) {
      return false;
    }
  }

  @Override
  public Map<String, Long> counts() {
    return counts;
  }
}
