package dev.helixbg.insight.notes;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.notes.MarkdownScan.Heading;
import java.util.ArrayList;
import java.util.HashSet;
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
 * Cuts a file that is a list of facts, such as {@code MEMORY.md}, into its items: the entries of a
 * list with all that is indented under them, or the blocks between lines of {@value #DIVIDER}.
 *
 * <p>A file is such a list when most of its text is in at least {@value #LEAST} items. Checklists,
 * lists of links, changelogs, templates and READMEs are not: their items say nothing alone.
 */
final class Items {
  static final int LEAST = 3;

  /** A file with more items is data, not memory. */
  private static final int MOST = 2_000;

  /** Divides the entries of memory files that some agents write. */
  static final String DIVIDER = "§";

  /** How a file of such entries is cut, in words. */
  static final String BLOCKS = "blocks between §";

  /** In front matter: {@code items} has any list cut, {@code whole} has none. */
  private static final String PROPERTY = "helix-bg";

  /** Files in which agents keep what they learn, and in which people instruct them. */
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
          "copilot-instructions.md");

  private static final Pattern NO_FACTS =
      Pattern.compile("(?i)readme|change-?log|changes|history|releases|.*template.*");

  /** The marker of an item, with the blanks after it. */
  static final Pattern MARKER = Pattern.compile("( {0,3})(?:[-*+]|\\d{1,9}[.)])(?:[ \\t]+|$)");

  private static final int TAB = 4;

  /** A name of what follows, as {@code **Problem**:}. */
  private static final Pattern LABEL =
      Pattern.compile(
          "\\*{0,2}([\\p{L}][\\p{L} ]{1,24})(?:\\*\\*[:：]|[:：]\\*{0,2})\\s.*", Pattern.DOTALL);

  /**
   * From this number of headings on, headings with few items each are lessons; fewer may be
   * chapters of a list.
   */
  private static final int LESSONS = 5;

  /**
   * With fewer items per heading on average, items are parts of lessons: 17 of 50 public memory
   * files are like that.
   */
  private static final double PER_LESSON = 4.5;

  /** The items that may have one label; where more have it, they are parts of lessons. */
  private static final int MOST_LABELLED = 2;

  private static final Pattern FENCE = Pattern.compile("\\s*(`{3,}|~{3,})[^`]*");
  private static final Pattern CHECKBOX = Pattern.compile("\\[[ xX]\\]\\s.*", Pattern.DOTALL);

  /** An item that begins with a link says what another file says. */
  private static final Pattern LINK =
      Pattern.compile("(?:\\*\\*)?!?\\[[^\\[\\]]*\\]\\(.*|(?:\\*\\*)?\\[\\[.*", Pattern.DOTALL);

  private final String text;
  private final int sections;

  /** Where lines of headings begin. */
  private final NavigableSet<Integer> headings = new TreeSet<>();

  private final List<Item> items = new ArrayList<>();

  /** Characters outside of items, but for headings. */
  private int others;

  /** Where the current item begins; -1 outside of items. */
  private int start = -1;

  /** Where the last line of the current item ends that is not blank. */
  private int end;

  private int marked;
  private int indent;

  /** How a file becomes entries. */
  enum Way {
    ITEMS,
    SECTIONS,
    WHOLE
  }

  /**
   * The way in which a file is cut, and its reason.
   *
   * @param items in their order; none but for {@link Way#ITEMS}
   * @param why in words; empty where the file is not a memory file, and need not be told of
   */
  record Cut(Way way, List<Item> items, String why) {
    Cut withoutItems() {
      return new Cut(way, List.of(), why);
    }
  }

  /**
   * The facts that are known about a file before it is read.
   *
   * @param named whether it was named by itself, so that its form alone tells a list
   */
  record Given(boolean named, NotesItems items) {}

  /**
   * One item.
   *
   * @param start in the text
   * @param end in the text, after its last character
   * @param text without its marker and its indentation
   */
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

  /** Whether a file is one in which agents keep facts, by its name. */
  static boolean isMemory(String path) {
    return MEMORY.contains(name(path));
  }

  /** The name of a file in small letters. */
  static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
  }

  /**
   * Decides how a file is cut.
   *
   * @param from where the text begins, after front matter and title
   */
  static Cut of(
      String path, Given given, FrontMatter matter, String text, int from, List<Heading> headings) {
    String wanted =
        matter
            .first(PROPERTY)
            .orElse(given.items() == NotesItems.AUTO ? "" : given.items().entries());
    boolean isMemory = given.named() || isMemory(path);
    boolean forced = wanted.equals(NotesItems.ALWAYS.entries());
    if (wanted.equals(NotesItems.NEVER.entries()) || !forced && !isMemory) {
      return new Cut(Way.WHOLE, List.of(), isMemory ? "whole, as it is set" : "");
    }
    Items cut = new Items(text, headings);
    String form = cut.divided(from) ? BLOCKS : cut.listed(from);
    if (forced && cut.items.size() >= LEAST) {
      return new Cut(Way.ITEMS, cut.items, form);
    }
    return cut.decided(path, from, form);
  }

  private Cut decided(String path, int from, String form) {
    String name = name(path);
    if (NO_FACTS.matcher(name.substring(0, Math.max(0, name.lastIndexOf('.')))).matches()) {
      return new Cut(Way.WHOLE, List.of(), "whole: a README, a changelog or a template");
    }
    if (items.size() >= LEAST && isMostly(CHECKBOX)) {
      return new Cut(Way.WHOLE, List.of(), "whole: a checklist");
    }
    int inItems = items.stream().mapToInt(item -> item.text().length()).sum();
    if (items.size() >= LEAST && items.size() <= MOST && inItems > others && !areOfLessons()) {
      return isMostly(LINK)
          ? new Cut(Way.WHOLE, List.of(), "an index of other files")
          : new Cut(Way.ITEMS, items, form);
    }
    if (sections >= LEAST) {
      return new Cut(Way.SECTIONS, List.of(), "sections under headings");
    }
    items.clear();
    paragraphs(from);
    return items.size() >= LEAST && items.size() <= MOST
        ? new Cut(Way.ITEMS, items, "paragraphs")
        : new Cut(Way.WHOLE, List.of(), "whole: no list of facts");
  }

  /** Whether items say nothing alone: a few under each of many headings, or such of few labels. */
  private boolean areOfLessons() {
    Set<Integer> under = new HashSet<>();
    items.forEach(item -> under.add(headingBefore(item.start())));
    return under.size() >= LESSONS && items.size() < PER_LESSON * under.size() || areFields();
  }

  private int headingBefore(int at) {
    Integer heading = headings.floor(at);
    return heading == null ? -1 : heading;
  }

  /** Whether most items are parts of lessons: each of the same few labels, again and again. */
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

  private boolean isMostly(Pattern form) {
    return 2 * items.stream().filter(item -> form.matcher(item.text()).matches()).count()
        > items.size();
  }

  private int lineEnd(int at) {
    int end = text.indexOf('\n', at);
    return end < 0 ? text.length() : end;
  }

  /** Blocks between dividers; false where there are none. */
  private boolean divided(int from) {
    int begin = from;
    int dividers = 0;
    List<Item> blocks = new ArrayList<>();
    boolean isLast = false;
    for (int at = from; !isLast; at = Math.min(text.length(), lineEnd(at) + 1)) {
      isLast = at == text.length();
      if (isLast || text.substring(at, lineEnd(at)).strip().equals(DIVIDER)) {
        dividers += isLast ? 0 : 1;
        String block = text.substring(begin, at).strip();
        if (!block.isEmpty()) {
          blocks.add(new Item(begin, at, block));
        }
        begin = Math.min(text.length(), lineEnd(at) + 1);
      }
    }
    if (dividers > 0) {
      items.addAll(blocks);
    }
    return dividers > 0;
  }

  /** Entries of lists: a line with a marker, and the lines that belong to it. */
  private String listed(int from) {
    String fence = "";
    boolean blank = true;
    for (int at = from; at < text.length(); at = lineEnd(at) + 1) {
      String line = text.substring(at, lineEnd(at));
      Matcher marker = MARKER.matcher(line);
      if (!fence.isEmpty()) {
        fence = fenceAfter(line, fence);
        take(line, at);
      } else if (headings.contains(at) || isRule(line)) {
        finish();
      } else if (line.isBlank()) {
        blank = true;
        continue;
      } else if (marker.lookingAt() && (start < 0 || marker.group(1).length() < indent)) {
        finish();
        start = at;
        marked = at + marker.end();
        indent = marker.end();
        end = at + line.length();
      } else {
        if (blank && indented(line) < Math.min(2, indent)) {
          finish(); // a paragraph after the list
        }
        fence = fenceAfter(line, "");
        take(line, at);
      }
      blank = false;
    }
    finish();
    return "items of lists";
  }

  /** Takes the texts between blank lines as items, without headings; code in fences stays whole. */
  private void paragraphs(int from) {
    String fence = "";
    for (int at = from; at < text.length(); at = lineEnd(at) + 1) {
      String line = text.substring(at, lineEnd(at));
      if (fence.isEmpty() && (line.isBlank() || headings.contains(at))) {
        finish();
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
   * The fence that code stands in after a line; empty outside of code.
   *
   * @param fence that it stands in before the line
   */
  private static String fenceAfter(String line, String fence) {
    if (!fence.isEmpty()) {
      return line.strip().startsWith(fence) ? "" : fence;
    }
    Matcher opening = FENCE.matcher(line);
    return opening.matches() ? opening.group(1) : "";
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
      String plain = indent == 0 ? said : said.replaceAll("\n[ \t]{1," + indent + "}", "\n");
      items.add(new Item(start, end, plain.strip()));
    }
    start = -1;
    indent = 0;
  }

  /** Whether a line divides what is before it from what follows; it is of no item. */
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
