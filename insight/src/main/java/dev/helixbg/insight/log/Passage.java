package dev.helixbg.insight.log;

import java.util.List;

/**
 * A window of an entry's content, after the part that the embedding model reads.
 *
 * @param start in UTF-16 units of {@link EntryText#content}
 * @param end behind the last one
 */
public record Passage(int start, int end) {
  /** The most that an entry has; those of longer entries are larger. */
  public static final int MAX = 32;

  /**
   * Divisor of the model's tokens: as many characters of the topic, at most, stand before a
   * passage.
   */
  private static final int TOPIC_SHARE = 8;

  /**
   * The passages of an entry. They begin near the end of the part that the model reads, and reach
   * to the end of the entry, or as far as {@link #MAX} passages do. An entry that the model reads
   * whole has none. The same text is always cut in the same way.
   *
   * @param modelTokens the most tokens that the model takes of a text
   */
  public static List<Passage> of(Entry entry, int modelTokens) {
    return PassageCut.of(entry, topic(entry, modelTokens), modelTokens);
  }

  /**
   * Tokens of a text as the model takes it, estimated from its characters: on notes 0.93 to 1.3
   * times, on code 0.83 to 1.25 times as many as there are.
   *
   * @param modelTokens the most tokens that the model takes, two special ones among them
   */
  public static int estimatedTokens(String text, int modelTokens) {
    return Math.min(modelTokens, PassageCut.tokens(text, modelTokens) + 2);
  }

  /** A content from its beginning on in windows of one size, the first {@link #MAX} of them. */
  public static List<Passage> windows(String content) {
    return PassageCut.windows(content);
  }

  public String text(Entry entry) {
    return entry.text().content().substring(start, end);
  }

  /**
   * A passage with its surroundings, for a reader, who could not judge it alone.
   *
   * @param before the text before it, cut at a word; begins with an ellipsis if it was cut
   * @param text of the passage, its beginning
   * @param after the text after it, cut in the same way
   */
  public record InPlace(String before, String text, String after) {}

  /** Longest part of a passage that a reader is shown, in UTF-16 units. */
  public static final int MOST_SHOWN = 900;

  private static final int AROUND = 300;

  /**
   * Returns the passage as a reader needs it.
   *
   * @param content of which this is a passage; it may be cut
   */
  public InPlace inPlace(String content) {
    return inPlace(content, MOST_SHOWN, AROUND);
  }

  /**
   * @param content of which this is a passage; it may be cut
   * @param most UTF-16 units of the passage
   * @param around UTF-16 units before it, and behind
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

  /** A longer word is cut: some languages write no spaces. */
  private static final int LONGEST_WORD = 80;

  /**
   * Returns the first place from {@code from} on where no word is cut; {@code from} where none is
   * near.
   */
  private static int wordStart(String content, int from, int end) {
    int at = from;
    int limit = Math.min(end, from + LONGEST_WORD);
    while (at > 0 && at < limit && !Character.isWhitespace(content.charAt(at - 1))) {
      at++;
    }
    return at < limit || from == end ? at : SentenceEnds.whole(content, from);
  }

  /**
   * Returns the last place up to {@code end} where no word is cut; {@code end} where none is near.
   */
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

  /** Returns the topic, cut so that it leaves room for the passage. */
  private static String topic(Entry entry, int modelTokens) {
    String topic = entry.topic();
    int most = modelTokens / TOPIC_SHARE;
    return topic.length() <= most
        ? topic
        : topic.substring(
            0, topic.offsetByCodePoints(0, Math.min(most, topic.codePointCount(0, most))));
  }
}
