package dev.helixbg.insight.report;

import java.util.ArrayList;
import java.util.List;

/**
 * What is missing in a first look, an early report that a run writes before it has read everything.
 *
 * @param unread number of older entries that the report leaves out, because they have no vector yet
 * @param entries number of long entries of which only a part was read
 * @param passages number of passages without a vector in those entries
 * @param pairs number of pairs that no pair judge has read yet
 * @param questions number of questions that the language model has not answered yet
 */
public record FirstLook(int unread, int entries, int passages, int pairs, int questions) {

  public String words() {
    List<String> toCome = new ArrayList<>();
    NumberWords.addCount(toCome, unread, "older entry", "older entries");
    if (passages > 0) {
      String of = NumberWords.count(entries, "long entry", "long entries");
      toCome.add(NumberWords.count(passages, "passage", "passages") + " of " + of + " to be read");
    }
    NumberWords.addCount(toCome, pairs, "pair to be read together", "pairs to be read together");
    NumberWords.addCount(
        toCome, questions, "question to the language model", "questions to the language model");
    return ("This is a first look%s. Still to come: %s. The run that wrote this report is still at"
            + " work; if that run was stopped, the next run does the rest.")
        .formatted(unread > 0 ? " at the newest entries" : "", String.join(", and ", toCome));
  }
}
