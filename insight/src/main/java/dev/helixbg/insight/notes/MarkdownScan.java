package dev.helixbg.insight.notes;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The headings and links of a Markdown text outside fenced code, code spans and comments, found in
 * one pass over its lines. Headings are recognised as in CommonMark, except headings inside lists
 * or quotes and underlined headings of several lines.
 */
record MarkdownScan(
    List<Heading> headings,
    List<Link> links,
    Map<String, Definition> definitions,
    Map<Integer, String> references) {
  /** Maximum number of links. A longer list is an index, which tells little about its targets. */
  private static final int MAX_LINKS = 2_000;

  private static final int MAX_TARGET = 1_000;

  /** A use of a link definition: {@code [words][label]}, {@code [label][]} or {@code [label]}. */
  private static final Pattern REFERENCE =
      Pattern.compile("\\[([^\\[\\]]{1,999})\\](?:\\[([^\\[\\]]{0,999})\\])?(?![(\\[])");

  /** A definition of a link. A definition of a footnote has a label with ^, and does not match. */
  private static final Pattern DEFINITION =
      Pattern.compile(" {0,3}\\[((?!\\^)[^\\[\\]]{1,999})\\]:\\s*(\\S.*)");

  private static final Pattern MARKER = Pattern.compile("(?:[-*+]|\\d{1,9}[.)])[ \\t]+");

  /** A heading that begins with {@code #}; further {@code #} may follow its title. */
  private static final Pattern HEADING =
      Pattern.compile("(#{1,6})(?![^ \\t])(.*?)(?:(?<=[ \\t])#+)?", Pattern.DOTALL);

  private static final Pattern FENCE = Pattern.compile("`{3,}[^`]*|~{3,}.*", Pattern.DOTALL);

  private static final Pattern ANCHOR =
      Pattern.compile(
          "<a\\s(?:[^<>]{0,300}\\s)?href\\s*=\\s*(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\"'\\s<>]+))",
          Pattern.CASE_INSENSITIVE);

  /** A link that Hugo or Jekyll resolves by the name of a page. */
  private static final Pattern TEMPLATE =
      Pattern.compile("\\{(?:\\{[<%]\\s*(?:rel)?ref|%-?\\s*(?:post_url|link))\\s+\"?([^\"\\s]+)");

  /** Maximum number of bracket pairs that are looked up as labels of definitions. */
  private static final int MAX_REFERENCES = 20_000;

  private record Definition(int at, String destination) {}

  /** A heading of level 1 to 6. {@code end} is the offset after the line feed of its last line. */
  record Heading(int level, String title, int start, int end) {}

  /**
   * A link that may lead to another note.
   *
   * @param wiki whether the link has the form {@code [[name]]}; otherwise its target is a path
   * @param heading the part after {@code #}, which is not in {@code target}; may be empty
   * @param otherwise the link to follow if no note matches {@code target}; needed because Dendron
   *     writes {@code [[shown|name]]}, with the name last
   */
  record Link(int at, boolean wiki, String target, String heading, Optional<Link> otherwise) {
    Link at(int place) {
      return new Link(place, wiki, target, heading, otherwise.map(other -> other.at(place)));
    }
  }

  static MarkdownScan of(String text) {
    MarkdownScan scan =
        new MarkdownScan(
            new ArrayList<>(), new ArrayList<>(), new LinkedHashMap<>(), new LinkedHashMap<>());
    scan.lines(text);
    scan.resolve();
    return scan;
  }

  private void lines(String text) {
    String fence = "";
    int fenced = 0; // offset of the fence in its line if it follows a list marker, else 0
    boolean comment = false;
    boolean inParagraph = false;
    int single = -1; // start of the line above if a paragraph begins there, else -1
    for (int start = 0, next; start < text.length(); start = next) {
      int newline = text.indexOf('\n', start);
      int end = newline < 0 ? text.length() : newline;
      next = Math.min(text.length(), end + 1);
      String line = text.substring(start, end);
      String stripped = line.strip();
      int indent = indent(line);
      String content = withoutMarkers(stripped);
      Matcher heading = HEADING.matcher(stripped);
      int above = single;
      boolean wasParagraph = inParagraph;
      single = -1;
      inParagraph = false;
      if (comment) {
        comment = !stripped.contains("-->");
      } else if (!fence.isEmpty()) {
        boolean ends = indent < fenced + 4 && stripped.startsWith(fence) && isOnly(stripped, fence);
        fence = ends ? "" : fence;
      } else if (indent < 4 && FENCE.matcher(content).matches()) {
        fence = run(content, 0);
        fenced = content.equals(stripped) ? 0 : line.indexOf(fence);
      } else if (content.startsWith("<!--") && !content.contains("-->")) {
        comment = true;
      } else if (indent < 4 && heading.matches()) {
        headings.add(new Heading(heading.end(1), heading.group(2).strip(), start, next));
        findLinks(line, start);
      } else if (indent < 4 && isRuler(stripped, wasParagraph)) {
        if (above >= 0) {
          int level = stripped.startsWith("=") ? 1 : 2;
          headings.add(new Heading(level, text.substring(above, start).strip(), above, next));
        }
      } else if (!stripped.isEmpty()) {
        inParagraph = indent < 4 || wasParagraph;
        single = indent < 4 && !wasParagraph && isPlain(stripped) ? start : -1;
        findLinks(line, start);
      }
    }
  }

  private static int indent(String line) {
    int indent = 0;
    while (indent < line.length() && line.charAt(indent) == ' ') {
      indent++;
    }
    return indent < line.length() && line.charAt(indent) == '\t' ? 4 : indent;
  }

  private static String withoutMarkers(String line) {
    Matcher marker = MARKER.matcher(line);
    int start = 0;
    while (marker.region(start, line.length()).lookingAt()) {
      start = marker.end();
    }
    return line.substring(start);
  }

  /** Returns the run of equal characters that begins at {@code start} in a line. */
  private static String run(String line, int start) {
    int end = start;
    while (end < line.length() && line.charAt(end) == line.charAt(start)) {
      end++;
    }
    return line.substring(start, end);
  }

  private static boolean isOnly(String line, String c) {
    return line.chars().allMatch(other -> other == c.charAt(0));
  }

  /** Whether a line underlines a paragraph, or is a horizontal rule of hyphens. */
  private static boolean isRuler(String line, boolean isUnderline) {
    boolean hyphens = line.startsWith("-") && (isUnderline || line.length() >= 3);
    return (hyphens || isUnderline && line.startsWith("=")) && isOnly(line, line);
  }

  /** Whether a line is outside lists, quotes, tables and HTML, so that it can be underlined. */
  private static boolean isPlain(String line) {
    return "-*+>|<".indexOf(line.charAt(0)) < 0 && !Character.isDigit(line.charAt(0));
  }

  private void findLinks(String written, int offset) {
    if (links.size() >= MAX_LINKS
        || written.indexOf('<') < 0 && written.indexOf('[') < 0 && written.indexOf('%') < 0) {
      return;
    }
    String line = withoutCode(written);
    Matcher anchor = ANCHOR.matcher(line);
    while (anchor.find()) {
      IntStream.rangeClosed(1, anchor.groupCount())
          .mapToObj(anchor::group)
          .filter(Objects::nonNull)
          .forEach(path -> add(offset + anchor.start(), path));
    }
    Matcher template = TEMPLATE.matcher(line);
    while (template.find()) {
      addWiki(offset + template.start(), template.group(1));
    }
    Matcher definition = DEFINITION.matcher(line);
    if (definition.matches()) {
      String destination =
          definition.group(2).startsWith("<")
              ? destination(definition.group(2), 0)
              : definition.group(2).split("\\s", 2)[0];
      definitions.putIfAbsent(label(definition.group(1)), new Definition(offset, destination));
      return;
    }
    Matcher reference = REFERENCE.matcher(line);
    while (reference.find() && references.size() < MAX_REFERENCES) {
      String second = reference.group(2);
      boolean own = second == null || second.isBlank();
      references.put(offset + reference.start(), label(own ? reference.group(1) : second));
    }
    for (int at = line.indexOf("[["), close; at >= 0; at = line.indexOf("[[", close + 2)) {
      close = line.indexOf("]]", at);
      if (close < 0) {
        return;
      }
      addWiki(offset + at, line.substring(at + 2, close));
    }
    for (int at = line.indexOf("]("); at >= 0; at = line.indexOf("](", at + 2)) {
      add(offset + at, destination(line, at + 2));
    }
  }

  /**
   * Adds the link of each definition at every place that uses the definition. If no place uses it,
   * adds the link at the place of the definition.
   */
  private void resolve() {
    Set<String> used = new HashSet<>();
    references.forEach(
        (at, label) -> {
          Definition definition = definitions.get(label);
          if (definition != null) {
            used.add(label);
            add(at, definition.destination());
          }
        });
    definitions.forEach(
        (label, definition) -> {
          if (!used.contains(label)) {
            add(definition.at(), definition.destination());
          }
        });
    links.sort(Comparator.comparingInt(Link::at)); // a stable sort
  }

  /** Returns a label in lower case, with one blank for each run of blanks. */
  private static String label(String written) {
    return written.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
  }

  /** Returns a line with blanks instead of code spans; all other characters keep their places. */
  private static String withoutCode(String line) {
    int open = line.indexOf('`');
    if (open < 0) {
      return line;
    }
    StringBuilder out = new StringBuilder(line);
    while (open >= 0) {
      String ticks = run(line, open);
      int close = line.indexOf(ticks, open + ticks.length());
      if (close < 0) {
        break;
      }
      for (int i = open; i < close + ticks.length(); i++) {
        out.setCharAt(i, ' ');
      }
      open = line.indexOf('`', close + ticks.length());
    }
    return out.toString();
  }

  /** Returns the destination in the parentheses of a link, without the link's title. */
  private static String destination(String line, int start) {
    if (line.startsWith("<", start)) {
      int close = line.indexOf('>', start, Math.min(line.length(), start + MAX_TARGET));
      return close < 0 ? "" : line.substring(start + 1, close);
    }
    int depth = 1;
    for (int i = start; i < Math.min(line.length(), start + MAX_TARGET); i++) {
      char c = line.charAt(i);
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (depth == 0 || Character.isWhitespace(c)) {
        return line.substring(start, i);
      }
    }
    return "";
  }

  private void addWiki(int at, String inner) {
    int bar = inner.indexOf('|');
    // In a table, a backslash escapes the bar.
    String target = bar < 0 ? inner : inner.substring(0, bar).replaceFirst("\\\\$", "");
    Optional<Link> otherwise =
        bar < 0 ? Optional.empty() : link(at, true, inner.substring(bar + 1), Optional.empty());
    link(at, true, target, otherwise).ifPresent(this::add);
  }

  private void add(int at, String destination) {
    int colon = destination.indexOf(':');
    boolean isUrl =
        colon > 0 && destination.lastIndexOf('/', colon) < 0 || destination.startsWith("//");
    if (!isUrl && (destination.indexOf('.') < 0 || hasNoteEnding(destination))) {
      link(at, false, destination, Optional.empty())
          .map(
              link ->
                  new Link(
                      at, false, decoded(link.target()), decoded(link.heading()), Optional.empty()))
          .ifPresent(this::add);
    }
  }

  private static boolean hasNoteEnding(String destination) {
    int end = destination.indexOf('#');
    String path = (end < 0 ? destination : destination.substring(0, end));
    String name = NoteName.fileName(path);
    return name.indexOf('.') < 0 || NoteFiles.isNote(name);
  }

  private static Optional<Link> link(int at, boolean wiki, String whole, Optional<Link> otherwise) {
    int hash = whole.indexOf('#');
    String target = (hash < 0 ? whole : whole.substring(0, hash)).strip();
    String heading = hash < 0 ? "" : whole.substring(hash + 1).strip();
    return target.isEmpty() || target.length() > MAX_TARGET
        ? otherwise
        : Optional.of(new Link(at, wiki, target, heading, otherwise));
  }

  private void add(Link link) {
    if (links.size() < MAX_LINKS) {
      links.add(link);
    }
  }

  /** Decodes percent escapes of UTF-8. Text with invalid escapes stays as it is. */
  static String decoded(String path) {
    try {
      return path.indexOf('%') < 0
          ? path
          : URLDecoder.decode(path.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      return path;
    }
  }
}
