package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Has topics that overlap compared, the closest, by the entry that speaks most for each. */
public final class OverlapRun {
  /** Overlaps that are asked about. */
  public static final int MOST = 20;

  private final QuestionSession asking;

  /** By the id of the overlap. */
  private final Map<String, Question> questions = new LinkedHashMap<>();

  /**
   * @param overlaps closest first
   */
  public OverlapRun(
      QuestionSession asking, List<Finding.TopicOverlap> overlaps, CentralEntries topics) {
    this.asking = asking;
    overlaps.stream()
        .limit(MOST)
        .forEach(overlap -> questions.put(overlap.id(), topics.compare(overlap.a(), overlap.b())));
  }

  /**
   * Asks what is not remembered.
   *
   * @return how many are still unanswered because the time is over
   */
  public int ask() throws InterruptedException {
    return asking.ask(List.copyOf(questions.values()));
  }

  /** Whether topics are about the same, by the id of their overlap: what is known by now. */
  public Map<String, Verdict> verdicts() {
    Map<String, Verdict> verdicts = new HashMap<>();
    asking
        .answers(questions)
        .forEach((id, answer) -> verdicts.put(id, Verdict.titled(answer.text()).orElseThrow()));
    return verdicts;
  }
}
