package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Asks a model for its verdicts on pairs of entries, in order. The first question is whether both
 * entries say the same, are related, or have nothing in common. In the first two cases, the second
 * question is whether the older entry is still valid. Pairs with the same texts share answers.
 */
public final class VerdictRun {
  /** Number of pairs whose first questions are asked before their second questions. */
  private static final int BLOCK = 32;

  private final QuestionSession asking;

  private final Map<String, Question.Compare> asked = new LinkedHashMap<>();

  private final Map<Question, Question.Overtaken> second = new HashMap<>();

  public VerdictRun(QuestionSession asking, List<Finding.Relation> pairs) {
    this(asking);
    pairs.forEach(this::add);
  }

  VerdictRun(QuestionSession asking) {
    this.asking = asking;
  }

  void add(String id, Question.Compare pair, Question.Overtaken holds) {
    asked.put(id, pair);
    second.putIfAbsent(pair, holds);
  }

  private void add(Finding.Relation pair) {
    Question.Match match =
        pair.evidence()
            .matching()
            .map(found -> new Question.Match(found.a().start(), found.b().start()))
            .orElse(Question.Match.NONE);
    boolean aIsOlder = pair.a().isOlderThan(pair.b());
    String a = pair.a().content();
    String b = pair.b().content();
    add(
        pair.id(),
        new Question.Compare(a, b, match),
        aIsOlder
            ? new Question.Overtaken(a, b, match)
            : new Question.Overtaken(b, a, match.swapped()));
  }

  /** Asks about the first {@code first} pairs. Returns the number of pairs that lack an answer. */
  public int ask(int first) throws InterruptedException {
    return asking.ask(asked.values().stream().limit(first).toList(), this::next, BLOCK);
  }

  private Optional<Question> next(Question pair) {
    Question.Overtaken holds = second.get(pair);
    return asking
        .find(pair)
        .filter(answer -> !answer.text().equals(Verdict.DIFFERENT.title()))
        .filter(answer -> !holds.older().equals(holds.newer()))
        .map(answer -> holds);
  }

  /** Returns the verdicts known so far, by the id of a pair. */
  public Map<String, PairVerdict> verdicts() {
    Map<String, PairVerdict> verdicts = new HashMap<>();
    asked.forEach(
        (id, pair) ->
            asking
                .find(pair)
                .map(said -> PairVerdict.of(pair, said, next(pair).flatMap(asking::find)))
                .ifPresent(verdict -> verdicts.put(id, verdict)));
    return verdicts;
  }
}
