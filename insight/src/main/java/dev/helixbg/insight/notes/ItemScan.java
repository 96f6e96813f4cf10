package dev.helixbg.insight.notes;

import dev.helixbg.insight.notes.MarkdownScan.Heading;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds the items in the text of a memory file: list entries, blocks, paragraphs or lines. */
final class ItemScan {
  /** The line that some agents write between the entries of their memory file. */
  static final String DIVIDER = "§";

  private static final String MARK =
      "(?:(?:[-*+•–]|\\d{1,9}[.)])(?:[ \\t]+|$)|(?:・|[\\d０-９]{1,9}[、．])[ \\t　]*)";

  /** The marker of a list item, with the blanks after it. */
  static final Pattern MARKER = Pattern.compile("( {0,3})" + MARK);

  private static final int TAB = 4;

  /** The beginning of a paragraph that continues the fact above it. */
  static final Pattern PART =
      Pattern.compile(
          "(?i)[*_]{0,3}(?:why|how to"
              + " apply|reason|rationale|fix|solution|example|exception)[*_]{0,3}[:：]");

  /** A definition of a link or of a footnote, which any text of the file may use. */
  private static final Pattern DEFINITION =
      Pattern.compile(
          " {0,3}\\[(?:\\^[^\\[\\]]+\\]:(?s:.*)|[^\\[\\]]+\\]:\\s*(?=\\S*[./#])\\S+(?:\\s+[\"'(].*)?)\\s*");

  /** A line that opens fenced code, also directly after the markers of list items. */
  private static final Pattern FENCE =
      Pattern.compile("\\s*(?:" + MARK + "){0,3}(`{3,}|~{3,})[^`]*");

  /**
   * A line that begins a comment, that ends an HTML element, that is only an opening tag, or that
   * is a definition of a link or footnote.
   */
  private static final Pattern TAG =
      Pattern.compile(
          " ?(?:<!--.*|</.*|<[a-zA-Z][\\w-]*(?:\\s[^<>]*)?>\\s*)|" + DEFINITION.pattern());

  private final String text;

  /** The headings, by the offsets at which their lines begin. */
  private final NavigableMap<Integer, Heading> headings = new TreeMap<>();

  private List<Item> items = new ArrayList<>();

  /** Number of characters outside items, not counting headings. */
  private int others;

  /** Start of the current item; -1 outside items. */
  private int start = -1;

  /** End of the last non-blank line of the current item. */
  private int end;

  private int marked;
  private int indent;

  /** Minimum indentation of a list marker that belongs to the current item. */
  private int nested;

  /** One item: its start and end in the file, and its text without marker and indentation. */
  record Item(int start, int end, String text) {}

  ItemScan(String text, List<Heading> headings) {
    this.text = text;
    for (Heading heading : headings) {
      for (int at = heading.start(); at < heading.end(); at = lineEnd(at) + 1) {
        this.headings.put(at, heading);
      }
    }
  }

  List<Item> items() {
    return items;
  }

  int others() {
    return others;
  }

  Set<Heading> headingsOfItems() {
    return items.stream()
        .flatMap(item -> Optional.ofNullable(headings.floorEntry(item.start())).stream())
        .map(Map.Entry::getValue)
        .collect(Collectors.toSet());
  }

  private int lineEnd(int at) {
    int end = text.indexOf('\n', at);
    return end < 0 ? text.length() : end;
  }

  /** Takes the blocks between divider lines (§) as items. Returns false if no such line exists. */
  boolean divided(int from) {
    int begin = from;
    for (int at = from; at < text.length(); at = lineEnd(at) + 1) {
      if (text.substring(at, lineEnd(at)).strip().equals(DIVIDER)) {
        block(begin, at);
        begin = Math.min(text.length(), lineEnd(at) + 1);
      }
    }
    if (begin > from) {
      block(begin, text.length());
    }
    return begin > from;
  }

  List<Item> lines(Item whole) {
    items = new ArrayList<>();
    for (int at = whole.start(); at < whole.end(); at = lineEnd(at) + 1) {
      block(at, lineEnd(at));
    }
    return items;
  }

  private void block(int from, int to) {
    String block = text.substring(from, to).strip();
    if (!block.isEmpty()) {
      items.add(new Item(from, to, block));
    }
  }

  /** Takes each list entry as an item: the line with the marker, and the lines below it. */
  void listed(int from) {
    String fence = "";
    boolean comment = false;
    boolean blank = true;
    for (int at = from; at < text.length(); at = lineEnd(at) + 1) {
      String line = text.substring(at, lineEnd(at));
      Matcher marker = MARKER.matcher(line);
      if (!fence.isEmpty()) {
        fence = fenceAfter(line, fence);
        take(line, at);
      } else if (comment || TAG.matcher(line).matches()) {
        if (!comment) {
          finish(); // such lines mark the parts of a file that other tools write
        }
        comment = isInComment(line, comment);
        end = start < 0 ? end : at + line.length();
      } else if (headings.containsKey(at) || isRule(line)) {
        finish();
      } else if (line.isBlank()) {
        blank = true;
        continue;
      } else if (marker.lookingAt() && (start < 0 || marker.group(1).length() < nested)) {
        finish();
        start = at;
        marked = at + marker.end();
        indent = marker.end();
        nested = Math.min(indent, marker.group(1).length() + 2);
        end = at + line.length();
        fence = fenceAfter(line, "");
        comment = isInComment(line.substring(marker.end()), false);
      } else {
        if (blank && indented(line) < Math.min(2, indent) && !isOfItem(line)) {
          finish(); // a paragraph after the list
        }
        fence = fenceAfter(line, "");
        comment = isInComment(line, false);
        take(line, at);
      }
      blank = false;
    }
    finish();
  }

