package dev.helixbg.insight.notes;

import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.notes.MarkdownScan.Heading;
import dev.helixbg.insight.notes.MarkdownScan.Link;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * One file of notes, with front matter and sections. A short file is one section. A long file is
 * divided at its highest headings. A part that is still long is divided at the headings of the next
 * level, and so on.
 *
 * @param path the path of the file, relative to the folder
 * @param title title in the front matter; otherwise the first heading, if it has level 1; otherwise
 *     the file name
 * @param cut how a memory file was divided, in words; empty for other notes
 */
record Note(String path, String title, FrontMatter matter, List<Section> sections, String cut) {
  /** Maximum length of an undivided file, in characters: four times what the model embeds. */
  static final int LONG = 6_000;

  /** Maximum length of a lesson of a memory file, in characters. */
  private static final int LESSON = 600;

  /** Maximum number of sections; the last section contains the rest of the file. */
  private static final int MAX_SECTIONS = 500;

  private static final int MAX_TITLE = 200;

  /** A link {@code [words](path)} in a heading; only its words are kept. */
  private static final Pattern LINK = Pattern.compile("!?\\[([^\\[\\]]*)\\]\\([^()]*\\)");

  /** Parts of a text that have no words: comments, tags and the lines around fenced code. */
  private static final Pattern WORDLESS =
      Pattern.compile(
          "<!--(?s:.*?)(?:-->|\\z)|</?[a-zA-Z][^<>]*>|(?m:^[ \\t]*(?:`{3}|~{3})[^\\n]*$)");

  private static final Pattern LETTER = Pattern.compile("\\p{L}");

  /** A line that introduces the list below it. */
  static final Pattern LEAD_IN = Pattern.compile("[^\\n]*[:：][*_]{0,2}");

  private static final Pattern MARKUP = Pattern.compile("`|\\*\\*|\\[\\[|\\]\\]");

  /** Maximum number of headings above a section that are part of its name. */
  private static final int MAX_NAMED = 4;

  /**
   * @param place file, heading and part of the section; no other section has the same place
   * @param headings the headings above the section, then its own; not the title of the note
   * @param text text of the section, without its own heading
   * @param isFact whether the section is an item of a list, or a lesson
   * @param newestFirst for a fact, whether its list has the newest fact first, if that is known
   * @param minutes the time of a fact in local minutes since 1970-01-01 00:00; 0 if unknown
   */
  record Section(
      NoteName place,
      List<String> headings,
      String text,
      List<Link> links,
      Span span,
      boolean isFact,
      Optional<Boolean> newestFirst,
      int minutes) {
    Optional<EntryText.Position> position() {
      return isFact
          ? Optional.of(new EntryText.Position(span.line(), newestFirst))
          : Optional.empty();
    }

    Section at(int time) {
      return new Section(place, headings, text, links, span, isFact, newestFirst, time);
    }

    Section ordered(Optional<Boolean> direction) {
      return new Section(place, headings, text, links, span, isFact, direction, minutes);
    }

    Section withoutText() {
      return new Section(place, headings, "", links, span, isFact, newestFirst, minutes);
    }
  }

  /**
   * The position of a section. Offsets are in UTF-16 units, counted from the start of the file.
   *
   * @param line number of the line with the first word, from 1
   * @param start offset of the heading or list marker
   * @param said offset of the text after the heading; equal to {@code start} for a list item
   * @param end offset of the end, exclusive
   */
  record Span(int line, int start, int said, int end) {}

  private static final int MAX_TAGS = 50;
  private static final int MAX_ALIASES = 20;

  /** Returns the tags without commas, so that an entry can list them with commas between them. */
  List<String> tags() {
    return matter.tags().stream()
        .map(tag -> plain(tag).replace(',', ' '))
        .filter(tag -> !tag.isBlank())
        .limit(MAX_TAGS)
        .toList();
  }

  List<String> aliases() {
    return matter.all("aliases", "alias").stream().map(Note::plain).limit(MAX_ALIASES).toList();
  }

  List<Section> facts() {
    return sections.stream().filter(Section::isFact).toList();
  }

  /** Returns the note without its texts, to save memory. It can still be the target of links. */
  Note withoutTexts() {
    List<Section> linked = sections.stream().map(Section::withoutText).toList();
    return new Note(path, title, matter, linked, cut);
  }

  /** Returns a heading in the form of a name: on one line, without markup, of limited length. */
  private static String plain(String heading) {
    String words = MARKUP.matcher(LINK.matcher(heading).replaceAll("$1")).replaceAll("").strip();
    return PrintableText.beginning(
        PrintableText.line(words.isEmpty() ? heading : words).strip(), MAX_TITLE);
  }

