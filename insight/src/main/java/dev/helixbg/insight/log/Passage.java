package dev.helixbg.insight.log;

import java.util.List;

/** A part of {@link EntryText#content}, in its UTF-16 units; the end is exclusive. */
public record Passage(int start, int end) {
  /** Maximum number of passages of an entry; very long entries have longer passages. */
  public static final int MAX = 32;

  /**
   * Divisor of the model's maximum number of tokens. The quotient is the maximum length, in
   * characters, of the topic that is embedded before a passage.
   */
  private static final int TOPIC_SHARE = 8;

  /**
   * Returns the passages of an entry. The first passage begins near the end of the part that the
   * model reads. The last one ends at the end of the entry, unless {@link #MAX} passages do not
   * reach that far. An entry that the model reads whole has no passages. The same text always has
   * the same passages.
   *
   * @param modelTokens maximum number of tokens that the model reads of a text
   */
  public static List<Passage> of(Entry entry, int modelTokens) {
    return PassageCut.of(entry, topic(entry, modelTokens), modelTokens);
  }

  /** Estimates how many tokens of a text the model reads, including two special tokens. */
  public static int estimatedTokens(String text, int modelTokens) {
    return Math.min(modelTokens, PassageCut.tokens(text, modelTokens) + 2);
  }

  /** Cuts a text into about equal passages; text after {@link #MAX} passages is left out. */
  public static List<Passage> windows(String content) {
    return PassageCut.windows(content);
  }

  public String text(Entry entry) {
    return entry.text().content().substring(start, end);
  }

  /** A passage and the text around it, each cut at a word, with an ellipsis where it was cut. */
  public record InPlace(String before, String text, String after) {}

  /** Maximum length of the part of a passage that is shown, in UTF-16 units. */
  public static final int MOST_SHOWN = 900;

  private static final int AROUND = 300;

  /** Returns the passage and the text around it; the end of {@code content} may be cut off. */
  public InPlace inPlace(String content) {
    return inPlace(content, MOST_SHOWN, AROUND);
  }

  /** Returns at most {@code most} UTF-16 units of the passage, and {@code around} on each side. */
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

  /** Maximum length of a word that is kept whole; some languages write no spaces. */
  private static final int LONGEST_WORD = 80;

  /** Returns the next place at which a word begins; {@code from} if no such place is near. */
  private static int wordStart(String content, int from, int end) {
    int at = from;
    int limit = Math.min(end, from + LONGEST_WORD);
    while (at > 0 && at < limit && !Character.isWhitespace(content.charAt(at - 1))) {
      at++;
    }
    return at < limit || from == end ? at : SentenceEnds.whole(content, from);
  }

  /** Returns the last place at which a word ends; {@code end} if no such place is near. */
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

  /** Returns the topic, cut so that the passage fits into the model. */
  private static String topic(Entry entry, int modelTokens) {
    String topic = entry.topic();
    int most = modelTokens / TOPIC_SHARE;
    return topic.length() <= most
        ? topic
        : topic.substring(0, topic.offsetByCodePoints(0, topic.codePointCount(0, most)));
  }
}
