package dev.helixbg.insight.findings;

import java.util.regex.Pattern;

/**
 * Tells notes of something that went wrong, or was decided, from plain facts: by words of failure,
 * remedy, rule and decision, English ones only. Two facts about one tool are no pattern, however
 * alike they sound.
 */
final class LessonWords {
  private static final Pattern LESSON =
      Pattern.compile(
          "\\b(never|always|must(?: not| have)?|twice|two times|three times|lost|loses?|fail(?:s|ed"
              + "|ure)?|wrong|wrongly|broken?|down|hung|hangs?|stuck|blocked|blocks|overwr\\w+"
              + "|clobber\\w*|vanish\\w*|unread|nobody|mistake|instead|bug|fix(?:ed)?|crash\\w*"
              + "|died|dies|expired|ran out|missing|silent\\w*|agreed|decided|decision|do not|don't"
              + "|not rely|no longer|since then|from now on|reject\\w*|refus\\w*|stale|slow"
              + "|duplicate\\w*|absurd|unsorted|leak\\w*|outage|incident|restore|cause|reason"
              + "|because|trap|careful|beware|forgot\\w*|unnoticed|only on)\\b",
          Pattern.CASE_INSENSITIVE);

  private LessonWords() {}

  /** Whether one of them is in a text. */
  static boolean areIn(String text) {
    return LESSON.matcher(text).find();
  }
}
