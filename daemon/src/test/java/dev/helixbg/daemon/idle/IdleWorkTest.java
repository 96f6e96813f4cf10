package dev.helixbg.daemon.idle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.WritableKb;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.KnownTrial;
import dev.helixbg.daemon.run.ModelTrial;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.watch.DaemonFixture;
import dev.helixbg.embed.store.Database;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests when idle work asks questions, with a tiny test model and a clock that the test advances.
 */
@Timeout(600)
class IdleWorkTest {
  @TempDir Path folder;

  private WritableKb writer;
  private DaemonFixture daemon;
  private IdleWork idle;
  private boolean battery;
  private double load;

  @BeforeEach
  void start() throws Exception {
    writer = new WritableKb(folder.resolve("kb"), new Random(1), 6);
    settings(Map.of());
  }

  /** Starts anew with other settings. */
  private void settings(Map<String, String> more) throws Exception {
    if (idle != null) {
      stop();
    }
    Map<String, String> flags = new HashMap<>(more);
    flags.putIfAbsent("llm.model", GoldenModel.Q4_K_M.path().toString());
    daemon = new DaemonFixture(folder, writer.kb(), flags);
    Settings settings = daemon.settings;
    KnownTrial.of(settings);
    IdleWork.Machine machine = new IdleWork.Machine(() -> battery, () -> load);
    idle =
        new IdleWork(
            settings, new FakeModel(), daemon.clock, daemon.troubles, daemon.metrics, machine);
  }

  /** Waits until all work has ended, so that nothing writes into folders that are being deleted. */
  @AfterEach
  void stop() throws InterruptedException {
    idle.close();
    untilItEndsByItself();
  }

  private boolean consider() {
    return idle.consider(List.of(daemon.watch));
  }

  /** Does all due work, as the daemon's loop does, with a check of the KB between two runs. */
  private void finish() throws InterruptedException {
    while (true) {
      boolean working = consider();
      if (!idle.isRunning()) {
        daemon.look();
        settle();
      }
      if (!working) {
        return;
      }
      Thread.sleep(10);
    }
  }

  private void settle() throws InterruptedException {
    for (int i = 0; i < 4 && daemon.watch.upToDateWith().isEmpty(); i++) {
      daemon.run(Duration.ofSeconds(3));
    }
  }

  @Test
  void nothingRunsBeforeTheKbIsUpToDateAndRests() throws Exception {
    assertFalse(consider(), "not read yet");
    daemon.run(Duration.ofSeconds(30));
    assertFalse(consider(), "it rests for half a minute only");
    daemon.run(Duration.ofMinutes(2));
    assertTrue(consider());
    finish();
    assertFalse(answers().isEmpty());
  }

  @Test
  void aKbThatCannotBeReadKeepsNoOtherKbWaiting() throws Exception {
    Path broken = Files.createDirectory(folder.resolve("broken"));
    Files.writeString(broken.resolve("data.log"), "This is no data.log.");
    DaemonFixture other =
        new DaemonFixture(Files.createDirectory(folder.resolve("other")), new Kb(broken));
    daemon.run(Duration.ofMinutes(3));
    other.run(Duration.ofMinutes(3));
    assertTrue(other.watch.trouble().isPresent());
    assertTrue(idle.consider(List.of(other.watch, daemon.watch)));
    assertEquals(writer.kb(), idle.current().orElseThrow().kb());
    idle.consider(List.of(other.watch, daemon.watch));
    finish();
    assertEquals(0, daemon.watch.update().questions(), "the run was not interrupted");
  }

