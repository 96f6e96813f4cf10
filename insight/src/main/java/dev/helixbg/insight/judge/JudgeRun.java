package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Has a model judge what the vectors proposed: verdicts on pairs, a sentence per topic, merged
 * texts for what is said twice, a label per entry.
 *
 * <p>In that order: the last is by far the most, and the others are what a reader looks at first.
 * In each job what is newest is asked first, so that a run whose time ends leaves the oldest for
 * the next.
 */
public final class JudgeRun {
  /** Entries that speak for their topic. */
  private static final int CENTRAL_ENTRIES = 4;

  /** More are a topic, not one fact. */
  private static final int MAX_MERGED = 6;

  private final Asking asking;
  private final String modelName;
  private final Findings findings;
  private final List<float[]> vectors;
  private final Map<Job, Integer> left = new EnumMap<>(Job.class);
  private int cut;

  /**
   * @param vectors of the entries, in their order
   */
  public JudgeRun(Asking asking, String modelName, Findings findings, List<float[]> vectors) {
    this.asking = asking;
    this.modelName = modelName;
    this.findings = findings;
    this.vectors = vectors;
  }

  /**
   * @return without guesses for the entries that the model has not read
   * @throws InterruptedException when interrupted; all answers until then are saved
   */
  public Judgements run() throws InterruptedException, IOException {
    Map<String, PairVerdict> verdicts = verdicts();
    Map<String, String> summaries = summaries();
    List<Judgements.Merge> merges = merges(verdicts);
    Map<String, Guess> guesses = labels();
    asking.forgetOthers();
    return new Judgements(
        Optional.of(modelName), guesses, verdicts, summaries, merges, Map.copyOf(left), cut);
  }

  private Map<String, Guess> labels() throws InterruptedException, IOException {
    LabelRun run = new LabelRun(asking, findings.entries());
    int unanswered = run.ask();
    if (unanswered > 0) {
      left.put(Job.LABEL, unanswered);
    }
    Map<String, Guess> guesses = run.guesses();
    cut += (int) guesses.values().stream().filter(Guess::cut).count();
    return guesses;
  }

  private static Question compare(Finding.Pair pair) {
    return new Question.Compare(
        pair.a().entry().text().content(), pair.b().entry().text().content());
  }

  private Map<String, PairVerdict> verdicts() throws InterruptedException, IOException {
    List<Finding.Pair> pairs =
        allPairs().sorted(Comparator.comparingLong(JudgeRun::newest).reversed()).toList();
    ask(Job.PAIR, pairs.stream().map(JudgeRun::compare).toList());
    Map<String, PairVerdict> verdicts = new HashMap<>();
    for (Finding.Pair pair : pairs) {
      known(compare(pair)).ifPresent(answer -> verdicts.put(pair.id(), PairVerdict.of(answer)));
    }
    return verdicts;
  }

  private Stream<Finding.Pair> allPairs() {
    return Stream.concat(findings.nearDuplicates().stream(), findings.crossLinks().stream());
  }

  private static long newest(Finding.Pair pair) {
    return Math.max(pair.a().entry().offset(), pair.b().entry().offset());
  }

  private Map<String, String> summaries() throws InterruptedException, IOException {
    Map<String, List<Integer>> topics = new LinkedHashMap<>();
    List<NamedEntry> entries = findings.entries();
    for (int i = entries.size() - 1; i >= 0; i--) {
      topics.computeIfAbsent(entries.get(i).entry().topic(), topic -> new ArrayList<>()).add(i);
    }
    Map<String, Question> questions = new LinkedHashMap<>();
    topics.forEach(
        (topic, members) ->
            questions.put(topic, new Question.Summarise(topic, centralContents(members))));
    ask(Job.SUMMARY, List.copyOf(questions.values()));
    Map<String, String> summaries = new HashMap<>();
    questions.forEach(
        (topic, question) ->
            known(question)
                .filter(answer -> Words.loops(answer.text()).isEmpty())
                .ifPresent(answer -> summaries.put(topic, answer.text())));
    return summaries;
  }

  /** Of the entries nearest to the middle of their topic, nearest first; equals by key. */
  private List<String> centralContents(List<Integer> members) {
    double[] middle = new double[vectors.get(members.getFirst()).length];
    for (int member : members) {
      float[] vector = vectors.get(member);
      for (int k = 0; k < middle.length; k++) {
        middle[k] += vector[k];
      }
    }
    Map<Integer, Double> nearness = new HashMap<>();
    members.forEach(member -> nearness.put(member, dot(middle, vectors.get(member))));
    return members.stream()
        .sorted(
            Comparator.comparingDouble((Integer member) -> -nearness.get(member))
                .thenComparing(member -> findings.entries().get(member).key()))
        .map(member -> findings.entries().get(member).entry().text().content())
        .distinct()
        .limit(CENTRAL_ENTRIES)
        .toList();
  }

  private static double dot(double[] a, float[] b) {
    double sum = 0;
    for (int k = 0; k < a.length; k++) {
      sum += a[k] * b[k];
    }
    return sum;
  }

  private List<Judgements.Merge> merges(Map<String, PairVerdict> verdicts)
      throws InterruptedException, IOException {
    List<List<NamedEntry>> groups = new ArrayList<>();
    List<Finding.Pair> same =
        allPairs()
            .filter(pair -> verdicts.containsKey(pair.id()))
            .filter(pair -> verdicts.get(pair.id()).verdict() == Verdict.SAME)
            .toList();
    for (List<NamedEntry> group : SameGroups.of(same)) {
      long texts = group.stream().map(one -> one.entry().text().content()).distinct().count();
      if (texts > 1 && group.size() <= MAX_MERGED) {
        groups.add(group);
      }
    }
    List<List<NamedEntry>> newestFirst =
        groups.stream()
            .sorted(Comparator.comparingLong((List<NamedEntry> g) -> -g.getLast().entry().offset()))
            .toList();
    ask(Job.MERGE, newestFirst.stream().map(JudgeRun::merge).toList());
    List<Judgements.Merge> merges = new ArrayList<>();
    for (List<NamedEntry> group : groups) {
      // Of a text that the model has not read to its end, it cannot keep every detail.
      asking
          .find(merge(group))
          .filter(answer -> !answer.cut())
          .flatMap(answer -> ProposedText.of(answer.text(), contents(group)))
          .ifPresent(text -> merges.add(new Judgements.Merge(mergeId(group), group, text)));
    }
    return merges;
  }

  private static Question merge(List<NamedEntry> group) {
    return new Question.Merge(contents(group));
  }

  private static List<String> contents(List<NamedEntry> group) {
    return group.stream().map(one -> one.entry().text().content()).distinct().toList();
  }

  private static String mergeId(List<NamedEntry> group) {
    List<String> keys = group.stream().map(NamedEntry::key).sorted().toList();
    return "merge-" + Sha256.of(keys).substring(0, 10);
  }

  private void ask(Job job, List<? extends Question> questions)
      throws InterruptedException, IOException {
    int unanswered = questions.isEmpty() ? 0 : asking.ask(questions);
    if (unanswered > 0) {
      left.put(job, unanswered);
    }
  }

  private Optional<Answer> known(Question question) {
    Optional<Answer> answer = asking.find(question);
    if (answer.isPresent() && answer.get().cut()) {
      cut++;
    }
    return answer;
  }
}
