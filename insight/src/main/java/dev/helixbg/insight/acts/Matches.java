package dev.helixbg.insight.acts;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Words by which helix finds one entry of a topic. Its {@code match_str} takes the first entry of
 * the topic, in the order of the log, whose body in lower case (metadata lines included) contains
 * the words in lower case; it says nothing when there are others. So the words given here are in no
 * other entry of the topic.
 *
 * <p>They are a piece of one line of the text, with whole words where the text has words: the
 * beginning of the first line where that will do. They hold no character that a terminal, a JSON
 * parser without surrogate pairs, or a person copying them could change.
 */
final class Matches {
  /** Shorter pieces are only given when the line has no more. */
  private static final int SHORT = 24;

  /** How long a piece may become in search of uniqueness. */
  private static final int[] LENGTHS = {SHORT, 48, 120};

  /** A word is cut when its end is further away. */
  private static final int SLACK = 24;

  /** Pieces that are tried before an entry counts as one without words of its own. */
  private static final int TRIES = 300;

  private final Map<String, List<NamedEntry>> topics = new HashMap<>();
  private final Map<String, List<String>> lowerBodies = new HashMap<>();
  private final Map<Long, Optional<String>> known = new HashMap<>();

  /**
   * @param entries all live ones
   */
  Matches(List<NamedEntry> entries) {
    for (NamedEntry entry : entries) {
      topics.computeIfAbsent(entry.entry().topic(), topic -> new ArrayList<>()).add(entry);
    }
  }

  /** Nothing when another entry of the topic says all that this one says. */
  synchronized Optional<String> of(NamedEntry entry) {
    return known.computeIfAbsent(entry.entry().offset(), offset -> search(entry));
  }

  private Optional<String> search(NamedEntry entry) {
    List<String> bodies =
        lowerBodies.computeIfAbsent(
            entry.entry().topic(),
            topic -> topics.get(topic).stream().map(one -> lower(one.entry().body())).toList());
    int tries = TRIES;
    for (String run : runs(entry.entry().text().content())) {
      for (int start = 0; start >= 0; start = nextStart(run, start)) {
        int before = start;
        for (int length : LENGTHS) {
          int end = end(run, start, length);
          if (end > before) {
            String piece = run.substring(start, end);
            if (isOnlyIn(bodies, entry.index(), lower(piece))) {
              return Optional.of(piece);
            }
            if (--tries == 0) {
              return Optional.empty();
            }
            before = end;
          }
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isOnlyIn(List<String> bodies, int index, String piece) {
    if (!bodies.get(index).contains(piece)) {
      return false; // lower case can depend on what follows
    }
    for (int i = 0; i < bodies.size(); i++) {
      if (i != index && bodies.get(i).contains(piece)) {
        return false;
      }
    }
    return true;
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** Of each line the pieces that print as they are, without blanks around them. */
  private static List<String> runs(String content) {
    List<String> runs = new ArrayList<>();
    int start = 0;
    for (int at = 0; at <= content.length(); at++) {
      if (at == content.length() || !isPlain(content.charAt(at))) {
        String run = content.substring(start, at).strip();
        if (!run.isEmpty()) {
          runs.add(run);
        }
        start = at + 1;
      }
    }
    return runs;
  }

  private static boolean isPlain(char c) {
    return c == ' '
        || (c > ' ' && c < 0x7F)
        || (c >= 0xA0
            && c != 0xFFFD
            && !Character.isSurrogate(c)
            && !Character.isWhitespace(c)
            && PrintableText.line(String.valueOf(c)).equals(String.valueOf(c)));
  }

  /** Where a piece of about that length ends: at the end of a word, if one is near. */
  private static int end(String run, int start, int length) {
    int least = start + length;
    if (least >= run.length()) {
      return run.length();
    }
    int space = run.indexOf(' ', least);
    int end = space < 0 ? run.length() : space;
    return end - least <= SLACK ? end : least;
  }

  /** Of the next word, or of the next part of a long one; −1 where too little is left. */
  private static int nextStart(String run, int start) {
    int space = run.indexOf(' ', start);
    int next = space < 0 || space - start > SLACK ? start + SHORT : space;
    while (next < run.length() && run.charAt(next) == ' ') {
      next++;
    }
    return run.length() - next < SHORT ? -1 : next;
  }
}