  @Test
  void onBatteryOrOnABusyMachineTheModelWaits() throws Exception {
    daemon.run(Duration.ofMinutes(5));
    battery = true;
    assertFalse(consider());
    battery = false;
    load = 0.6;
    daemon.clock.pass(Duration.ofSeconds(11));
    assertFalse(consider());
    load = 0.4;
    daemon.clock.pass(Duration.ofSeconds(11));
    assertTrue(consider());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aKbThatGoesWhileItIsAskedAboutGetsNoAnswers(boolean isReplaced) throws Exception {
    beginToAsk(300);
    Path away = Files.move(writer.kb().folder(), folder.resolve("away"));
    if (isReplaced) {
      Files.createDirectories(writer.kb().folder());
      Files.copy(away.resolve("data.log"), writer.log());
    }
    untilItEndsByItself();
    untilItEnds();
    assertFalse(Files.exists(writer.kb().insights()), "its answers went to another KB");
    if (!isReplaced) {
      daemon.look();
      assertFalse(consider(), "there is nothing to be asked about");
      assertFalse(Files.exists(writer.kb().folder()), "its answers made it anew");
    }
  }

  /** Waits until the run ends without a request, because it cannot save an answer. */
  private void untilItEndsByItself() throws InterruptedException {
    while (idle.current().isPresent()) {
      Thread.sleep(2);
    }
  }

  @Test
  void onBatteryItRunsWhereTheSettingsSaySo() throws Exception {
    settings(Map.of("daemon.model_on_battery", "on"));
    battery = true;
    daemon.run(Duration.ofMinutes(5));
    assertTrue(consider());
    finish();
    assertFalse(answers().isEmpty());
  }

  /** Returns the stored answers, by their questions. */
  private Map<String, String> answers() {
    return answers(daemon.store());
  }

  private static Map<String, String> answers(KbStore store) {
    return store
        .database()
        .read(
            connection -> {
              Map<String, String> answers = new TreeMap<>();
              try (Statement select = connection.createStatement();
                  ResultSet rows =
                      select.executeQuery(
                          "SELECT job || ' ' || key, answer, probability FROM answer")) {
                while (rows.next()) {
                  String answer = "%s %.2f".formatted(rows.getString(2), rows.getDouble(3));
                  String twice = answers.put(rows.getString(1), answer);
                  assertNull(twice, "asked twice: " + rows.getString(1));
                }
              }
              return answers;
            });
  }

  private void beginToAsk(int entries) throws Exception {
    writer.append(entries);
    daemon.run(Duration.ofMinutes(5));
    askSome();
  }

  /** Lets a run begin, and waits until it has saved some answers. */
  private void askSome() throws Exception {
    int before = answers().size();
    while (answers().size() == before
        || idle.current().filter(now -> now.answered() > 0).isEmpty()) {
      assertTrue(consider(), "it has ended");
      if (!idle.isRunning()) {
        daemon.look();
        settle();
      }
      Thread.sleep(2);
    }
  }

  private void untilItEnds() throws InterruptedException {
    while (idle.isRunning()) {
      consider();
      Thread.sleep(2);
    }
  }

  @Test
  void anErrorOfTheJvmIsATroubleAndTheNextRunGoesOn() throws Exception {
    beginToAsk(100);
    daemon.clock.error = new StackOverflowError("of a test");
    String about = writer.kb().folder() + ", questions";
    untilItEndsByItself();
    assertTrue(daemon.troubles.on(about).orElse("none").contains("of a test"));
    daemon.clock.error = null;
    untilItEnds();
    daemon.look();
    settle();
    daemon.run(Duration.ofMinutes(31)); // a failed job waits before it is tried again
    finish();
    assertEquals(0, daemon.watch.update().questions());
    assertEquals(Optional.empty(), daemon.troubles.on(about));
  }

  @Test
  void whatTheReportLeavesOpenIsAskedAndTakenInOnce() throws Exception {
    writer.append("a", "The team agreed to move the offset into the worker.");
    writer.append("b", "The team agreed to move the offset into the worker today.");
    daemon.run(Duration.ofMinutes(5));
    assertTrue(daemon.watch.update().questions() >= 8, "a label each at least");
    assertTrue(answers().isEmpty());
    finish();
    assertEquals(0, daemon.watch.update().questions());
    long counted = answers().keySet().stream().filter(key -> !key.startsWith("overtaken ")).count();
    assertEquals(counted, daemon.metrics.answers.sum(), "a pair once, whatever it took");
    daemon
        .report()
        .path("entries")
        .forEach(l -> assertEquals("MODEL", l.at("/guess/origin").asText()));
    assertEquals(0, daemon.report().at("/judgement/left/label").asInt());
    long reports = daemon.metrics.reports.sum();
    int readings = daemon.files.readings;
    daemon.run(Duration.ofMinutes(10));
    finish();
    assertEquals(reports, daemon.metrics.reports.sum(), "nothing new, no new report");
    assertEquals(readings, daemon.files.readings);
    DaemonFixture restarted = new DaemonFixture(folder, writer.kb(), flags(daemon));
    restarted.run(Duration.ofMinutes(1));
    assertEquals(0, restarted.metrics.reports.sum(), "the store knows of the answers");
    assertEquals(0, restarted.watch.update().questions());
  }

  private static Map<String, String> flags(DaemonFixture of) {
    return Map.of("llm.model", of.settings.llm().model().orElseThrow().toString());
  }

  @Test
  void theEndIsWhatOneShotWithTheSameModelMakes() throws Exception {
    writer.append("a", "The team agreed to move the offset into the worker.");
    writer.append("b", "The team agreed to move the offset into the worker.");
    writer.append(20);
    daemon.run(Duration.ofMinutes(30));
    finish();
    Kb copy = new Kb(Files.createDirectories(folder.resolve("copy")));
    Files.copy(writer.log(), copy.dataLog());
    oneShot(daemon.stores.of(copy));
    assertEquals(answers(daemon.stores.of(copy)), answers(), "the same questions");
    // Between runs, probabilities differ in the fourth digit (decision 13), and nothing else
    // differs.
    List<String> reports = reports();
    oneShot(daemon.store());
    assertEquals(reports(), reports);
  }

  private List<String> reports() throws IOException {
    List<String> reports = new ArrayList<>();
    for (String name : List.of("report.json", "report.md", "report.html")) {
      reports.add(Files.readString(writer.kb().insights().resolve(name)));
    }
    return reports;
  }

  /** Makes and publishes a new report. */
  private void oneShot(KbStore store) throws InterruptedException {
    Pipeline once =
        new Pipeline(
            daemon.settings,
            new FakeModel(),
            Analysis::run,
            DaemonFixture.NO_READING,
            new JudgingStage(daemon.settings, DaemonFixture.SILENT, warning -> {}),
            DaemonFixture.SILENT);
    ReportFolder.of(store.kb()).write(DaemonFixture.whole(once, store).report());
  }

  @Test
  void aChangeInterruptsARunWithinASecondAndItsAnswersAreKeptAndShown() throws Exception {
    beginToAsk(300);
    IdleWork.Current current = idle.current().orElseThrow();
    assertEquals(writer.kb(), current.kb());
    long reports = daemon.metrics.reports.sum();
    daemon.look();
    assertFalse(daemon.watch.upToDateWith().isEmpty(), "its own answers are no change");
    writer.append();
    daemon.look();
    assertTrue(daemon.watch.upToDateWith().isEmpty());
    long start = System.nanoTime();
    untilItEnds();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    // The promise is one second. But a new JVM must first compile kernels, and on a busy machine
    // the thread of idle work comes last.
    assertTrue(took.toMillis() < 3_000 || OperatingSystem.load() > 0.5, "it took " + took);
    int kept = answers().size();
    assertTrue(kept < 300, "it had finished");
    assertEquals(reports, daemon.metrics.reports.sum(), "not before the end of the run");
    settle();
    long shown =
        daemon
            .report()
            .path("entries")
            .valueStream()
            .filter(entry -> entry.at("/guess/origin").asText().equals("MODEL"))
            .count();
    long labels = answers().keySet().stream().filter(key -> key.startsWith("label ")).count();
    assertTrue(shown >= labels, shown + " of " + labels + " are in the report");
    assertTrue(daemon.watch.update().questions() > 0);
    daemon.run(Duration.ofMinutes(5));
    finish();
    assertEquals(0, daemon.watch.update().questions());
    assertTrue(answers().size() > 300, "and none was asked twice");
  }

  /**
   * The model is measured once, before other questions. Then the report tells how reliable it is.
   */
  @Test
  void aModelIsMeasuredBeforeItIsAsked() throws Exception {
    // Deletes the test's answers to the last few pairs, so that the model answers these itself; all
    // pairs would take long.
    try (Database trial =
        new Database(
            daemon.settings.state().resolve(ModelTrial.FILE), ModelTrial.SCHEMA, warning -> {})) {
      TestDatabase.change(
          trial,
          "DELETE FROM answer WHERE number IN (SELECT number FROM answer WHERE job = 'overtaken'"
              + " ORDER BY number DESC LIMIT 3)");
    }
    daemon.run(Duration.ofMinutes(5));
    settle();
    assertTrue(daemon.report().at("/judgement/trust").isNull());
    finish();
    JsonNode trust = daemon.report().at("/judgement/trust");
    assertEquals(60, trust.get("pairs").asInt());
    assertTrue(trust.get("guessing").asBoolean());
    JsonNode asReader = daemon.report().at("/judgement/lessonTrust");
    assertEquals(60, asReader.get("pairs").asInt());
    assertTrue(asReader.get("guessing").asBoolean(), "it has one answer to everything");
    String html = Files.readString(writer.kb().insights().resolve("report.html"));
    assertTrue(html.contains("The model is guessing"));
  }

  @Test
  void aRunEndsWithItsTimeAndTheNextGoesOn() throws Exception {
    settings(Map.of("llm.seconds", "100"));
    beginToAsk(300);
    daemon.clock.pass(Duration.ofSeconds(101));
    while (idle.isRunning()) {
      assertTrue(consider());
      Thread.sleep(2);
    }
    int first = answers().size();
    assertTrue(first < 300, first + " in a run");
    daemon.look();
    settle();
    int left = daemon.report().at("/judgement/left").valueStream().mapToInt(JsonNode::asInt).sum();
    assertEquals(left, daemon.watch.update().questions(), "in the report");
    finish();
    assertEquals(0, daemon.watch.update().questions());
  }

  @Test
  void withoutTimeNothingIsAsked() throws Exception {
    settings(Map.of("llm.seconds", "0"));
    daemon.run(Duration.ofMinutes(30));
    finish();
    assertTrue(daemon.watch.update().questions() > 0);
    assertTrue(answers().isEmpty());
  }

  @Test
  void aRunEndsWhenTheMachineIsWanted() throws Exception {
    beginToAsk(300);
    load = 1; // load of its own threads
    daemon.clock.pass(Duration.ofSeconds(11));
    assertTrue(consider());
    Thread.sleep(50);
    assertTrue(consider() && idle.isRunning());
    load = 9;
    daemon.clock.pass(Duration.ofSeconds(11));
    untilItEnds();
    int first = answers().size();
    load = 0;
    daemon.look();
    settle();
    daemon.clock.pass(Duration.ofSeconds(11));
    askSome();
    battery = true;
    daemon.clock.pass(Duration.ofSeconds(11));
    untilItEnds();
    assertTrue(answers().size() > first && daemon.watch.update().questions() > 0);
    daemon.look();
    settle();
    daemon.clock.pass(Duration.ofSeconds(11));
    assertFalse(consider(), "on battery");
  }

  @Test
  void idleThreadsAreLastInTheQueueAndSoAreThoseTheyStart() throws Exception {
    assumeTrue(Files.exists(Path.of("/proc/thread-self/stat")), "only Linux tells");
    String usual = ownNice();
    List<String> low = new CopyOnWriteArrayList<>();
    Thread.ofPlatform()
        .start(
            () -> {
              OperatingSystem.lowerPriority();
              low.add(ownNice());
              Thread child = Thread.ofPlatform().start(() -> low.add(ownNice()));
              try {
                child.join();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            })
        .join();
    assertEquals(List.of("19", "19"), low);
    assertEquals(usual, ownNice(), "other threads keep their nice value");
    beginToAsk(300);
    try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
      List<String> running =
          tasks.map(IdleWorkTest::stat).filter(s -> s.contains("(model)")).toList();
      assertEquals(List.of("19"), running.stream().map(IdleWorkTest::nice).toList());
    }
  }

  private static String ownNice() {
    return nice(stat(Path.of("/proc/thread-self")));
  }

  private static String nice(String stat) {
    return stat.substring(stat.lastIndexOf(')') + 2).split(" ")[16];
  }

  /** Returns what Linux says of a thread; empty after its end. */
  private static String stat(Path thread) {
    try {
      return Files.readString(thread.resolve("stat"));
    } catch (IOException e) {
      return "";
    }
  }
}
