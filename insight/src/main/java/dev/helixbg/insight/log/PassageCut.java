package dev.helixbg.insight.log;

import java.util.ArrayList;
import java.util.List;

/**
 * Cuts long entries into passages, if possible at ends of sentences and lines. Tokens are estimated
 * from characters, at 0.83 to 1.3 times the true number, so that a run with nothing new to embed
 * loads no tokenizer.
 */
final class PassageCut {
  /** Number of tokens of a passage. In larger ones, facts near the end are found less often. */
  private static final int WINDOW = 64;

  /** Approximate number of tokens that a passage shares with the previous passage. */
  private static final int OVERLAP = 16;

  /** Maximum number of tokens between two possible cuts. */
  private static final int LONGEST_PIECE = 16;

  private static final int LONG_WORD = 12;

  private final String text;

  /** Possible cuts in rising order; the first is at 0. */
  private final List<Place> places = new ArrayList<>();

  /** A possible cut, the estimated tokens before it, and whether a sentence or line ends there. */
  private record Place(int at, int tokens, boolean isEnd) {}

  private PassageCut(String text, int most) {
    this.text = text;
    places.add(new Place(0, 0, true));
    int sum = 0;
    int at = 0;
    while (at < text.length() && sum <= most) {
      int end = runEnd(text, at);
      sum += cost(text, at, end);
      boolean space = end == text.length() || kind(text.charAt(end)) == 0;
      if (kind(text.charAt(at)) != 0
          && (space || sum - places.getLast().tokens() >= LONGEST_PIECE)) {
        places.add(new Place(end, sum, SentenceEnds.isAt(text, end)));
      }
      at = end;
    }
  }

  private int between(int from, int to) {
    return places.get(to).tokens() - places.get(from).tokens();
  }

  /** Returns the estimated number of tokens of a text; counting may stop after {@code most}. */
  static int tokens(String text, int most) {
    int sum = 0;
    for (int at = 0; at < text.length() && sum <= most; ) {
      int end = runEnd(text, at);
      sum += cost(text, at, end);
      at = end;
    }
    return sum;
  }

  static List<Passage> of(Entry entry, String topic, int modelTokens) {
    String text = entry.text().content();
    int room = modelTokens - 2; // without the two special tokens
    int ofTopic = tokens(topic, topic.length());
    // A text has no more tokens than characters.
    if (text.length() + ofTopic <= room || tokens(text, room - ofTopic) + ofTopic <= room) {
      return List.of();
    }
    PassageCut cut = new PassageCut(text, Passage.MAX * room);
    // The model may read less of the beginning than estimated, so the first passage begins earlier.
    int from = cut.lastWithin(0, room * 7 / 8 - ofTopic);
    int left = cut.between(from, cut.places.size() - 1);
    int window =
        Math.min(
            Math.max(WINDOW, Math.ceilDiv(left, Passage.MAX) + 2 * OVERLAP),
            Math.max(1, room - ofTopic));
    return cut.windows(from, window);
  }

  static List<Passage> windows(String text) {
    return new PassageCut(text, Passage.MAX * WINDOW).windows(0, WINDOW);
  }

  private List<Passage> windows(int first, int window) {
    List<Passage> passages = new ArrayList<>();
    int last = places.size() - 1;
    int to = first;
    for (int from = first; to < last && passages.size() < Passage.MAX; ) {
      to = Math.max(to + 1, lastWithin(from, window)); // later end than the previous passage
      passages.add(new Passage(start(from), places.get(to).at()));
      from = overlapping(from, to);
    }
    return List.copyOf(passages);
  }

  /**
   * Returns the last possible cut within a budget of tokens. The last end of a sentence within the
   * budget is preferred if it uses at least half of the budget.
   */
  private int lastWithin(int from, int budget) {
    int any = from;
    int end = from;
    for (int i = from + 1; i < places.size() && between(from, i) <= budget; i++) {
      any = i;
      end = places.get(i).isEnd() && 2 * between(from, i) >= budget ? i : end;
    }
    return any == places.size() - 1 || end == from ? any : end;
  }

  /** Returns the start of the next passage: of a sentence, if one begins within the overlap. */
  private int overlapping(int from, int to) {
    int any = to;
    int sentence = to;
    for (int i = to - 1; i > from && between(i, to) <= OVERLAP; i--) {
      any = i;
      sentence = places.get(i).isEnd() ? i : sentence;
    }
    return sentence < to ? sentence : any;
  }

  /** Returns the position of the first character at or after a cut that is not white space. */
  private int start(int place) {
    int at = places.get(place).at();
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
      at++;
    }
    return at;
  }

  /** Returns the end of a run of letters, digits or blanks; other characters stand alone. */
  private static int runEnd(String text, int start) {
    int kind = kind(text.charAt(start));
    int end = start + 1;
    if (kind < 0) {
      return end < text.length() && Character.isSurrogatePair(text.charAt(start), text.charAt(end))
          ? end + 1
          : end;
    }
    while (end < text.length() && end - start < 2 * LONG_WORD && kind(text.charAt(end)) == kind) {
      end++;
    }
    return end;
  }

  /** Returns 2 for an ASCII letter, 1 for a digit, 0 for white space, -1 for other characters. */
  private static int kind(char c) {
    if (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
      return 2;
    }
    return c >= '0' && c <= '9' ? 1 : Character.isWhitespace(c) ? 0 : -1;
  }

  private static int cost(String text, int start, int end) {
    int length = end - start;
    return switch (kind(text.charAt(start))) {
      case 0 -> 0;
      case 1 -> Math.ceilDiv(length, 2);
      case 2 -> Math.ceilDiv(length, length < LONG_WORD ? 6 : 3);
      default -> 1;
    };
  }
}
