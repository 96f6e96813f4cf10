package dev.helixbg.insight.notes;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.notes.MarkdownScan.Heading;
import dev.helixbg.insight.notes.MarkdownScan.Link;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * One file as it is read: what it says about itself, and its sections. A short file is one section;
 * a long one is divided at its headings, at those of the highest level first, and a part that is
 * still long at those below.
 *
 * @param path of the file, from the folder
 * @param title its front matter's, else its first heading of level 1 if it begins with one, else
 *     its name
 * @param cut how it was divided; without the texts of its items
 */
record Note(String path, String title, FrontMatter matter, List<Section> sections, Items.Cut cut) {
  /** In characters: what is shorter is one entry. About four pages of what is embedded at once. */
  static final int LONG = 6_000;

  /** Longest lesson of a memory file, in characters. */
  private static final int LESSON = 600;

  /** The last one has all that follows. */
  private static final int MAX_SECTIONS = 500;

  private static final int MAX_TITLE = 200;

  /** Link {@code [words](path)} within a heading, which is read as words. */
  private static final Pattern LINK = Pattern.compile("!?\\[([^\\[\\]]*)\\]\\([^()]*\\)");

  private static final Pattern MARKUP = Pattern.compile("`|\\*\\*|\\[\\[|\\]\\]");

  /** Most headings above a section that name it. */
  private static final int MAX_NAMED = 4;

  /**
   * @param place of which no other section has the same
   * @param headings down to its own, without the title of the note
   * @param text without its own heading
   * @param isFact whether it is an item of a list or a lesson
   * @param newestFirst the direction of the list that a fact is of, where it is known
   * @param minutes of a fact, as a data.log has them; 0 when unknown
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
    /** The place of a fact; empty for any other section. */
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
   * Where a section stands in the text of its file.
   *
   * @param line of its first word, from 1
   * @param start of its first line, that of its own heading or its marker
   * @param said where its text begins, after a heading
   * @param end of its last line
   */
  record Span(int line, int start, int said, int end) {}

  private static final int MAX_TAGS = 50;
  private static final int MAX_ALIASES = 20;

  /** Returns the tags in the form that an entry can have between commas. */
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

  /**
   * Returns the note without its texts, as a target of links when the texts are no longer needed.
   */
  Note withoutTexts() {
    return new Note(
        path,
        title,
        matter,
        sections.stream().map(Section::withoutText).toList(),
        cut.withoutItems());
  }

  /** A heading in one line, bounded, fit for a name. */
  private static String plain(String heading) {
    String words = MARKUP.matcher(LINK.matcher(heading).replaceAll("$1")).replaceAll("").strip();
    return PrintableText.beginning(
        PrintableText.line(words.isEmpty() ? heading : words).strip(), MAX_TITLE);
  }

  static Note of(String path, String text) {
    return of(path, text, new Items.Given(false, NotesItems.AUTO));
  }

