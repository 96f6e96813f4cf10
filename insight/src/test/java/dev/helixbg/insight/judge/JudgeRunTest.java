package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.store.TestDatabase;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import dev.helixbg.llm.golden.GoldenModel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Tests which questions a run asks, in which order, how long it asks, and which answers it saves.
 */
class JudgeRunTest extends StoreFixture {
  private static final Duration LONG = Duration.ofDays(1);

  private final List<Entry> entries = new ArrayList<>();
  private final List<float[]> vectors = new ArrayList<>();
  private final AtomicLong clock = new AtomicLong();
  private int opened;

  private int remembered() {
    return TestDatabase.rows(database, "answer");
  }

  /**
   * Adds an entry. Entries with the same direction have the same vector, so they are duplicates.
   */
  private void entry(String topic, String body, int direction) {
    entries.add(Entry.of(8 + 100L * entries.size(), topic, body, 0));
    float[] vector = new float[8];
    vector[direction] = 1;
    vectors.add(vector);
  }

  private Findings findings() {
    return Analysis.run(
        NamedEntry.all(entries, e -> Sha256.of(List.of(e.embeddedText())).substring(0, 32)),
        Vectors.of(vectors),
        PassageVectors.NONE,
        1);
  }

  private QuestionSession asking(Duration time, JudgeProgress progress) {
    return asking(time, progress, () -> Thread.currentThread().isInterrupted());
  }

  private QuestionSession asking(Duration time, JudgeProgress progress, BooleanSupplier cancelled) {
    return new QuestionSession(
        new AnswerStore(database),
        "model",
        () -> {
          opened++;
          return answering(GoldenJudges.open(GoldenModel.Q4_0));
        },
        time,
        clock::get,
        progress,
        cancelled);
  }

  /**
   * There are no golden answers to the question whether an entry is still valid, so the answer is
   * always <i>valid</i>.
   */
  private static QuestionAnswerer answering(Judge golden) {
    return new QuestionAnswerer() {
      @Override
      public List<Answer> answerSome(
          List<? extends Question> questions, BooleanSupplier cancelled) {
        return questions.getFirst().job() == QuestionKind.OVERTAKEN
            ? List.of(new Answer("valid", 0.9, "outdated", 0.1, false))
            : golden.answerSome(questions, cancelled);
      }

      @Override
      public void close() {
        golden.close();
      }
    };
  }

  private Judgements run(Duration time) throws IOException, InterruptedException {
    try (QuestionSession asking = asking(time, JudgeProgress.SILENT)) {
      return new JudgeRun(asking, "golden", findings(), vectors).run();
    }
  }

  private void duplicates() {
    entry(
        "design",
        "The team agreed to move the offset into the worker because it works offline.",
        0);
    entry("engine", "Measured: the embedder spends 8 tokens per second per page.", 1);
    entry(
        "design", "After trying both, the worker replaces the session, since it works offline.", 0);
    entry("engine", "The system has three parts: the worker, the gateway and the broker.", 2);
    entry("cli", "Input enters at the planner, passes the router and leaves through the store.", 3);
  }

  private void measurements(int count) {
    for (int i = 0; i < count; i++) {
      entry("ops", "Measured: the embedder spends " + i + " tokens per second per page.", i % 2);
    }
  }

  @Test
  void allJobsAreDone() throws Exception {
    duplicates();
    Judgements judged = run(LONG);
    Findings findings = findings();
    Finding.Relation pair = findings.relations().getFirst();
    assertEquals(Verdict.SAME, judged.verdicts().get(pair.id()).verdict());
    assertEquals(Set.of("design", "engine", "cli"), judged.summaries().keySet());
    assertEquals("Data flows from the planner to the store.", judged.summaries().get("cli"));
    assertEquals(
        List.of("decision", "performance", "decision", "architecture", "data-flow"),
        findings.entries().stream()
            .map(entry -> judged.guesses().get(entry.key()).label().title())
            .toList());
    assertEquals(1, judged.merges().size());
    assertEquals(List.of(pair.a(), pair.b()), judged.merges().getFirst().entries());
    assertEquals(Map.of(), judged.left());
  }