  static Note of(String path, String text, Items.Given given) {
    FrontMatter matter = FrontMatter.of(text);
    String body = text.substring(matter.end());
    MarkdownScan found = MarkdownScan.of(body);
    List<Heading> headings = new ArrayList<>(found.headings());
    int start = 0;
    String title = fileTitle(path);
    if (!headings.isEmpty()
        && headings.getFirst().level() == 1
        && body.substring(0, headings.getFirst().start()).isBlank()) {
      Heading first = headings.removeFirst();
      start = first.end();
      title = first.title().isBlank() ? title : first.title();
    }
    title = plain(matter.first("title").orElse(title));
    List<Link> links = new ArrayList<>(found.links());
    links.addAll(linksOf(matter, start));
    Items.Cut cut = Items.of(path, given, matter, body, start, headings);
    if (cut.way() == Items.Way.SECTIONS) {
      removeParts(headings);
    }
    int[] lineEnds =
        IntStream.range(0, text.length()).filter(i -> text.charAt(i) == '\n').toArray();
    Division division =
        new Division(
            path,
            body,
            matter.end(),
            lineEnds,
            headings,
            links,
            start > 0,
            cut.way(),
            new ArrayList<>(),
            new HashMap<>());
    if (cut.way() == Items.Way.ITEMS) {
      division.divide(cut.items(), start);
    } else {
      division.divide(start, body.length(), start, 0, headings.size(), List.of(), "");
    }
    boolean isMixed = cut.way() == Items.Way.ITEMS && !division.areAllFacts();
    String why = cut.why() + (isMixed ? " and the text between them" : "");
    return new Note(path, title, matter, division.timed(), why);
  }

  /** Removes undated headings that recur as a part of several lessons, such as <em>Context</em>. */
  private static void removeParts(List<Heading> headings) {
    Map<String, Long> uses =
        headings.stream().collect(Collectors.groupingBy(Heading::title, Collectors.counting()));
    Map<String, Set<Integer>> lessons = new HashMap<>();
    int lesson = 0;
    for (Heading heading : headings) {
      String title = heading.title();
      if (uses.get(title) < Items.LEAST || ItemTimes.ANY.matcher(title).find()) {
        lesson++;
      } else {
        lessons.computeIfAbsent(title, _ -> new HashSet<>()).add(lesson);
      }
    }
    headings.removeIf(one -> lessons.getOrDefault(one.title(), Set.of()).size() >= Items.LEAST);
  }

  /** Returns links in properties like {@code up: "[[pond]]"}; all have the offset {@code start}. */
  private static List<Link> linksOf(FrontMatter matter, int start) {
    return matter.values().values().stream()
        .flatMap(List::stream)
        .filter(value -> value.indexOf('[') >= 0)
        .flatMap(value -> MarkdownScan.of(value).links().stream())
        .map(link -> link.at(start))
        .toList();
  }

  /** Returns the file name without its ending, with blanks between words. */
  private static String fileTitle(String path) {
    String page = NoteName.withoutEnding(path).replaceFirst("/_?index$", ""); // as in Hugo
    return NoteName.fileName(page).replace('-', ' ').replace('_', ' ');
  }

