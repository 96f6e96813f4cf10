package dev.helixbg.daemon;

import static dev.helixbg.daemon.TortureArea.require;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.ReportSeal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.run.EmbeddingStage.Saving;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.cache.CacheContents;
import dev.helixbg.embed.cache.CacheContents.CacheRow;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerFile;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.log.DataLogBytes;
import dev.helixbg.insight.review.HistoryLines;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.ReviewHistory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A small KB with every file that helix-bg keeps, in this process and with a fake model: what is
 * done with it, and what must hold whatever happened.
 *
 * <p>Its folder may lead to a {@link FaultyDisk}; what helix does to the log never does.
 */
final class TortureKb {
  static final int ENTRIES = 40;
  static final Duration A_WHILE = Duration.ofMinutes(20);

  private final Kb kb;
  private final Path real;
  private final Path home;
  private final Settings settings;
  private final FakeModel model;
  private int written = ENTRIES;

  // What was said, and whoever said it was told that it is kept.
  final List<Decision> decisions = new ArrayList<>();
  final List<Review> reviews = new ArrayList<>();
  final List<AnswerFile.Id> answers = new ArrayList<>();

  /**
   * @param folder of the KB, perhaps on a faulty disk
   * @param real the same on the disk
   */
  TortureKb(Path folder, Path real, Path home) {
    this(folder, real, home, new NearModel());
  }

  /**
   * @param home with the settings, if there are any
   * @param model of another KB's vectors
   */
  TortureKb(Path folder, Path real, Path home, FakeModel model) {
    this.kb = new Kb(folder);
    this.real = real;
    this.home = home;
    this.model = model;
    this.settings = DaemonFixture.settings(home, Map.of());
  }

  /** Writes the log of a new KB. */
  static void begin(Path folder) throws IOException {
    DataLogBytes log = new DataLogBytes();
    int gone = 0;
    for (int i = 0; i < ENTRIES; i++) {
      int offset = entry(log, i);
      gone = i == 7 ? offset : gone;
    }
    Path file = folder.resolve("data.log");
    Files.write(file, log.delete(gone).toByteArray());
    age(file, 0);
  }

  private static int entry(DataLogBytes log, int i) {
    return log.entry("topic-" + i % 5, "note " + i + " of the group-" + i % 9, 29_000_000 + i);
  }

  /** As helix does. */
  void append(int entries) throws IOException {
    DataLogBytes log = new DataLogBytes();
    for (int i = 0; i < entries; i++) {
      entry(log, written++);
    }
    Files.write(real.resolve("data.log"), log.records(), StandardOpenOption.APPEND);
    age(real.resolve("data.log"), 0);
  }

  /** Has a log be written long ago, at another time for each size: nobody waits for it to rest. */
  static void age(Path log, int seconds) throws IOException {
    Files.setLastModifiedTime(
        log, FileTime.from(Instant.EPOCH.plusSeconds(1_000_000_000 + Files.size(log) + seconds)));
  }

  /** A decision, a review and two answers, each of which may fail. */
  void say(int number) throws IOException {
    Decision decision =
        new Decision(
            "dup-%010x".formatted(number), Decision.Verdict.DISMISSED, Instant.EPOCH, "a ~ b");
    expectIo(
        () -> {
          new DecisionFile(kb.insights()).append(List.of(decision));
          decisions.add(decision);
        });
    Review review =
        new Review(
            Review.Kind.DRIFT,
            Optional.empty(),
            Instant.EPOCH.plusSeconds(number),
            "ab",
            Optional.empty(),
            "review " + number,
            List.of(),
            List.of());
    expectIo(
        () -> {
          new ReviewHistory(kb.insights()).append(review);
          reviews.add(review);
        });
    for (int i = 0; i < 2; i++) {
      AnswerFile.Id id = new AnswerFile.Id(QuestionKind.LABEL, "v", "m", "k" + number + "-" + i);
      expectIo(
          () -> {
            new AnswerFile(kb.answers(), true)
                .add(Map.of(id, new Answer("gap", 1, "gotcha", 0, false)));
            answers.add(id);
          });
    }
  }

  private interface Work {
    void run() throws IOException;
  }

  private static void expectIo(Work work) {
    try {
      work.run();
    } catch (IOException e) {
      // Whoever said it was told that it is not kept.
    }
  }

  /** As {@code helix-bg one-shot} does. */
  void oneShot(Saving saving) throws InterruptedException {
    try (KbLock lock = KbLock.take(kb)) {
      Pipeline once = DaemonFixture.pipeline(settings, model, DaemonFixture.NO_READING);
      new SealedReports(new ReportSeal(settings.cache())).write(kb, once.run(kb, saving).report());
    }
  }

