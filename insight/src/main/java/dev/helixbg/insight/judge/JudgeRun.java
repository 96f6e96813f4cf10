package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.LabelGuess;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Has a model judge what the vectors proposed: verdicts on pairs, a sentence per topic, merged
 * texts for what is said twice, a label per entry.
 *
 * <p>What a reader looks at first is asked first: the pairs in the order of the list of relations,
 * those that the report shows before anything else; labels last, which are by far the most. Of
 * topics, merges and labels the newest come first. A run whose time ends leaves the rest for the
 * next.
 */
public final class JudgeRun {
  /** More are a topic, not one fact. */
  private static final int MAX_MERGED = 6;

  /** Pairs that are asked about before topics are. */
  private static final int FIRST_PAIRS = 200;

  private final QuestionSession asking;
  private final String modelName;
  private final Findings findings;
  private final CentralEntries topics;
  private final Map<QuestionKind, Integer> left = new EnumMap<>(QuestionKind.class);

  /**
   * @param vectors of the entries, in their order
   */
  public JudgeRun(
      QuestionSession asking, String modelName, Findings findings, List<float[]> vectors) {
    this.asking = asking;
    this.modelName = modelName;
    this.findings = findings;
    topics = new CentralEntries(findings.entries(), vectors::get);
  }

  /**
   * @return without guesses for the entries that the model has not read
   * @throws InterruptedException when interrupted; all answers until then are saved
   */
  public Judgements run() throws InterruptedException {
    VerdictRun pairs = new VerdictRun(asking, pairs());
    pairs.ask(FIRST_PAIRS);
    Map<String, String> summaries = summaries();
    note(QuestionKind.PAIR, pairs.ask(Integer.MAX_VALUE));
    Map<String, PairVerdict> verdicts = pairs.verdicts();
    List<Judgements.Merge> merges = merges(verdicts);
    Map<String, LabelGuess> guesses = labels();
    return new Judgements(
        Optional.of(modelName),
        guesses,
        verdicts,
        summaries,
        merges,
        Map.copyOf(left),
        Optional.empty());
  }

  /**
   * Relations, those first of which the pair judge is least sure whether they are worth an act, and
   * those that it has not read behind them in their order.
   */
  private List<Finding.Relation> pairs() {
    List<Finding.Relation> pairs = new ArrayList<>(findings.relations());
    pairs.sort(Comparator.comparingDouble(JudgeRun::sureness));
    return pairs;
  }

  private static double sureness(Finding.Relation pair) {
    return pair.assessment().map(said -> Math.abs(said.act() - 0.5)).orElse(1.0);
  }

  private Map<String, LabelGuess> labels() throws InterruptedException {
    LabelRun run = new LabelRun(asking, findings.entries());
    note(QuestionKind.LABEL, run.ask());
    Map<String, LabelGuess> guesses = run.guesses();
    return guesses;
  }

  private Map<String, String> summaries() throws InterruptedException {
    SummaryRun run = new SummaryRun(asking, topics);
    note(QuestionKind.SUMMARY, run.ask());
    return run.summaries();
  }

  private List<Judgements.Merge> merges(Map<String, PairVerdict> verdicts)
      throws InterruptedException {
    List<List<NamedEntry>> groups = new ArrayList<>();
    List<Finding.Relation> same =
        pairs().stream()
            .filter(pair -> verdicts.containsKey(pair.id()))
            .filter(pair -> verdicts.get(pair.id()).verdict() == Verdict.SAME)
            .toList();
    for (List<NamedEntry> group : MergeGroups.of(same)) {
      long texts = group.stream().map(one -> one.entry().text().content()).distinct().count();
      if (texts > 1 && group.size() <= MAX_MERGED) {
        groups.add(group);
      }
    }
    List<List<NamedEntry>> newestFirst =
        groups.stream()
            .sorted(Comparator.comparingLong((List<NamedEntry> g) -> -g.getLast().entry().offset()))
            .toList();
    note(QuestionKind.MERGE, asking.ask(newestFirst.stream().map(JudgeRun::merge).toList()));
    List<Judgements.Merge> merges = new ArrayList<>();
    for (List<NamedEntry> group : groups) {
      // The model cannot keep every detail of a text that it has not read to its end.
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

  private void note(QuestionKind job, int unanswered) {
    if (unanswered > 0) {
      left.put(job, unanswered);
    }
  }
}