  /**
   * Divides the text of a file. The text begins after the front matter, at {@code offset}.
   *
   * @param headings the headings without the title
   * @param lineEnds the offsets of all line feeds in the whole file
   */
  private record Division(
      String path,
      String text,
      int offset,
      int[] lineEnds,
      List<Heading> headings,
      List<Link> links,
      boolean titled,
      Items.Way way,
      List<Section> sections,
      Map<String, Integer> names) {

    boolean areAllFacts() {
      return sections.stream().allMatch(Section::isFact);
    }

    /** Returns the sections, with the times of facts where they are known. */
    List<Section> timed() {
      List<Section> facts = sections.stream().filter(Section::isFact).toList();
      if (facts.isEmpty()) {
        return List.copyOf(sections);
      }
      String before = text.substring(0, facts.getFirst().span().start() - offset);
      Iterator<Section> timed = ItemTimes.in(facts, before).iterator();
      return sections.stream().map(one -> one.isFact() ? timed.next() : one).toList();
    }

    /**
     * Adds the text from {@code start} to {@code end} as a section, or divides it at its headings.
     *
     * @param own the start of the section's own heading, or of its text if it has no heading
     * @param from index of the first heading in the text; {@code to} is the index after the last
     * @param above the headings above the section, followed by its own heading
     * @param part name of the part of a section to which the text belongs, such as {@code before
     *     its first heading}; empty for a whole section
     */
    void divide(int start, int end, int own, int from, int to, List<String> above, String part) {
      int longest = way == Items.Way.SECTIONS ? LESSON : LONG;
      boolean isShort = end - start <= longest && !(way == Items.Way.SECTIONS && above.isEmpty());
      if (isShort || from == to || sections.size() >= MAX_SECTIONS) {
        add(start, end, own, above, part);
        return;
      }
      int level = headings.subList(from, to).stream().mapToInt(Heading::level).min().orElseThrow();
      int next = next(from, to, level);
      if (next > from) { // headings of lower levels precede the first heading of the highest level
        String before = NoteName.BEFORE_FIRST + NoteName.OF_LEVEL + level;
        divide(start, headings.get(next).start(), start, from, next, above, before);
      } else {
        boolean afterTitle = titled && above.isEmpty();
        String before = NoteName.BEFORE_FIRST + (afterTitle ? NoteName.OF_LEVEL + level : "");
        add(start, headings.get(from).start(), own, above, before);
      }
      while (next < to) {
        Heading heading = headings.get(next);
        int after = sections.size() >= MAX_SECTIONS ? to : next(next + 1, to, level);
        int partEnd = after < to ? headings.get(after).start() : end;
        List<String> under = new ArrayList<>(above);
        under.add(plain(heading.title()));
        divide(heading.end(), partEnd, heading.start(), next + 1, after, under, "");
        next = after;
      }
    }

    /** Adds each item, and each text between items, as a section under the headings above it. */
    void divide(List<ItemScan.Item> items, int start) {
      List<Heading> above = new ArrayList<>();
      int from = start;
      int next = 0;
      for (ItemScan.Item item : items) {
        for (; next < headings.size() && headings.get(next).start() < item.start(); next++) {
          from = addBetween(from, headings.get(next), above);
        }
        addBetween(from, item.start(), above);
        from = item.end();
        add(
            item.start(),
            item.end(),
            item.start(),
            item.text(),
            titles(above),
            NoteName.item(item.text()));
      }
      for (Heading heading : headings.subList(next, headings.size())) {
        from = addBetween(from, heading, above);
      }
      addBetween(from, text.length(), above);
    }

    /**
     * Adds the text before a heading as a section, and the heading to the list {@code above}.
     * Returns the end of the heading.
     */
    private int addBetween(int from, Heading heading, List<Heading> above) {
      addBetween(from, heading.start(), above);
      above.removeIf(other -> other.level() >= heading.level());
      above.add(heading);
      return Math.max(from, heading.end());
    }

    /** Adds text between items as a section if it has words and does not only introduce a list. */
    private void addBetween(int from, int to, List<Heading> above) {
      String said = from < to ? text.substring(from, to).strip() : "";
      String words = WORDLESS.matcher(said).replaceAll("").strip();
      if (LETTER.matcher(words).find() && !LEAD_IN.matcher(words).matches()) {
        add(from, to, from, said, titles(above), NoteName.BETWEEN);
      }
    }

    private static List<String> titles(List<Heading> headings) {
      return headings.stream().map(heading -> plain(heading.title())).toList();
    }

    private int next(int from, int to, int level) {
      int next = from;
      while (next < to && headings.get(next).level() > level) {
        next++;
      }
      return next;
    }

    private void add(int start, int end, int own, List<String> above, String part) {
      int last = way == Items.Way.SECTIONS ? ItemScan.endOfLesson(text, start, end) : end;
      add(start, last, own, text.substring(start, last).strip(), above, part);
    }

    private void add(int start, int end, int own, String said, List<String> above, String part) {
      if (said.isEmpty()) {
        return; // the heading has no text, only other headings below it
      }
      List<String> named = above.subList(Math.max(0, above.size() - MAX_NAMED), above.size());
      String heading = String.join("#", named);
      int uses = names.merge(heading.strip() + "\n" + part, 1, Integer::sum);
      int first = part.startsWith(NoteName.BEFORE_FIRST) ? start : own;
      String which =
          Stream.of(
                  heading.isBlank() && !named.isEmpty() ? NoteName.UNTITLED : "",
                  part,
                  uses == 1 ? "" : NoteName.NUMBER + uses)
              .filter(words -> !words.isEmpty())
              .collect(Collectors.joining(", "));
      sections.add(
          new Section(
              new NoteName(path, heading.strip(), which),
              named,
              said,
              links.stream().filter(link -> link.at() >= start && link.at() < end).toList(),
              new Span(line(first), first + offset, start + offset, end + offset),
              way == Items.Way.ITEMS && !part.equals(NoteName.BETWEEN)
                  || way == Items.Way.SECTIONS && !heading.isBlank(),
              Optional.empty(),
              0));
    }

    /** Returns the line number, in the whole file, of the first word at or after {@code start}. */
    private int line(int start) {
      int at = start;
      while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
        at++;
      }
      return -Arrays.binarySearch(lineEnds, offset + at);
    }
  }
}
