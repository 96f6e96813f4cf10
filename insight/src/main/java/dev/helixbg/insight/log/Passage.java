package dev.helixbg.insight.log;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of {@link EntryText#content}. Start and end are offsets in UTF-16 units; the end is
 * exclusive. Long entries are cut into passages, if possible at ends of sentences and lines.
 *
 * <p>The number of tokens is estimated from the characters, because loading the tokenizer takes
 * time. An estimate is 0.83 to 1.3 times the true number.
 */
public record Passage(int start, int end) {
  /** Maximum number of passages of an entry; very long entries have longer passages. */
  public static final int MAX = 32;

  /** Usual number of tokens of a passage. A search often misses facts at the end of longer ones. */
  private static final int WINDOW = 64;

  /** Approximate number of tokens that a passage shares with the previous passage. */
  private static final int OVERLAP = 16;

  /** Maximum number of tokens between two possible cuts. */
  private static final int LONGEST_PIECE = 16;

  private static final int LONG_WORD = 12;

  /**
   * Divisor of the model's token limit. The quotient is the maximum length, in characters, of the
   * topic that is embedded with a passage.
   */
  private static final int TOPIC_SHARE = 8;

  /**
   * Returns passages of the part of an entry that the model does not read; none if the model reads
   * the whole entry. The model reads only the first {@code modelTokens} tokens, and the first
   * passage begins shortly before their end. There are at most {@link #MAX} passages, which may not
   * cover the end of a very long entry.
   */
  public static List<Passage> of(Entry entry, int modelTokens) {
    int room = modelTokens - 2; // without the two special tokens
    if (topic(entry, modelTokens).length() + entry.text().content().length() <= room) {
      return List.of(); // a text has no more tokens than characters
    }
    int ofTopic = Cuts.tokens(topic(entry, modelTokens), room);
    if (Cuts.tokens(entry.text().content(), room - ofTopic) + ofTopic <= room) {
      return List.of();
    }
    Cuts cuts = new Cuts(entry.text().content(), MAX * room);
    // The model may read less of the beginning than estimated, so the first passage begins earlier.
    int from = cuts.lastWithin(0, room * 7 / 8 - ofTopic);
    int left = cuts.between(from, cuts.places.size() - 1);
    int window = Math.max(WINDOW, Math.ceilDiv(left, MAX) + 2 * OVERLAP);
    return cuts.windows(from, Math.clamp(room - ofTopic, 1, window));
  }

  /** Estimates how many tokens of a text the model reads, including two special tokens. */
  public static int estimatedTokens(String text, int modelTokens) {
    return Math.min(modelTokens, Cuts.tokens(text, modelTokens) + 2);
  }

  /** Cuts a text into passages of similar length; skips the text after {@link #MAX} passages. */
  public static List<Passage> windows(String content) {
    return new Cuts(content, MAX * WINDOW).windows(0, WINDOW);
  }

  public String text(Entry entry) {
    return entry.text().content().substring(start, end);
  }

  /** A passage and the text around it, each cut between words, with an ellipsis at each cut. */
  public record InPlace(String before, String text, String after) {}

  /** Maximum length of the part of a passage that is shown, in UTF-16 units. */
  public static final int MOST_SHOWN = 900;

  private static final int AROUND = 300;

  /** Returns the passage and the text around it, even if {@code content} ends in the passage. */
  public InPlace inPlace(String content) {
    return inPlace(content, MOST_SHOWN, AROUND);
  }

  /**
   * Returns at most {@code most} UTF-16 units of the passage, and at most {@code around} units of
   * the text before and after it.
   */
  public InPlace inPlace(String content, int most, int around) {
    int begin = Math.min(start, content.length());
    int stop = Math.clamp(end, begin, content.length());
    int shown = stop - begin <= most ? stop : wordEnd(content, begin, begin + most);
    int from = wordStart(content, Math.max(0, begin - around), begin);
    int to = wordEnd(content, stop, Math.min(content.length(), stop + around));
    return new InPlace(
        (from > 0 && from < begin ? "… " : "") + content.substring(from, begin),
        content.substring(begin, shown) + (shown < stop ? " …" : ""),
        content.substring(stop, to) + (stop < to && to < content.length() ? " …" : ""));
  }

  /** Maximum length of a word that is not cut; in some languages, texts have no spaces. */
  private static final int LONGEST_WORD = 80;

  /** Returns the position at which the next word begins; {@code from} if no word begins nearby. */
  private static int wordStart(String content, int from, int end) {
    int at = from;
    int limit = Math.min(end, from + LONGEST_WORD);
    while (at > 0 && at < limit && !Character.isWhitespace(content.charAt(at - 1))) {
      at++;
    }
    return at < limit || from == end ? at : SentenceEnds.whole(content, from);
  }

  /** Returns the last end of a word up to {@code end}; {@code end} if no word ends nearby. */
  private static int wordEnd(String content, int start, int end) {
    int at = end;
    int limit = Math.max(start, end - LONGEST_WORD);
    while (at < content.length() && at > limit && !Character.isWhitespace(content.charAt(at))) {
      at--;
    }
    return at > limit || start == end ? at : SentenceEnds.whole(content, end);
  }

  /** Returns the text that is embedded: topic, a space, the passage. */
  public String embeddedText(Entry entry, int modelTokens) {
    return topic(entry, modelTokens) + " " + text(entry);
  }

  /** Returns the topic, shortened so that it leaves most of the model's tokens to the passage. */
  private static String topic(Entry entry, int modelTokens) {
    String topic = entry.topic();
    int most = modelTokens / TOPIC_SHARE;
    return topic.length() <= most
        ? topic
        : topic.substring(0, topic.offsetByCodePoints(0, topic.codePointCount(0, most)));
  }

  private static final class Cuts {
    private final String text;

    /** Possible cuts in rising order; the first is at 0. */
    private final List<Place> places = new ArrayList<>();

    /**
     * A possible cut, the number of tokens before it, and whether a sentence or line ends there.
     */
    private record Place(int at, int tokens, boolean isEnd) {}

    /** Finds the possible cuts; stops after {@code most} tokens. */
    Cuts(String text, int most) {
      this.text = text;
      places.add(new Place(0, 0, true));
      int tokens = 0;
      for (int at = 0, end; at < text.length() && tokens <= most; at = end) {
        end = runEnd(text, at);
        tokens += cost(text, at, end);
        boolean space = end == text.length() || kind(text.charAt(end)) == 0;
        if (kind(text.charAt(at)) != 0
            && (space || tokens - places.getLast().tokens() >= LONGEST_PIECE)) {
          places.add(new Place(end, tokens, SentenceEnds.isAt(text, end)));
        }
      }
    }

    /** Estimates the number of tokens of a text; may stop counting after {@code most} tokens. */
    static int tokens(String text, int most) {
      int tokens = 0;
      for (int at = 0, end; at < text.length() && tokens <= most; at = end) {
        end = runEnd(text, at);
        tokens += cost(text, at, end);
      }
      return tokens;
    }

    private int between(int from, int to) {
      return places.get(to).tokens() - places.get(from).tokens();
    }

    List<Passage> windows(int first, int window) {
      List<Passage> passages = new ArrayList<>();
      int last = places.size() - 1;
      int to = first;
      for (int from = first; to < last && passages.size() < MAX; ) {
        to = Math.max(to + 1, lastWithin(from, window)); // ends after the previous passage
        passages.add(new Passage(start(from), places.get(to).at()));
        from = overlapping(from, to);
      }
      return List.copyOf(passages);
    }

    /**
     * Returns the last possible cut within a budget of tokens. The last end of a sentence within
     * the budget is preferred if it uses at least half of the budget.
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

    /**
     * Returns the cut at which the next passage begins, up to {@link #OVERLAP} tokens before the
     * previous passage's end {@code to}. Prefers the start of a sentence.
     */
    private int overlapping(int from, int to) {
      int any = to;
      int sentence = to;
      for (int i = to - 1; i > from && between(i, to) <= OVERLAP; i--) {
        any = i;
        sentence = places.get(i).isEnd() ? i : sentence;
      }
      return sentence < to ? sentence : any;
    }

    /** Returns the position of the first character that is not white space, at or after a cut. */
    private int start(int place) {
      int at = places.get(place).at();
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      return at;
    }

    /** Returns the end of a run of letters, digits or blanks, or of one other character. */
    private static int runEnd(String text, int start) {
      int kind = kind(text.charAt(start));
      int end = start + 1;
      if (kind < 0) {
        return end < text.length()
                && Character.isSurrogatePair(text.charAt(start), text.charAt(end))
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
}