  static Note of(String path, String text, Items.Given given) {
    FrontMatter matter = FrontMatter.of(text);
    String body = text.substring(matter.end());
    MarkdownScan.Marks found = MarkdownScan.of(body);
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
      Map<String, Long> uses =
          headings.stream().collect(Collectors.groupingBy(Heading::title, Collectors.counting()));
      headings.removeIf(heading -> uses.get(heading.title()) >= Items.LEAST); // parts of lessons
    }
    Division division =
        new Division(path, text, matter.end(), headings, links, start > 0, cut.way());
    if (cut.way() == Items.Way.ITEMS) {
      division.divide(cut.items());
    } else {
      division.divide(start, body.length(), start, 0, headings.size(), List.of(), "");
    }
    return new Note(path, title, matter, division.timed(), cut);
  }

  /** Properties such as {@code related: "[[pond]]"}, which lead from the beginning of the text. */
  private static List<Link> linksOf(FrontMatter matter, int start) {
    return matter.values().values().stream()
        .flatMap(List::stream)
        .filter(value -> value.indexOf('[') >= 0)
        .flatMap(value -> MarkdownScan.of(value).links().stream())
        .map(link -> link.at(start))
        .toList();
  }

  /** The name without its ending, in words. */
  private static String fileTitle(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    return name.substring(0, Math.max(1, name.lastIndexOf('.')))
        .replace('-', ' ')
        .replace('_', ' ');
  }

  /** The work of dividing one text. */
  private static final class Division {
    private final String path;
    private final String file;
    private final String text;
    private final int offset;
    private final List<Heading> headings;
    private final List<Link> links;
    private final boolean titled;
    private final Items.Way way;
    private final int longest;
    private final List<Section> sections = new ArrayList<>();
    private final Map<String, Integer> names = new HashMap<>();

    /** The line of the place in the file that was looked at last. */
    private int line = 1;

    private int lineOf;

    /**
     * @param file its whole text
     * @param offset of what is divided, after the front matter
     * @param headings without one that is the title
     * @param titled whether there is one
     */
    Division(
        String path,
        String file,
        int offset,
        List<Heading> headings,
        List<Link> links,
        boolean titled,
        Items.Way way) {
      this.path = path;
      this.file = file;
      this.text = file.substring(offset);
      this.offset = offset;
      this.headings = headings;
      this.links = links;
      this.titled = titled;
      this.way = way;
      this.longest = way == Items.Way.SECTIONS ? LESSON : LONG;
    }

    /** The sections that were made; facts have the times that are known. */
    List<Section> timed() {
      return sections.stream()
          .filter(Section::isFact)
          .findFirst()
          .map(first -> file.substring(offset, first.span().start()))
          .map(before -> ItemTimes.in(sections, before))
          .orElse(List.copyOf(sections));
    }

    /**
     * @param start of the text, after its own heading
     * @param own where its own heading begins, or else it
     * @param from of the headings in it
     * @param above the headings that it is under, its own last
     * @param part which part of those it is, in words; empty for the whole
     */
    void divide(int start, int end, int own, int from, int to, List<String> above, String part) {
      boolean isShort = end - start <= longest && !(way == Items.Way.SECTIONS && above.isEmpty());
      if (isShort || from == to || sections.size() >= MAX_SECTIONS) {
        add(start, end, own, above, part);
        return;
      }
      int level = headings.subList(from, to).stream().mapToInt(Heading::level).min().orElseThrow();
      int next = next(from, to, level);
      if (next > from) { // lower ones before the first of the highest level
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

    /** A section for each item of a list, under the headings above it. */
    void divide(List<Items.Item> items) {
      List<Heading> above = new ArrayList<>();
      int next = 0;
      for (Items.Item item : items) {
        while (next < headings.size() && headings.get(next).start() < item.start()) {
          Heading heading = headings.get(next++);
          above.removeIf(other -> other.level() >= heading.level());
          above.add(heading);
        }
        List<String> titles = above.stream().map(heading -> plain(heading.title())).toList();
        add(
            item.start(),
            item.end(),
            item.start(),
            item.text(),
            titles,
            NoteName.item(item.text()));
      }
    }

    private int uses(String heading, String part) {
      return names.merge(heading.strip() + "\n" + part, 1, Integer::sum);
    }

    private int next(int from, int to, int level) {
      int next = from;
      while (next < to && headings.get(next).level() > level) {
        next++;
      }
      return next;
    }

    private void add(int start, int end, int own, List<String> above, String part) {
      add(start, end, own, text.substring(start, end).strip(), above, part);
    }

    private void add(int start, int end, int own, String said, List<String> above, String part) {
      if (said.isEmpty()) {
        return; // a heading that only others follow
      }
      List<String> named = above.subList(Math.max(0, above.size() - MAX_NAMED), above.size());
      String heading = String.join("#", named);
      int uses = uses(heading, part);
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
              new Span(line(first + offset), first + offset, start + offset, end + offset),
              isFact(heading),
              Optional.empty(),
              0));
    }

    /** Sections of other text, and what is before the first heading, are no facts. */
    private boolean isFact(String heading) {
      return way == Items.Way.ITEMS || way == Items.Way.SECTIONS && !heading.isBlank();
    }

    /** The line of the first word from a place on; places are asked for in their order. */
    private int line(int start) {
      int at = start;
      while (at < file.length() && Character.isWhitespace(file.charAt(at))) {
        at++;
      }
      for (; lineOf < at; lineOf++) {
        line += file.charAt(lineOf) == '\n' ? 1 : 0;
      }
      return line;
    }
  }
}