  /**
   * Whether a line at the left margin, after a blank line, belongs to the current item. Such a line
   * begins with a label such as {@code Why:}, or begins code, a table or a quotation that the item
   * introduces.
   */
  private boolean isOfItem(String line) {
    if (start < 0) {
      return false;
    }
    if (PART.matcher(line).lookingAt()) {
      return !PART.matcher(text).region(marked, end).lookingAt();
    }
    String above = text.substring(text.lastIndexOf('\n', end - 1) + 1, end).strip();
    return Note.LEAD_IN.matcher(above).matches()
        && (line.startsWith("|") || line.startsWith(">") || FENCE.matcher(line).matches());
  }

  /** Returns each paragraph as an item. Skips headings, rules, comments, tags; keeps code whole. */
  List<Item> paragraphs(int from) {
    items = new ArrayList<>();
    String fence = "";
    boolean comment = false;
    boolean blank = false;
    for (int at = from; at < text.length(); at = lineEnd(at) + 1) {
      String line = text.substring(at, lineEnd(at));
      if (fence.isEmpty() && !comment && line.isBlank()) {
        blank = true;
        continue;
      }
      boolean isOutside =
          fence.isEmpty()
              && (comment
                  || headings.containsKey(at)
                  || isRule(line)
                  || TAG.matcher(line.strip()).matches());
      if (isOutside || blank && !isOfItem(line)) {
        finish();
      }
      blank = false;
      if (isOutside) {
        comment = isInComment(line, comment);
        continue;
      }
      if (start < 0) {
        start = at;
        marked = at;
      }
      end = at + line.length();
      fence = fenceAfter(line, fence);
    }
    finish();
    return items;
  }

  /**
   * Returns the fence that is open after a line, or "" if none is. {@code fence} is the fence that
   * is open before the line.
   */
  private static String fenceAfter(String line, String fence) {
    if (!fence.isEmpty()) {
      return line.strip().startsWith(fence) ? "" : fence;
    }
    Matcher opening = FENCE.matcher(line);
    return opening.matches() ? opening.group(1) : "";
  }

  /** Whether the next line is in a comment; {@code comment} says whether this line is in one. */
  private static boolean isInComment(String line, boolean comment) {
    return (comment || line.strip().startsWith("<!--")) && !line.contains("-->");
  }

  /**
   * Returns the end of a lesson. Comments, closing tags and definitions of links at its end are
   * excluded, because other tools or other lessons may need them.
   */
  static int endOfLesson(String text, int start, int end) {
    int last = end;
    for (int tag = end; tag >= 0; tag = lastTag(text, start, last)) {
      last = tag;
    }
    return last;
  }

  /**
   * Returns the start of the line with the comment, closing tag or definition at the end of a text,
   * or -1 if the text ends with none of them.
   */
  private static int lastTag(String text, int start, int end) {
    int stop = end;
    while (stop > start && Character.isWhitespace(text.charAt(stop - 1))) {
      stop--;
    }
    int last = text.lastIndexOf('\n', stop - 1);
    while (last > start
        && text.charAt(stop - 1) != '>'
        && " \t".indexOf(text.charAt(last + 1)) >= 0) {
      last = text.lastIndexOf('\n', last - 1); // the further lines of a footnote are indented
    }
    int first = Math.max(start, last + 1);
    if (first < stop && DEFINITION.matcher(text).region(first, stop).matches()) {
      return first;
    }
    boolean isComment = text.startsWith("-->", stop - 3);
    String closing = isComment ? "-->" : ">";
    int tag = stop - 1;
    while (tag >= start && !text.startsWith(isComment ? "<!--" : "</", tag)) {
      tag--;
    }
    if (tag < start || text.indexOf(closing, tag) != stop - closing.length()) {
      return -1;
    }
    int line = Math.max(start, text.lastIndexOf('\n', tag) + 1);
    return text.substring(line, tag).isBlank() ? line : -1;
  }

  private void take(String line, int at) {
    if (start < 0) {
      others += line.strip().length();
    } else {
      end = at + line.length();
    }
  }

  private void finish() {
    if (start >= 0 && marked < end) {
      String said = text.substring(marked, end);
      boolean isFlat = indent == 0 || said.contains("\n```"); // code keeps its indentation
      String plain = isFlat ? said : said.replaceAll("\n[ \t]{1," + indent + "}", "\n");
      String stripped = plain.strip();
      boolean isComment =
          stripped.startsWith("<!--") && stripped.indexOf("-->") == stripped.length() - 3;
      if (!isComment) {
        items.add(new Item(start, end, stripped));
      }
    }
    start = -1;
    indent = 0;
  }

  /** Whether a line is a horizontal rule. Such a line does not belong to an item. */
  private static boolean isRule(String line) {
    String marks = line.replace(" ", "").replace("\t", "");
    return marks.length() >= 3
        && "-*_".indexOf(marks.charAt(0)) >= 0
        && indented(line) < TAB
        && marks.chars().allMatch(c -> c == marks.charAt(0));
  }

  private static int indented(String line) {
    int at = 0;
    int columns = 0;
    for (; at < line.length() && (line.charAt(at) == ' ' || line.charAt(at) == '\t'); at++) {
      columns += line.charAt(at) == ' ' ? 1 : TAB;
    }
    return columns;
  }
}