  /**
   * The second run asks nothing and does not open the model. After a new entry is added, only
   * questions about it are asked.
   */
  @Test
  void answersAreRemembered() throws Exception {
    duplicates();
    Judgements first = run(LONG);
    assertEquals(1, opened);
    int version = new AnswerStore(database).version();
    assertEquals(first, run(LONG));
    assertEquals(first, run(Duration.ZERO));
    assertEquals(1, opened);
    assertEquals(version, new AnswerStore(database).version(), "nothing was written");

    entry("cli", "To fix the loader, flush before close and then start the tokenizer.", 5);
    run(LONG);
    assertEquals(2, opened);
    List<String> jobs =
        jobsAfter(version).stream().filter(job -> !job.equals("overtaken")).toList();
    assertEquals(
        List.of("pair", "pair", "pair", "pair", "pair", "summary", "label"),
        jobs,
        "each of the pairs it is in, one topic that changed, one label");
  }

  /**
   * Returns the jobs of the answers with a number above {@code version}, in the order in which they
   * were added.
   */
  private List<String> jobsAfter(int version) {
    return database.read(
        connection -> {
          List<String> jobs = new ArrayList<>();
          try (var statement = connection.createStatement();
              var rows =
                  statement.executeQuery(
                      "SELECT job FROM answer WHERE number > " + version + " ORDER BY number")) {
            while (rows.next()) {
              jobs.add(rows.getString(1));
            }
          }
          return jobs;
        });
  }

  /**
   * If all answers about 2,000 entries are saved, a run opens no model and takes less than 20 s
   * even in a slow JVM.
   */
  @Test
  void aRunOverManyRememberedEntriesOpensNothing() throws Exception {
    int count = 2_000;
    for (int i = 0; i < count; i++) {
      entry("topic-" + i % 40, "Entry " + i + " says something of its own. ".repeat(12), i % 8);
    }
    Findings findings = findings();
    AnswerStore answers = new AnswerStore(database);
    Map<AnswerStore.Id, Answer> known = new HashMap<>();
    for (NamedEntry named : findings.entries()) {
      Question question =
          new Question.LabelOf(named.entry().topic(), named.entry().text().content());
      known.put(id(question), new Answer("gotcha", 0.75, "gap", 0.125, false));
    }
    List<Finding.Relation> pairs = findings.relations();
    assertFalse(pairs.isEmpty());
    for (Finding.Relation pair : pairs) {
      String a = pair.a().entry().text().content();
      String b = pair.b().entry().text().content();
      known.put(id(new Question.Compare(a, b)), new Answer("related", 0.75, "same", 0.125, false));
      known.put(
          id(new Question.Overtaken(a, b)), new Answer("valid", 0.75, "outdated", 0.125, false));
    }
    answers.add(known);
    long start = System.nanoTime();
    Judgements judged;
    try (QuestionSession asking = asking(Duration.ZERO, JudgeProgress.SILENT)) {
      judged = new JudgeRun(asking, "golden", findings, vectors).run();
    }
    long millis = (System.nanoTime() - start) / 1_000_000;
    assertEquals(0, opened);
    assertEquals(Map.of(QuestionKind.SUMMARY, 40), judged.left(), "only what was never asked");
    assertEquals(count, judged.guesses().size());
    assertEquals(pairs.size(), judged.verdicts().size());
    // A warm JVM takes a fortieth of this time; scripts/bench judged measures the whole program.
    assertTrue(millis < 20_000, millis + " ms");
  }

  private static AnswerStore.Id id(Question question) {
    return new AnswerStore.Id(
        question.job(),
        question.job().version() + "-" + QuestionPrompts.budget(question.job()),
        "model",
        question.key());
  }

  @Test
  void withoutTimeNothingIsAskedAndAllIsLeft() throws Exception {
    duplicates();
    Judgements judged = run(Duration.ZERO);
    assertEquals(0, opened);
    assertEquals(
        Map.of(QuestionKind.PAIR, 10, QuestionKind.SUMMARY, 3, QuestionKind.LABEL, 5),
        judged.left());
    assertEquals(0, remembered());
  }

