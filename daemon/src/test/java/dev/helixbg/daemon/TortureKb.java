package dev.helixbg.daemon;

import static dev.helixbg.daemon.TortureArea.require;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.log.DataLogBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A small KB with its store, in this process and with a fake model. Has methods that work on the
 * KB, and methods that check it after a fault.
 *
 * <p>The folder may be on a {@link FaultyDisk}. Changes by helix and the store are always on the
 * real disk.
 */
final class TortureKb {
  static final int ENTRIES = 40;
  static final Duration A_WHILE = Duration.ofMinutes(20);

  private final Kb kb;
  private final Path real;
  private final Path home;
  private final Settings settings;
  private final FakeModel model = new NearModel();
  private int written = ENTRIES;

  // Decisions and answers whose storing was acknowledged.
  final List<Decision> decisions = new ArrayList<>();
  final List<AnswerStore.Id> answers = new ArrayList<>();

  /**
   * @param folder folder of the KB, perhaps on a faulty disk
   * @param real the same folder on the real disk
   * @param home home whose state folder has the store
   */
  TortureKb(Path folder, Path real, Path home) {
    this.kb = new Kb(folder);
    this.real = real;
    this.home = home;
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

  /** Appends entries to the log, as helix does. */
  void append(int entries) throws IOException {
    DataLogBytes log = new DataLogBytes();
    for (int i = 0; i < entries; i++) {
      entry(log, written++);
    }
    Files.write(real.resolve("data.log"), log.records(), StandardOpenOption.APPEND);
    age(real.resolve("data.log"), 0);
  }

  /** Sets an old time for a log, which depends on its size, so that no reader waits for quiet. */
  static void age(Path log, int seconds) throws IOException {
    Files.setLastModifiedTime(
        log, FileTime.from(Instant.EPOCH.plusSeconds(1_000_000_000 + Files.size(log) + seconds)));
  }

  /** Opens the store for {@code work}, then closes it. */
  <T> T with(StoreWork<T> work) throws IOException, InterruptedException {
    try (KbStores stores = new KbStores(settings, notice -> {})) {
      return work.with(stores.of(kb));
    }
  }

  /** Work on an open store. */
  interface StoreWork<T> {
    T with(KbStore store) throws IOException, InterruptedException;
  }

  static Decision dismissal(long number) {
    return new Decision(
        "dup-%010x".formatted(number), Decision.Outcome.DISMISSED, Instant.EPOCH, "a ~ b");
  }

  /** Stores a decision and two answers. */
  void say(int number) throws IOException, InterruptedException {
    Decision decision = dismissal(number);
    with(
        store -> {
          store.decisions().add(List.of(decision));
          decisions.add(decision);
          for (int i = 0; i < 2; i++) {
            AnswerStore.Id id =
                new AnswerStore.Id(QuestionKind.LABEL, "v", "m", "k" + number + "-" + i);
            store.answers().add(Map.of(id, new Answer("gap", 1, "gotcha", 0, false)));
            answers.add(id);
          }
          return null;
        });
  }

  /** Runs as {@code helix-bg one-shot} does. */
  void oneShot() throws IOException, InterruptedException {
    with(
        store -> {
          try (ProcessLock lock = store.lock()) {
            return DaemonFixture.oneShot(
                DaemonFixture.pipeline(settings, model, DaemonFixture.NO_READING), store);
          }
        });
  }

  /** Does the same; it may fail with an error that is meant for users. */
  void tryOneShot() throws IOException, InterruptedException {
    tryTo(this::oneShot);
  }

  /** Does the same as {@link #say}, or fails with an error for users, and acknowledges nothing. */
  void trySay(int number) throws IOException, InterruptedException {
    tryTo(() -> say(number));
  }

  private interface Act {
    void run() throws IOException, InterruptedException;
  }

  private static void tryTo(Act act) throws IOException, InterruptedException {
    try {
      act.run();
    } catch (RuntimeException e) {
      if (!ErrorReporter.isExpected(e)) {
        throw e;
      }
    }
  }

  /** Returns a daemon that has just started, with its own clock. */
  DaemonFixture daemon() {
    return new DaemonFixture(home, kb, Map.of(), model);
  }

  /** Requires that no acknowledged decision is lost. */
  void requireAcknowledged() throws IOException, InterruptedException {
    with(
        store -> {
          Decisions kept = store.decisions().read();
          for (Decision decision : decisions) {
            require(
                kept.on(decision.id()).equals(Optional.of(decision)),
                "a decision is lost: %s",
                decision);
          }
          return null;
        });
  }

  /** Requires that no acknowledged answer is lost; only valid if the database was not damaged. */
  void requireAnswers() throws IOException, InterruptedException {
    with(
        store -> {
          Set<AnswerStore.Id> found = store.answers().find(Set.copyOf(answers)).keySet();
          require(found.containsAll(answers), "answers are lost: %s of %s", found, answers);
          return null;
        });
  }

  /** Requires that each file is complete: the old file or the new file. */
  void requireWhole() throws IOException {
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

  /** Returns the number of temporary files left in the KB's folder. */
  long leftovers() throws IOException {
    return KeptFiles.leftovers(real);
  }

  /**
   * Requires that the published files equal those of a new store with the same log and decisions.
   *
   * @param scratch work folder, made anew
   */
  void requireAsFromNothing(Path scratch) throws IOException, InterruptedException {
    Torture.delete(scratch);
    with(
        store -> {
          DaemonFixture.assertAsFromNothing(store, scratch, model, 0);
          return null;
        });
  }
}
