package dev.helixbg.insight.notes;

import dev.helixbg.insight.notes.MarkdownScan.Heading;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

  /** In front matter: {@code items} has any list cut, {@code whole} has none. */
  private static final String PROPERTY = "helix-bg";

  /** Files in which agents keep what they learn, and in which people instruct them. */
  private static final Set<String> MEMORY =
      Set.of(
          "memory.md",
          "claude.md",
          "claude.local.md",
          "agents.md",
          "agent.md",
          "gemini.md",
          "learnings.md",
          "lessons.md",
          "copilot-instructions.md");

  private static final Pattern NO_FACTS =
      Pattern.compile("(?i)readme|change-?log|changes|history|releases|.*template.*");

  /** Of an item, with the blanks after it. */
  static final Pattern MARKER = Pattern.compile("( {0,3})(?:[-*+]|\\d{1,9}[.)])(?:[ \\t]+|$)");

  private static final int TAB = 4;

  private static final Pattern FENCE = Pattern.compile("\\s*(`{3,}|~{3,})[^`]*");
  private static final Pattern CHECKBOX = Pattern.compile("\\[[ xX]\\]\\s.*", Pattern.DOTALL);

  /** An item that begins with a link says what another file says. */
  private static final Pattern LINK =
      Pattern.compile("(?:\\*\\*)?!?\\[[^\\[\\]]*\\]\\(.*|(?:\\*\\*)?\\[\\[.*", Pattern.DOTALL);

  private final String text;
  private final Set<Integer> headings = new HashSet<>();
  private final List<Item> items = new ArrayList<>();

  /** Characters outside of items, but for headings. */
  private int others;

  /** Where the current item begins; -1 outside of items. */
  private int start = -1;

  /** Where the last line of the current item ends that is not blank. */
  private int end;

  private int marked;
  private int indent;

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

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
  }

  /**
   * The items of a file in their order; none where it is no list of facts.
   *
   * @param alone whether the file was named by itself, so that its form alone decides
   * @param from where the text begins, after front matter and title
   */
  static List<Item> of(
      String path,
      boolean alone,
      FrontMatter matter,
      String text,
      int from,
      List<Heading> headings) {
    String wanted = matter.first(PROPERTY).orElse("");
    boolean forced = wanted.equals("items");
    if (wanted.equals("whole") || !forced && !alone && !isMemory(path)) {
      return List.of();
    }
    Items cut = new Items(text, headings);
    if (!cut.divided(from)) {
      cut.listed(from);
    }
    boolean isList = cut.items.size() >= LEAST && cut.items.size() <= MOST;
    return isList && (forced || cut.isOfFacts(path)) ? cut.items : List.of();
  }

  private boolean isOfFacts(String path) {
    String name = name(path);
    int inItems = items.stream().mapToInt(item -> item.text().length()).sum();
    return inItems > others
        && !NO_FACTS.matcher(name.substring(0, Math.max(0, name.lastIndexOf('.')))).matches()
        && !isMostly(CHECKBOX)
        && !isMostly(LINK);
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
  private void listed(int from) {
    String fence = "";
    boolean blank = true;
    for (int at = from; at < text.length(); at = lineEnd(at) + 1) {
      String line = text.substring(at, lineEnd(at));
      Matcher marker = MARKER.matcher(line);
      if (!fence.isEmpty()) {
        fence = line.strip().startsWith(fence) ? "" : fence;
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
        Matcher opening = FENCE.matcher(line);
        fence = opening.matches() ? opening.group(1) : "";
        take(line, at);
      }
      blank = false;
    }
    finish();
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
      items.add(new Item(start, end, said.replaceAll("\n[ \t]{1," + indent + "}", "\n").strip()));
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
