package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * Who has which label, and how far guesses agree with the tags that helix's users wrote.
 *
 * @param entries by label, in the order of the log
 * @param tagged entries with a tag that is a label, and a guess to compare
 * @param agreeing of those, where the guess is one of the tags
 * @param byModel entries whose guess is the language model's
 * @param byAgent entries whose guess is a coding agent's
 * @param byClassifier entries whose guess is the classifier's
 * @param disagreements where a tag says otherwise than a sure guess, in the order of the log
 */
public record LabelCounts(
    Map<Label, List<NamedEntry>> entries,
    int tagged,
    int agreeing,
    int byModel,
    int byAgent,
    int byClassifier,
    List<NamedEntry> disagreements) {

  /** Counts the labels of live entries. */
  public static LabelCounts of(List<NamedEntry> live, Judgements judgements) {
    Map<Label, List<NamedEntry>> entries = new EnumMap<>(Label.class);
    List<NamedEntry> disagreements = new ArrayList<>();
    int tagged = 0;
    int agreeing = 0;
    int byModel = 0;
    int byAgent = 0;
    int byClassifier = 0;
    for (NamedEntry named : live) {
      judgements
          .label(named)
          .ifPresent(label -> entries.computeIfAbsent(label, l -> new ArrayList<>()).add(named));
      LabelGuess guess = judgements.guesses().get(named.key());
      List<Label> tags = Label.among(named.entry().text().tags());
      if (guess == null) {
        continue;
      }
      switch (guess.origin()) {
        case MODEL -> byModel++;
        case AGENT -> byAgent++;
        case CLASSIFIER -> byClassifier++;
      }
      if (!tags.isEmpty()) {
        tagged++;
        if (tags.contains(guess.label())) {
          agreeing++;
        } else if (guess.sure()) {
          disagreements.add(named);
        }
      }
    }
    return new LabelCounts(
        entries, tagged, agreeing, byModel, byAgent, byClassifier, disagreements);
  }
}