  /**
   * In the n-th round, the time ends after n batches. The newest entries are labelled, and the
   * oldest are not.
   */
  @Test
  void theNewestAreAskedFirstAndTheTimeIsKeptToTheBatch() throws Exception {
    int count = 60;
    measurements(count);
    List<NamedEntry> all = findings().entries();
    int before = 0;
    for (int run = 1; ; run++) {
      List<Integer> batches = new ArrayList<>();
      JudgeProgress progress =
          (_, _) ->
              (questions, _) -> {
                batches.add((int) questions);
                clock.addAndGet(1_000_000_000L);
              };
      int left;
      int known;
      try (QuestionSession asking = asking(Duration.ofMillis(1500), progress)) {
        Map<String, Question> labels = JudgeRun.labelQuestions(all);
        left = asking.ask(labels.values());
        Set<String> labelled = asking.answers(labels).keySet();
        known = labelled.size();
        Set<String> newest =
            all.subList(count - known, count).stream()
                .map(NamedEntry::key)
                .collect(Collectors.toSet());
        assertEquals(newest, labelled, "run " + run);
      }
      assertTrue(batches.size() <= 2, "1.5 s are over in the second batch: " + batches);
      assertEquals(before + batches.stream().mapToInt(Integer::intValue).sum(), known);
      assertEquals(count - known, left);
      assertTrue(known > before, "every run gets on");
      before = known;
      if (left == 0) {
        assertTrue(run > 1, "one run must not be enough, or nothing is tested");
        break;
      }
    }
  }

  /** After an interrupt, the earlier answers are saved, and the next run continues from there. */
  @Test
  void anInterruptedRunKeepsItsAnswers() throws Exception {
    measurements(40);
    int[] answered = {0};
    JudgeProgress interrupting =
        (_, _) ->
            (questions, _) -> {
              answered[0] += questions;
              Thread.currentThread().interrupt();
            };
    List<NamedEntry> all = findings().entries();
    try (QuestionSession asking = asking(LONG, interrupting)) {
      assertThrows(
          InterruptedException.class, () -> asking.ask(JudgeRun.labelQuestions(all).values()));
    }
    Thread.interrupted();
    assertTrue(answered[0] > 0 && answered[0] < 40);
    assertEquals(answered[0], remembered());
    int[] then = {0};
    try (QuestionSession asking =
        asking(LONG, (_, _) -> (questions, _) -> then[0] += (int) questions)) {
      assertEquals(0, asking.ask(JudgeRun.labelQuestions(all).values()));
    }
    assertEquals(40 - answered[0], then[0]);
  }

  /** If the process is killed, only the answers of the current batch are lost. */
  @Test
  void whileABatchIsAskedAllAnswersBeforeItAreOnDisk() throws Exception {
    measurements(60);
    int[] counted = {0};
    Set<Integer> seen = new HashSet<>();
    try (QuestionSession asking =
        asking(
            LONG,
            (_, _) -> (questions, _) -> counted[0] += (int) questions,
            () -> { // called repeatedly within each pass
              assertEquals(counted[0], remembered());
              seen.add(counted[0]);
              return false;
            })) {
      assertEquals(0, asking.ask(JudgeRun.labelQuestions(findings().entries()).values()));
    }
    assertEquals(60, remembered());
    assertTrue(seen.size() > 1, "one batch took them all, and nothing was tested");
  }

  /** The first label among an entry's own tags takes precedence over the guess. */
  @Test
  void tagsKeepTheirLabel() throws Exception {
    entry("ops", "[tags: draft, gotcha]\nMeasured: the embedder spends 8 tokens per second.", 0);
    entry("ops", "[tags: performance]\nMeasured: the embedder spends 9 tokens per second.", 1);
    entry("ops", "Measured: the embedder spends 7 tokens per second.", 2);
    Judgements judged = run(LONG);
    List<NamedEntry> all = findings().entries();
    assertEquals(Label.GOTCHA, judged.label(all.get(0)).orElseThrow());
    assertEquals(Label.PERFORMANCE, judged.label(all.get(1)).orElseThrow());
    assertEquals(3, judged.guesses().size());
  }

  /**
   * Returns the merges that a run proposes if the model merges two entries to the text {@code
   * said}.
   */
  private List<Judgements.Merge> mergesWhere(String said, boolean cut) throws Exception {
    TestDatabase.change(database, "DELETE FROM answer");
    Finding.Relation pair = findings().relations().getFirst();
    String a = pair.a().entry().text().content();
    String b = pair.b().entry().text().content();
    new AnswerStore(database)
        .add(
            Map.of(
                id(new Question.Compare(a, b)),
                new Answer("same", 0.9, "related", 0.1, false),
                id(new Question.Merge(List.of(a, b))),
                Answer.free(said, cut)));
    Judgements judged = run(Duration.ZERO);
    assertFalse(
        judged.left().containsKey(QuestionKind.MERGE), "the answer is known, whatever it is worth");
    return judged.merges();
  }

