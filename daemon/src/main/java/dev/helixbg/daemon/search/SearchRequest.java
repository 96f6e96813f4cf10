package dev.helixbg.daemon.search;

import dev.helixbg.daemon.terminal.Failure;
import java.util.Optional;

/**
 * A search in one KB, for a text, by meaning and words.
 *
 * @param topic topic to search in, in the KB's own spelling; empty for all topics
 * @param from number of best hits to skip
 */
public record SearchRequest(String text, Optional<String> topic, int from, int limit) {
  /** Maximum length of a text, in characters. */
  public static final int MAX_TEXT = 8_000;

  public static final int MAX_HITS = 100;

  public static final int MAX_FROM = 10_000;

  /** Throws a {@link Failure} when a number or the text is out of bounds. */
  public SearchRequest {
    checkLimit(limit);
    if (from < 0 || from > MAX_FROM) {
      throw Failure.usage("offset must be from 0 to %,d".formatted(MAX_FROM));
    }
    checkText("the text", text);
  }

  /** Returns the text; fails if it is blank or too long. The error calls it {@code name}. */
  public static String checkText(String name, String text) {
    if (text.isBlank() || text.length() > MAX_TEXT) {
      throw Failure.usage("%s must have 1 to %,d characters".formatted(name, MAX_TEXT));
    }
    return text;
  }

  public static int checkLimit(int limit) {
    if (limit < 1 || limit > MAX_HITS) {
      throw Failure.usage("limit must be from 1 to " + MAX_HITS);
    }
    return limit;
  }

  /** Returns a search for the best hits of all topics. */
  public static SearchRequest best(String text, int limit) {
    return new SearchRequest(text, Optional.empty(), 0, limit);
  }
}
