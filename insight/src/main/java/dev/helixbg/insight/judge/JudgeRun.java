package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.insight.notes.Scope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks a model for a verdict on each pair, a sentence on each topic, one text for each group of
 * entries that say the same (a merge), and a label for each entry.
 *
 * <p>Questions about the first {@value #FIRST_PAIRS} pairs come first. Then come topics, the
 * remaining pairs, merges, and labels, which are the most numerous. Pairs are ordered by the doubt
 * of the pair judges, the most doubtful first. All other questions are ordered by the age of their
 * entries, the newest entry first. If the time of a run is too short, the next run asks the
 * remaining questions.
 */
public final class JudgeRun {
  /**
   * Maximum number of entries in a merged group. The entries of a larger group share a topic rather
   * than one fact.
   */
  private static final int MAX_MERGED = 6;

  /** Number of pairs about which the model is asked before it is asked about topics. */
  private static final int FIRST_PAIRS = 200;

  private static final int CENTRAL_ENTRIES = 4;

  private final QuestionSession asking;
  private final String modelName;
  private final Findings findings;
  private final CentralEntries topics;
  private final Map<QuestionKind, Integer> left = new EnumMap<>(QuestionKind.class);

  /** {@code vectors} must be in the order of the entries. */
  public JudgeRun(
      QuestionSession asking, String modelName, Findings findings, List<float[]> vectors) {
    this.asking = asking;
    this.modelName = modelName;
    this.findings = findings;
    topics = new CentralEntries(findings.entries(), vectors::get);
  }

  /** Asks all questions. If the thread is interrupted, all earlier answers are saved. */
  public Judgements run() throws InterruptedException {
    VerdictRun pairs = new VerdictRun(asking, pairs());
    pairs.ask(FIRST_PAIRS);
    Map<String, String> summaries = summaries();
    note(QuestionKind.PAIR, pairs.ask(Integer.MAX_VALUE));
    Map<String, PairVerdict> verdicts = pairs.verdicts();
    List<Judgements.Merge> merges = merges(verdicts);
    Map<String, LabelGuess> guesses = labels(LabelGuess.Origin.MODEL);
    return new Judgements(
        Optional.of(modelName), guesses, verdicts, summaries, merges, Map.copyOf(left));
  }

  private List<Finding.Relation> pairs() {
    return findings.relations().stream()
        .sorted(
            Comparator.comparingDouble(
                pair -> pair.assessment().map(said -> Math.abs(said.act() - 0.5)).orElse(1.0)))
        .toList();
  }

  /** Asks for the label of every entry; returns the known labels by the key of the entry. */
  public Map<String, LabelGuess> labels(LabelGuess.Origin origin) throws InterruptedException {
    Map<String, Question> questions = labelQuestions(findings.entries());
    note(QuestionKind.LABEL, asking.ask(questions.values()));
    Map<String, LabelGuess> guesses = new HashMap<>();
    for (Map.Entry<String, Answer> one : asking.answers(questions).entrySet()) {
      Label label = Label.titled(one.getValue().text()).orElseThrow();
      double probability = one.getValue().probability();
      guesses.put(one.getKey(), new LabelGuess(origin, label, probability, true));
    }
    return guesses;
  }

  /**
   * Returns the question about each entry's label, by the entry's key; the newest entry is first.
   * {@code entries} must be ordered by offset.
   */
  public static Map<String, Question> labelQuestions(List<NamedEntry> entries) {
    Map<String, Question> questions = new LinkedHashMap<>();
    for (NamedEntry named : entries.reversed()) {
      questions.putIfAbsent(named.key(), new Question.LabelOf(named.topic(), named.content()));
    }
    return questions;
  }

  /** Asks for a sentence on every topic; returns the known sentences by topic. */
  public Map<String, String> summaries() throws InterruptedException {
    Map<String, Question> questions = summaryQuestions(topics);
    note(QuestionKind.SUMMARY, asking.ask(questions.values()));
    Map<String, String> summaries = new HashMap<>();
    asking.answers(questions).forEach((topic, answer) -> summaries.put(topic, answer.text()));
    summaries.values().removeIf(text -> !WordRepetition.loops(text).isEmpty());
    return summaries;
  }

  /** Returns the question on each topic; the topic with the newest entry is first. */
  public static Map<String, Question> summaryQuestions(CentralEntries topics) {
    Map<String, Question> questions = new LinkedHashMap<>();
    for (String topic : topics.topics()) {
      questions.put(topic, new Question.Summarise(topic, topics.contents(topic, CENTRAL_ENTRIES)));
    }
    return questions;
  }

  private List<Judgements.Merge> merges(Map<String, PairVerdict> verdicts)
      throws InterruptedException {
    List<Finding.Relation> same =
        pairs().stream()
            .filter(pair -> verdicts.containsKey(pair.id()))
            .filter(pair -> verdicts.get(pair.id()).verdict() == Verdict.SAME)
            .filter(pair -> Scope.areOne(pair.a().entry(), pair.b().entry()))
            .toList();
    List<List<NamedEntry>> groups =
        JudgedRelations.joined(same).stream()
            .filter(group -> group.size() <= MAX_MERGED && contents(group).size() > 1)
            .toList();
    List<List<NamedEntry>> newestFirst =
        groups.stream()
            .sorted(Comparator.comparingLong((List<NamedEntry> g) -> -g.getLast().entry().offset()))
            .toList();
    note(QuestionKind.MERGE, asking.ask(newestFirst.stream().map(JudgeRun::merge).toList()));
    List<Judgements.Merge> merges = new ArrayList<>();
    for (List<NamedEntry> group : groups) {
      // A merge must keep every detail, which is impossible for a model that did not read a text to
      // its end.
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
    return group.stream().map(one -> one.content()).distinct().toList();
  }

  private static String mergeId(List<NamedEntry> group) {
    List<String> keys = group.stream().map(NamedEntry::key).sorted().toList();
    return "merge-" + Sha256.of(keys).substring(0, 10);
  }

  private void note(QuestionKind job, int unanswered) {
    if (unanswered > 0) {
      left.put(job, unanswered);
    }
  }
}
