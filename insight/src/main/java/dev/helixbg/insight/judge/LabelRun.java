package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Has every entry labelled, the newest first. Entries of the same text share one answer. */
public final class LabelRun {
  private final QuestionSession asking;
  private final LabelGuess.Origin origin;

  /** By the key of an entry. */
  private final Map<String, Question> questions = new LinkedHashMap<>();

  /**
   * @param entries by rising offset
   */
  public LabelRun(QuestionSession asking, List<NamedEntry> entries) {
    this(asking, entries, LabelGuess.Origin.MODEL);
  }

  /**
   * The same.
   *
   * @param origin of the answers
   */
  public LabelRun(QuestionSession asking, List<NamedEntry> entries, LabelGuess.Origin origin) {
    this.asking = asking;
    this.origin = origin;
    for (NamedEntry named : entries.reversed()) {
      questions.putIfAbsent(
          named.key(), new Question.LabelOf(named.entry().topic(), named.entry().text().content()));
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

  /** Returns the guesses known by now, by the key of an entry. */
  public Map<String, LabelGuess> guesses() {
    Map<String, LabelGuess> guesses = new HashMap<>();
    asking.answers(questions).forEach((key, answer) -> guesses.put(key, guess(answer)));
    return guesses;
  }

  private LabelGuess guess(Answer answer) {
    return new LabelGuess(
        origin, Label.titled(answer.text()).orElseThrow(), answer.probability(), true);
  }
}
