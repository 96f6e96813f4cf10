package dev.helixbg.insight.report;

import java.util.ArrayList;
import java.util.List;

/**
 * Parts that a report is still without, because they take long. A reader has something worth
 * reading at once, and is told that the whole report is to come.
 *
 * @param unread older entries that have no vector yet, which the report is without
 * @param entries long ones of which only a part was read
 * @param passages of them that have no vector yet; what is similar in them is not found
 * @param pairs that the pair judge has not read yet
 * @param questions that the language model has not been asked yet
 */
public record FirstLook(int unread, int entries, int passages, int pairs, int questions) {

  /** For people, in a sentence or two. */
  public String words() {
    List<String> toCome = new ArrayList<>();
    if (unread > 0) {
      toCome.add(NumberWords.count(unread, "older entry", "older entries"));
    }
    if (passages > 0) {
      toCome.add(
          NumberWords.count(passages, "passage", "passages")
              + " of "
              + NumberWords.count(entries, "long entry", "long entries")
              + " to be read");
    }
    if (pairs > 0) {
      toCome.add(NumberWords.count(pairs, "pair", "pairs") + " to be read together");
    }
    if (questions > 0) {
      toCome.add(NumberWords.count(questions, "question", "questions") + " to the language model");
    }
    return "This is a first look"
        + (unread > 0 ? " at the newest entries" : "")
        + ". Still to come: "
        + String.join(", and ", toCome)
        + ". The run that wrote it goes on, and so does the next one where that was ended.";
  }
}
