package dev.helixbg.insight.acts;

import dev.helixbg.config.text.PrintableText;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;

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

  /** Bits of the filter by which unknown hashes are passed over. */
  private static final int FILTER = 1 << 20;

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
    long[] hashes = hashes(lower, gram);
    long[] known = LongStream.of(hashes).sorted().distinct().toArray();
    BitSet filter = new BitSet(FILTER); // most stretches of other bodies are unknown
    LongStream.of(known).forEach(hash -> filter.set(slot(hash)));
    boolean[] elsewhere = new boolean[known.length];
    for (String other : others) {
      for (long hash : hashes(lower(other), gram)) {
        int at = filter.get(slot(hash)) ? Arrays.binarySearch(known, hash) : -1;
        if (at >= 0) {
          elsewhere[at] = true;
        }
      }
    }
    boolean[] own = new boolean[hashes.length];
    for (int at = 0; at < own.length; at++) {
      own[at] = !elsewhere[Arrays.binarySearch(known, hashes[at])];
    }
    return own;
  }

  private static int slot(long hash) {
    return (int) (hash >>> 32) & FILTER - 1;
  }

  /** The hashes of all stretches of a text, by their places. */
  private static long[] hashes(String text, int gram) {
    long power = 1; // the weight of the character that falls out
    for (int i = 0; i < gram; i++) {
      power *= BASE;
    }
    long[] hashes = new long[Math.max(0, text.length() - gram + 1)];
    long hash = 0;
    for (int i = 0; i < text.length(); i++) {
      hash = hash * BASE + text.charAt(i) + 1;
      if (i >= gram) {
        hash -= power * (text.charAt(i - gram) + 1);
      }
      if (i >= gram - 1) {
        hashes[i - gram + 1] = hash;
      }
    }
    return hashes;
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
