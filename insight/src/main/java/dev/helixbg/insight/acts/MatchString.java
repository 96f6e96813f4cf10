package dev.helixbg.insight.acts;

import dev.helixbg.config.text.PrintableText;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Finds words of a body that no other body of its topic has: a {@code match_str} of helix. That
 * takes the first entry of the topic, in the order of the log, whose body in lower case (metadata
 * lines included) contains it in lower case, and says nothing when there are others.
 *
 * <p>They are a piece of one line of the text where that will do, the beginning of the first line
 * first, with whole words where the text has words; else a piece across line breaks, metadata lines
 * included; else the whole body. They hold no character that a terminal, a JSON parser without
 * surrogate pairs, or a person copying them could change.
 *
 * <p>Each body of the topic is read once. A piece is in no other body as soon as some stretch of it
 * ({@link #GRAMS}) is in none. All stretches of the body are looked for at once, by a rolling hash
 * (Karp and Rabin 1987). Two stretches of one hash only make a piece longer than it need be.
 */
final class MatchString {
  /** Characters of a stretch; longer ones are tried where all shorter ones occur elsewhere. */
  private static final int[] GRAMS = {12, 40, 160};

  /** Pieces are no shorter than this where their line has more. */
  private static final int SHORT = 24;

  /** A word is cut when its end is further away. */
  private static final int SLACK = 24;

  /** Where words are looked for in a body. */
  private static final int LONGEST_BODY = 1 << 16;

  /** Longest whole body that may be the argument of a call, in characters. */
  private static final int LONGEST_PIECE = 2_000;

  private static final long BASE = 0x9E3779B97F4A7C15L;

  private final String body;
  private final String lower;
  private final Iterable<String> others;

  private MatchString(String body, Iterable<String> others) {
    String start = body.substring(0, Math.min(LONGEST_BODY, body.length()));
    this.lower = lower(start);
    // Where lower case has other lengths, a piece is given in lower case: helix does not mind.
    this.body = lower.length() == start.length() ? start : lower;
    this.others = others;
  }

  /**
   * @param others bodies of the same topic, now or while the calls of an act are made
   * @return nothing when another one says all that this one says
   */
  static Optional<String> of(String body, Iterable<String> others) {
    MatchString search = new MatchString(body, others);
    for (int gram : GRAMS) {
      Optional<String> found = search.withGramsOf(gram);
      if (found.isPresent()) {
        return found;
      }
    }
    return search.whole(body);
  }

  static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  private Optional<String> withGramsOf(int gram) {
    if (lower.length() < gram) {
      return Optional.empty();
    }
    boolean[] own = ownGrams(gram);
    Optional<String> inLine = piece(gram, own, MatchString::isPlain, true);
    return inLine.isPresent()
        ? inLine
        : piece(gram, own, c -> c == '\n' || isPlain((char) c), false);
  }

  /**
   * The first piece that holds a stretch of its own.
   *
   * @param own whether the stretch that begins at each character is in no other body
   * @param plain characters that a piece may hold
   * @param inText whether metadata lines are left out
   */
  private Optional<String> piece(int gram, boolean[] own, IntPredicate plain, boolean inText) {
    for (int start = 0; start < body.length(); ) {
      int end = start;
      while (end < body.length() && plain.test(body.charAt(end))) {
        end++;
      }
      if (!inText || body.charAt(start) != '[') {
        for (int at = start; at + gram <= end; at++) {
          if (own[at] && !isGap(body.charAt(at)) && !isGap(body.charAt(at + gram - 1))) {
            int from = wordStart(at, start);
            String piece =
                body.substring(from, wordEnd(Math.max(at + gram, from + SHORT), end)).strip();
            // Lower case can depend on what stands beside.
            if (lower(piece).contains(lower.substring(at, at + gram))
                && lower.contains(lower(piece))) {
              return Optional.of(piece);
            }
          }
        }
      }
      start = end + 1;
    }
    return Optional.empty();
  }

  private int wordStart(int at, int least) {
    int start = at;
    while (start > least && at - start < SLACK && !isGap(body.charAt(start - 1))) {
      start--;
    }
    return start > least && !isGap(body.charAt(start - 1)) ? at : start;
  }

  private int wordEnd(int at, int most) {
    int least = Math.min(most, at);
    int end = least;
    while (end < most && end - least < SLACK && !isGap(body.charAt(end))) {
      end++;
    }
    return end < most && !isGap(body.charAt(end)) ? least : end;
  }

  private static boolean isGap(char c) {
    return c == ' ' || c == '\n';
  }

  private Optional<String> whole(String all) {
    String piece = all.strip();
    if (piece.isEmpty()
        || piece.length() > LONGEST_PIECE
        || !piece.chars().allMatch(c -> c == '\n' || isPlain((char) c))) {
      return Optional.empty();
    }
    String words = lower(piece);
    if (!lower(all).contains(words)) {
      return Optional.empty();
    }
    for (String other : others) {
      if (lower(other).contains(words)) {
        return Optional.empty();
      }
    }
    return Optional.of(piece);
  }

  /** Whether the stretch that begins at each character of the body is in no other body. */
  private boolean[] ownGrams(int gram) {
    int count = lower.length() - gram + 1;
    Map<Long, Integer> first = HashMap.newHashMap(count);
    int[] numbers = new int[count];
    long power = power(gram);
    long hash = 0;
    for (int i = 0; i < lower.length(); i++) {
      hash = hash * BASE + lower.charAt(i) + 1;
      if (i >= gram) {
        hash -= power * (lower.charAt(i - gram) + 1);
      }
      if (i >= gram - 1) {
        int at = i - gram + 1;
        Integer known = first.putIfAbsent(hash, at);
        numbers[at] = known == null ? at : known;
      }
    }
    GramTable table = new GramTable(first);
    boolean[] elsewhere = new boolean[count];
    for (String other : others) {
      table.mark(lower(other), gram, power, elsewhere);
    }
    boolean[] own = new boolean[count];
    for (int at = 0; at < count; at++) {
      own[at] = !elsewhere[numbers[at]];
    }
    return own;
  }

  /** Base to the power of a stretch: the weight of what falls out of it. */
  private static long power(int gram) {
    long power = 1;
    for (int i = 0; i < gram; i++) {
      power *= BASE;
    }
    return power;
  }

  /** The hashes of a body's stretches, looked up once for each character of the topic. */
  private static final class GramTable {
    private final long[] hashes;
    private final int[] places;

    GramTable(Map<Long, Integer> stretches) {
      int size = Integer.highestOneBit(Math.max(8, stretches.size() * 2 - 1)) << 1;
      hashes = new long[size];
      places = new int[size];
      Arrays.fill(places, -1);
      stretches.forEach(
          (hash, place) -> {
            int slot = slot(hash);
            while (places[slot] >= 0) {
              slot = slot + 1 & size - 1;
            }
            hashes[slot] = hash;
            places[slot] = place;
          });
    }

    private int slot(long hash) {
      return (int) ((hash ^ hash >>> 29) * BASE >>> 40) & hashes.length - 1;
    }

    void mark(String text, int gram, long power, boolean[] marks) {
      long hash = 0;
      for (int i = 0; i < text.length(); i++) {
        hash = hash * BASE + text.charAt(i) + 1;
        if (i >= gram) {
          hash -= power * (text.charAt(i - gram) + 1);
        }
        if (i >= gram - 1) {
          for (int slot = slot(hash); places[slot] >= 0; slot = slot + 1 & hashes.length - 1) {
            if (hashes[slot] == hash) {
              marks[places[slot]] = true;
              break;
            }
          }
        }
      }
    }
  }

  /** Sigma is written in two ways in lower case, by what follows it. */
  private static boolean isPlain(int character) {
    char c = (char) character;
    return c == ' '
        || (c > ' ' && c < 0x7F)
        || (c >= 0xA0
            && c != 0xFFFD
            && c != '\u03A3'
            && !Character.isSurrogate(c)
            && !Character.isWhitespace(c)
            && PrintableText.line(String.valueOf(c)).equals(String.valueOf(c)));
  }
}
