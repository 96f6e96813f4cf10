package dev.helixbg.insight.judge;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Has every topic put into a sentence, those written to last first. */
public final class SummaryRun {
  /** Entries that speak for their topic. */
  private static final int CENTRAL_ENTRIES = 4;

  private final QuestionSession asking;

  /** Entries by topic. */
  private final Map<String, Question> questions = new LinkedHashMap<>();

  public SummaryRun(QuestionSession asking, CentralEntries topics) {
    this.asking = asking;
    for (String topic : topics.topics()) {
      questions.put(topic, new Question.Summarise(topic, topics.contents(topic, CENTRAL_ENTRIES)));
    }
  }

  /**
   * Asks what is not remembered.
   *
   * @return how many are still unanswered because the time is over
   */
  public int ask() throws InterruptedException {
    return asking.ask(List.copyOf(questions.values()));
  }

  /** Gives the sentences that are known by now, by topic. */
  public Map<String, String> summaries() {
    Map<String, String> summaries = new HashMap<>();
    asking.answers(questions).forEach((topic, answer) -> summaries.put(topic, answer.text()));
    summaries.values().removeIf(text -> !isSound(text));
    return summaries;
  }

  /** Whether a sentence does not go round in circles. */
  public static boolean isSound(String sentence) {
    return WordRepetition.loops(sentence).isEmpty();
  }
}