  @Test
  void onlyATextThatCouldStandForTheEntriesIsProposed() throws Exception {
    duplicates();
    String good =
        "After trying both, the team agreed: the worker replaces the session, since it works"
            + " offline.";
    List<Judgements.Merge> merges = mergesWhere("Merged entry: \"" + good + "\"", false);
    assertEquals(List.of(good), merges.stream().map(Judgements.Merge::text).toList());
    assertEquals(findings().relations().getFirst().a(), merges.getFirst().entries().getFirst());
    assertEquals(List.of(), mergesWhere(good, true), "the model has read a part only");
    for (String nonsense :
        List.of("", "different", good + " " + good, "The worker worked for 3 hours offline.")) {
      assertEquals(List.of(), mergesWhere(nonsense, false), nonsense);
    }
    inFiles("a.md", "b.md");
    assertEquals(1, mergesWhere(good, false).size());
    inFiles("CLAUDE.md", "AGENTS.md");
    assertEquals(List.of(), mergesWhere(good, false), "each agent would lose its text");
  }

  private void inFiles(String one, String other) {
    for (int i : List.of(0, 2)) {
      String body = "[source: " + (i == 0 ? one : other) + "]\n" + entries.get(i).text().content();
      entries.set(i, Entry.of(entries.get(i).offset(), "./", body, 0));
    }
  }

  @Test
  void aSummaryThatGoesInCirclesIsNotShown() throws Exception {
    entry("ops", "Measured: the embedder spends 8 tokens per second per page.", 0);
    String content = entries.getFirst().text().content();
    Question question = new Question.Summarise("ops", List.of(content));
    for (String said :
        List.of("The embedder is slow.", "The" + " mapper".repeat(20) + " …", "很慢".repeat(30))) {
      TestDatabase.change(database, "DELETE FROM answer");
      new AnswerStore(database).add(Map.of(id(question), Answer.free(said, false)));
      Judgements judged = run(Duration.ZERO);
      boolean sound = said.endsWith("slow.");
      assertEquals(sound ? Map.of("ops", said) : Map.of(), judged.summaries());
      assertFalse(judged.left().containsKey(QuestionKind.SUMMARY), "it would say the same again");
    }
  }

  private static Finding.Relation pair(String id, NamedEntry a, NamedEntry b) {
    return NearestPair.of(id, a, b, 1, 1);
  }

  @Test
  void sameAsTheSameIsTheSame() {
    for (int i = 0; i < 5; i++) {
      entry("a", "entry " + i, 0);
    }
    List<NamedEntry> all = findings().entries();
    List<Finding.Relation> pairs =
        List.of(
            pair("1", all.get(3), all.get(4)),
            pair("2", all.get(1), all.get(2)),
            pair("3", all.get(0), all.get(2)));
    assertEquals(
        List.of(List.of(all.get(3), all.get(4)), all.subList(0, 3)), JudgedRelations.joined(pairs));
  }

  @Test
  void whatThePairJudgeIsUnsureOfIsAskedFirst() throws Exception {
    for (int i = 0; i < 3; i++) {
      entry("a", "note " + i, 0);
    }
    List<Finding.Relation> relations = findings().relations();
    double[] acts = {0.95, 0.1, 0.55};
    List<Finding.Relation> assessed = new ArrayList<>();
    for (int i = 0; i < acts.length; i++) {
      assessed.add(
          relations
              .get(i)
              .assessed(
                  new Finding.Assessment(
                      acts[i], 0, 0, 0, Finding.Tier.RELATED, Optional.empty(), false)));
    }
    TruthfulOracle oracle =
        new TruthfulOracle(
            question -> {
              List<String> choices = question.job().choices();
              return choices.isEmpty()
                  ? Answer.free("words", false)
                  : new Answer(choices.getLast(), 0.9, choices.getFirst(), 0.1, false);
            });
    try (QuestionSession asking = asking(oracle, LONG)) {
      new JudgeRun(asking, "truth", findings().with(assessed), vectors).run();
    }
    assertEquals(
        Stream.of(2, 1, 0).map(assessed::get).map(JudgeRunTest::texts).toList(),
        oracle.asked.stream()
            .filter(Question.Compare.class::isInstance)
            .map(Question.Compare.class::cast)
            .map(asked -> Set.of(asked.a(), asked.b()))
            .distinct()
            .toList());
  }

  private static Set<String> texts(Finding.Relation pair) {
    return Set.of(pair.a().entry().text().content(), pair.b().entry().text().content());
  }
}
