package dev.helixbg.daemon.tidy;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.pairs.WordDifference;
import java.util.ArrayList;
import java.util.List;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/**
 * Styles, wraps and places texts for the screen; control characters in texts lose their effect. If
 * {@code plain}, the terminal has no styles, so brackets mark words.
 */
record Ink(boolean colour, boolean plain) {
  private static final AttributedStyle NONE = AttributedStyle.DEFAULT;
  private static final String BETWEEN = " ┃ ";

  /** Number of chars read for each column of a line; above 1, because some chars have no width. */
  private static final int WINDOW = 4;

  private AttributedStyle coloured(AttributedStyle style, int hue) {
    return colour ? style.foreground(hue) : style;
  }

  AttributedString text(String text) {
    return new AttributedString(shown(text), NONE);
  }

  AttributedString bold(String text) {
    return new AttributedString(shown(text), NONE.bold());
  }

  AttributedString faint(String text) {
    return new AttributedString(shown(text), NONE.faint());
  }

  AttributedString gone(String text) {
    return new AttributedString(shown(text), coloured(NONE.bold(), AttributedStyle.RED));
  }

  AttributedString kept(String text) {
    return new AttributedString(shown(text), coloured(NONE.bold(), AttributedStyle.GREEN));
  }

  AttributedString warning(String text) {
    return new AttributedString(shown(text), coloured(NONE.bold(), AttributedStyle.YELLOW));
  }

  AttributedString hint(String key, String words) {
    return AttributedString.join(
        text(" "),
        new AttributedString(shown(key), coloured(NONE.bold(), AttributedStyle.CYAN)),
        text(words));
  }

  AttributedString rule(int columns, String words) {
    String said = words.isEmpty() ? "" : "━━ " + words + " ";
    return faint(said + "━".repeat(Math.max(0, columns - width(said))));
  }

  /** Marks the words of {@code text} that are not in {@code other}, as the report does. */
  AttributedString marked(String text, String other) {
    String shown = PrintableText.block(text);
    List<WordDifference.Stretch> stretches =
        WordDifference.besides(PrintableText.block(WordDifference.begin(other)))
            .markUpToHalf(shown);
    AttributedStyle mark = coloured(NONE.bold().underline(), AttributedStyle.YELLOW);
    AttributedStringBuilder marked = new AttributedStringBuilder();
    for (WordDifference.Stretch stretch : stretches) {
      boolean bracketed = stretch.own() && plain;
      String said = spaced(stretch.text());
      marked.append(bracketed ? "[" + said + "]" : said, stretch.own() ? mark : NONE);
    }
    return marked.toAttributedString();
  }

  private static String shown(String text) {
    return spaced(PrintableText.block(text));
  }

  private static String spaced(String text) {
    return text.replace("\t", "    ");
  }

  static int width(String text) {
    return new AttributedString(text).columnLength();
  }

  /** Breaks a text into lines of at most {@code columns} columns, at blanks if possible. */
  static List<AttributedString> lines(AttributedString text, int columns) {
    List<AttributedString> lines = new ArrayList<>();
    int start = 0;
    for (int at = 0; at <= text.length(); at++) {
      if (at == text.length() || text.charAt(at) == '\n') {
        wrap(text, start, at, Math.max(2, columns), lines);
        start = at + 1;
      }
    }
    return lines;
  }

  private static void wrap(
      AttributedString text, int from, int end, int columns, List<AttributedString> lines) {
    int start = from;
    while (true) {
      int window = Math.min(end, start + WINDOW * columns);
      AttributedString fits = text.subSequence(start, window).columnSubSequence(0, columns);
      int cut = start + fits.length();
      if (cut >= end || fits.length() == 0) {
        lines.add(text.subSequence(start, end));
        return;
      }
      int blank = cut;
      while (blank > start && text.charAt(blank) != ' ') {
        blank--;
      }
      boolean broken = blank > start;
      lines.add(text.subSequence(start, broken ? blank : cut));
      start = broken ? blank + 1 : cut;
    }
  }

  static List<AttributedString> beside(
      List<AttributedString> left, List<AttributedString> right, int columns) {
    int half = half(columns);
    List<AttributedString> lines = new ArrayList<>();
    for (int i = 0; i < Math.max(left.size(), right.size()); i++) {
      AttributedStringBuilder line = new AttributedStringBuilder();
      AttributedString one = i < left.size() ? left.get(i) : AttributedString.EMPTY;
      line.append(one).append(" ".repeat(Math.max(0, half - one.columnLength())));
      line.append(BETWEEN, NONE.faint());
      lines.add(
          line.append(i < right.size() ? right.get(i) : AttributedString.EMPTY)
              .toAttributedString());
    }
    return lines;
  }

  static int half(int columns) {
    return (columns - BETWEEN.length()) / 2;
  }

  static AttributedString cut(AttributedString line, int columns) {
    return line.columnLength() <= columns ? line : line.columnSubSequence(0, columns);
  }
}