  /** The same, and a fault may have it fail as users are told of. */
  void tryOneShot(Saving saving) throws InterruptedException {
    try {
      oneShot(saving);
    } catch (RuntimeException e) {
      if (!ErrorReporter.isExpected(e)) {
        throw e;
      }
    }
  }

  /** A daemon that has just started, with a clock of its own. */
  DaemonFixture daemon() {
    return new DaemonFixture(home, kb, Map.of(), model);
  }

  /** Nothing that was acknowledged is lost. */
  void requireAcknowledged() throws IOException {
    Path insights = real.resolve("insights");
    Decisions kept = new DecisionFile(insights).read();
    for (Decision decision : decisions) {
      require(
          kept.on(decision.id()).equals(Optional.of(decision)), "a decision is lost: %s", decision);
    }
    List<Review> history = HistoryLines.of(insights);
    require(history.containsAll(reviews), "reviews are lost: %s of %s", history, reviews);
    Set<AnswerFile.Id> found =
        new AnswerFile(insights.resolve("answers.jsonl"), false).find(Set.copyOf(answers)).keySet();
    require(found.containsAll(answers), "answers are lost: %s of %s", found, answers);
  }

  /** Each file is the old one or the new one, not something between. */
  void requireWhole() throws IOException {
    CacheContents cached = new EmbeddingCache(real).read();
    require(
        cached.state() == CacheContents.State.GOOD,
        "vectors: %s %s",
        cached.state(),
        cached.reason());
    requireWholeReports(real.resolve("insights"));
  }

  static void requireWholeReports(Path insights) throws IOException {
    ReportFolder report = ReportFolder.in(insights);
    if (Files.exists(report.json())) {
      try {
        new ObjectMapper().readTree(Files.readAllBytes(report.json()));
      } catch (JacksonException e) {
        throw new IllegalStateException("report.json is broken: " + e.getMessage(), e);
      }
    }
    if (Files.exists(report.html())) {
      require(Files.readString(report.html()).endsWith("</html>\n"), "report.html is cut");
    }
    if (Files.exists(report.markdown())) {
      require(Files.readString(report.markdown()).endsWith("\n"), "report.md is cut");
    }
  }

  /** How many files in the making were left behind. */
  long leftovers() throws IOException {
    try (Stream<Path> files = Files.walk(real)) {
      return files.filter(file -> file.toString().endsWith(".tmp")).count();
    }
  }

  /** Vectors and reports are those of a run from nothing over the same log, decisions, reviews. */
  void requireAsFromNothing(Path scratch) throws IOException, InterruptedException {
    requireAsFromNothing(scratch, List.of(DecisionFile.NAME, ReviewHistory.NAME));
  }

  /**
   * @param said names of the files that are no less given than the log
   */
  void requireAsFromNothing(Path scratch, List<String> said)
      throws IOException, InterruptedException {
    Torture.delete(scratch);
    Path fresh = Files.createDirectories(scratch);
    Files.copy(
        real.resolve("data.log"), fresh.resolve("data.log"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.createDirectory(fresh.resolve("insights"));
    for (String name : said) {
      Path file = real.resolve("insights").resolve(name);
      if (Files.exists(file)) {
        Files.copy(file, fresh.resolve("insights").resolve(name));
      }
    }
    new TortureKb(new FaultyDisk().of(fresh), fresh, home, model).oneShot(Saving.PUBLISHED);
    EmbeddingCache expected = new EmbeddingCache(fresh);
    EmbeddingCache found = new EmbeddingCache(real);
    requireSameVectors(expected.read(), found.read());
    requireSameVectors(expected.ofPassages().read(), found.ofPassages().read());
    for (String name : List.of("report.json", "report.md", "report.html")) {
      require(
          Files.mismatch(
                  fresh.resolve("insights").resolve(name), real.resolve("insights").resolve(name))
              < 0,
          "%s is not that of a run from nothing",
          name);
    }
  }

  private static void requireSameVectors(CacheContents expected, CacheContents found) {
    if (expected.rows().isEmpty() && found.rows().isEmpty()) {
      return;
    }
    require(
        found.state() == CacheContents.State.GOOD, "vectors: %s %s", found.state(), found.reason());
    require(
        keys(expected).equals(keys(found)),
        "vectors of other entries: %d, not %d",
        found.rows().size(),
        expected.rows().size());
    for (int i = 0; i < expected.rows().size(); i++) {
      require(
          Arrays.equals(expected.rows().get(i).vector(), found.rows().get(i).vector()),
          "another vector at %d",
          found.rows().get(i).offset());
    }
  }

  private static List<String> keys(CacheContents vectors) {
    return vectors.rows().stream()
        .map((CacheRow row) -> row.offset() + " " + row.key())
        .collect(Collectors.toList());
  }
}
