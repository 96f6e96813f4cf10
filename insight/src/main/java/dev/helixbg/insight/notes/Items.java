package dev.helixbg.insight.notes;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.notes.MarkdownScan.Heading;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Cuts a file of facts, such as {@code MEMORY.md}, into its items. In a file with lines of {@value
 * #DIVIDER}, the items are the blocks between these lines. In any other file, the items are the
 * entries of Markdown lists, with all lines that are indented under them. If these entries are no
 * list of facts and there are few headings, the paragraphs are the items.
 *
 * <p>In a list of facts, at least {@value #LEAST} items have most of the text. Checklists, lists of
 * links, changelogs, templates and READMEs are no such lists, because their items say nothing by
 * themselves.
 */
final class Items {
  static final int LEAST = 3;

  /** Maximum number of items of a memory file. A file with more items is data. */
  private static final int MOST = 2_000;

  /** The line that some agents write between the entries of their memory file. */
  static final String DIVIDER = "§";

  static final String BLOCKS = "blocks between §";

  /**
   * Front matter key. With the value {@code items}, any list is cut into items. With {@code whole},
   * nothing is cut.
   */
  private static final String PROPERTY = "helix-bg";

  /** Names of files in which agents keep what they learn, or in which people instruct agents. */
  private static final Set<String> MEMORY =
      Set.of(
          "memory.md",
          "claude.md",
          "claude.local.md",
          "agents.md",
          "agents.override.md",
          "agent.md",
          "gemini.md",
          "qwen.md",
          "learnings.md",
          "lessons.md",
          "lessons-learned.md",
          "lessons_learned.md",
          "gotchas.md",
          "copilot-instructions.md");

  private static final Pattern NO_FACTS =
      Pattern.compile("(?i)readme|change-?log|changes|history|releases|.*template.*");

  /** The marker of a list item, with the blanks after it. */
  static final Pattern MARKER =
      Pattern.compile(
          "( {0,3})(?:(?:[-*+•–]|\\d{1,9}[.)])(?:[ \\t]+|$)|(?:・|[\\d０-９]{1,9}[、．])[ \\t　]*)");

  private static final int TAB = 4;

  /** A label at the beginning of an item, such as {@code **Problem**:}. */
  private static final Pattern LABEL =
      Pattern.compile(
          "\\*{0,2}([\\p{L}][\\p{L} ]{1,24})(?:\\*\\*[:：]|[:：]\\*{0,2})\\s.*", Pattern.DOTALL);

  /** The beginning of a text that belongs to the fact above it. */
  private static final Pattern PART =
      Pattern.compile(
          "(?i)[*_]{0,3}(?:why|how to"
              + " apply|reason|rationale|fix|solution|example|exception)[*_]{0,3}[:：]");

  private static final Pattern SENTENCE = Pattern.compile(".*[.!?。！？][*_`)\"”]{0,3}\\s*");

  /** A definition of a link or of a footnote, which any text of the file may use. */
  private static final Pattern DEFINITION =
      Pattern.compile(
          " {0,3}\\[(?:\\^[^\\[\\]]+\\]:(?s:.*)|[^\\[\\]]+\\]:\\s*(?=\\S*[./#])\\S+(?:\\s+[\"'(].*)?)\\s*");

  /** Minimum number of headings with items in a file of lessons; fewer may be a list's chapters. */
  private static final int LESSONS = 5;

  /** Minimum mean number of items per heading in a list of facts (measured on 50 public files). */
  private static final double PER_LESSON = 4.5;

  /** Maximum number of items with the same label in a list of facts; lessons have more. */
  private static final int MOST_LABELLED = 2;

  /** A line that opens fenced code, also directly after the markers of list items. */
  private static final Pattern FENCE =
      Pattern.compile("\\s*(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+){0,3}(`{3,}|~{3,})[^`]*");

  /**
   * A line that begins a comment, that ends an HTML element, that is only an opening tag, or that
   * is a definition.
   */
  private static final Pattern TAG =
      Pattern.compile(
          " ?(?:<!--.*|</.*|<[a-zA-Z][\\w-]*(?:\\s[^<>]*)?>\\s*)|" + DEFINITION.pattern());

  private static final Pattern CHECKBOX = Pattern.compile("\\[[ xX]\\]\\s.*", Pattern.DOTALL);

  /** An item that begins with a link, and therefore only describes another file. */
  private static final Pattern LINK =
      Pattern.compile("(?:\\*\\*)?!?\\[[^\\[\\]]*\\]\\(.*|(?:\\*\\*)?\\[\\[.*", Pattern.DOTALL);

  private final String text;
  private final int sections;

  /** Offsets at which the lines of headings begin. */
  private final NavigableSet<Integer> headings = new TreeSet<>();

  private final List<Item> items = new ArrayList<>();

  /** Number of characters outside items, not counting headings. */
  private int others;

  /** Start of the current item; -1 outside items. */
  private int start = -1;

  /** End of the last non-blank line of the current item. */
  private int end;

  private int marked;
  private int indent;

  /** Indentation from which on a list marker belongs to the current item. */
  private int nested;

  /** The way in which a file becomes entries. */
  enum Way {
    ITEMS,
    SECTIONS,
    WHOLE
  }

  /** How a file is cut. {@code why} is the reason in words, empty if the file is no memory file. */
  record Cut(Way way, List<Item> items, String why) {}

  /** Settings for a file. If the user named the file, it counts as a memory file under any name. */
  record Given(boolean named, NotesItems items) {}

  /** One item: its place in the text, and its text without marker and indentation. */
  record Item(int start, int end, String text) {}

  private Items(String text, List<Heading> headings) {
    this.text = text;
    this.sections = headings.size();
    for (Heading heading : headings) {
      for (int at = heading.start(); at < heading.end(); at = lineEnd(at) + 1) {
        this.headings.add(at);
      }
    }
  }

  /** Whether a file has a name or a place that agents use for files of facts. */
  static boolean isMemory(String path) {
    return MEMORY.contains(name(path)) || MemoryPlaces.isInRepository(path);
  }

  /** Returns the name of a file in lower case, without its folder. */
  static String name(String path) {
    return NoteName.fileName(path).toLowerCase(Locale.ROOT);
  }

  /** Decides how a file is cut; {@code from} is the offset after the front matter and the title. */
  static Cut of(
      String path, Given given, FrontMatter matter, String text, int from, List<Heading> headings) {
    String wanted =
        matter
            .first(PROPERTY)
            .orElse(given.items() == NotesItems.AUTO ? "" : given.items().entries());
    boolean isMemory = given.named() || isMemory(path);
    boolean forced = wanted.equals(NotesItems.ALWAYS.entries());
    if (wanted.equals(NotesItems.NEVER.entries()) || !forced && !isMemory) {
      return new Cut(Way.WHOLE, List.of(), isMemory ? "whole, as set by the user" : "");
    }
    Items cut = new Items(text, headings);
    String form = cut.divided(from) ? BLOCKS : cut.listed(from);
    if (forced && cut.items.size() >= LEAST) {
      return new Cut(Way.ITEMS, cut.items, form);
    }
    return cut.isOneFact(matter, from)
        ? new Cut(Way.WHOLE, List.of(), "whole: one fact")
        : cut.decided(path, from, form);
  }

  /** Whether front matter names a fact, as Claude Code writes it, and the text is no list. */
  private boolean isOneFact(FrontMatter matter, int from) {
    return matter.first("name").isPresent()
        && matter.first("type", "metadata.type").isPresent()
        && (items.size() < LEAST
            || text.substring(from).lines().anyMatch(line -> PART.matcher(line).lookingAt()));
  }

  private Cut decided(String path, int from, String form) {
    String name = name(path);
    if (NO_FACTS.matcher(NoteName.withoutEnding(name)).matches()) {
      return new Cut(Way.WHOLE, List.of(), "whole: a README, a changelog or a template");
    }
    int inItems = items.stream().mapToInt(item -> item.text().length()).sum();
    boolean areEnough = items.size() >= LEAST || others == 0 || sections < LEAST;
    boolean isList = areEnough && inItems > others;
    if ((isList || items.size() >= LEAST) && isMostly(CHECKBOX)) {
      return new Cut(Way.WHOLE, List.of(), "whole: a checklist");
    }
    if (isList && items.size() <= MOST && !areOfLessons()) {
      return isMostly(LINK)
          ? new Cut(Way.WHOLE, List.of(), "an index of other files")
          : new Cut(Way.ITEMS, items, form);
    }
    if (sections >= LEAST) {
      return new Cut(Way.SECTIONS, List.of(), "sections under headings");
    }
    items.clear();
    paragraphs(from);
    boolean areLines = areSentences();
    if (areLines) {
      Item only = items.removeFirst();
      for (int at = only.start(); at < only.end(); at = lineEnd(at) + 1) {
        block(at, lineEnd(at));
      }
    }
    return items.size() >= LEAST && items.size() <= MOST
        ? new Cut(Way.ITEMS, items, areLines ? "lines" : "paragraphs")
        : new Cut(Way.WHOLE, List.of(), "whole: no list of facts");
  }

  /** Whether items are parts of lessons: each heading has few items, or items share labels. */
  private boolean areOfLessons() {
    long under = items.stream().map(item -> headings.floor(item.start())).distinct().count();
    return under >= LESSONS && items.size() < PER_LESSON * under || areFields();
  }

  /** Whether most items begin with a recurring label, such as <em>Fix:</em> in lessons. */
  private boolean areFields() {
    Map<String, Long> labels =
        items.stream()
            .map(item -> LABEL.matcher(item.text()))
            .filter(Matcher::matches)
            .collect(
                Collectors.groupingBy(
                    found -> found.group(1).strip().toLowerCase(Locale.ROOT),
                    Collectors.counting()));
    long fields =
        labels.values().stream()
            .filter(count -> count > MOST_LABELLED)
            .mapToLong(count -> count)
            .sum();
    return labels.size() > 1 && 2 * fields > items.size();
  }

  /** Whether there is only one paragraph, with a sentence on each of its lines. */
  private boolean areSentences() {
    return items.size() == 1
        && items
            .getFirst()
            .text()
            .lines()
            .allMatch(line -> SENTENCE.matcher(line).matches() && !PART.matcher(line).lookingAt());
  }

  private boolean isMostly(Pattern form) {
    return 2 * items.stream().filter(item -> form.matcher(item.text()).matches()).count()
        > items.size();
  }

  private int lineEnd(int at) {
    int end = text.indexOf('\n', at);
    return end < 0 ? text.length() : end;
  }

  /** Takes the blocks between dividers as items. Returns false if the text has no divider. */
  private boolean divided(int from) {
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

  private void block(int from, int to) {
    String block = text.substring(from, to).strip();
    if (!block.isEmpty()) {
      items.add(new Item(from, to, block));
    }
  }

  /** Takes each list entry as an item: the line with the marker, and the lines below it. */
  private String listed(int from) {
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
          finish(); // other tools find their parts of the file by such lines
        }
        comment = isInComment(line, comment);
        end = start < 0 ? end : at + line.length();
      } else if (headings.contains(at) || isRule(line)) {
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
    return "items of lists";
  }

  /**
   * Whether a line at the left margin, after a blank line, belongs to the current item: it gives
   * the item's reason or use, or the item introduces the code, table or quotation that it begins.
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

  /** Takes each paragraph as an item. Skips headings, comments and tags; cuts no fenced code. */
  private void paragraphs(int from) {
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
              && (comment || headings.contains(at) || TAG.matcher(line.strip()).matches());
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
   * Returns the end of a lesson. Comments, closing tags and definitions at its end are excluded,
   * because other tools or other lessons may need them.
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
      last = text.lastIndexOf('\n', last - 1); // a footnote may have more lines, indented
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

  /** Whether a line is a horizontal rule, which belongs to no item. */
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
