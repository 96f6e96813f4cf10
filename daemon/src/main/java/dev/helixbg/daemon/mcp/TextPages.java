package dev.helixbg.daemon.mcp;

import java.util.ArrayList;
import java.util.List;

/** A long text in pages that a client can take. */
final class TextPages {
  /** Of a page, in characters: some 5,000 tokens. */
  static final int SIZE = 20_000;

  private TextPages() {}

  /** Each ends before a heading of Markdown if one is in its second half, else with a line. */
  static List<String> of(String text) {
    List<String> pages = new ArrayList<>();
    int start = 0;
    while (text.length() - start > SIZE) {
      int end = end(text, start);
      pages.add(text.substring(start, end));
      start = end;
    }
    pages.add(text.substring(start));
    return List.copyOf(pages);
  }

  private static int end(String text, int start) {
    int last = start + SIZE;
    int heading = text.lastIndexOf("\n#", last - 2);
    if (heading >= start + SIZE / 2) {
      return heading + 1;
    }
    int line = text.lastIndexOf('\n', last - 1);
    if (line >= start) {
      return line + 1;
    }
    return Character.isHighSurrogate(text.charAt(last - 1)) ? last - 1 : last;
  }
}
