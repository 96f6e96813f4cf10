package dev.helixbg.insight.notes;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.notes.ItemScan.Item;
import dev.helixbg.insight.notes.MarkdownScan.Heading;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides how a file of facts, such as {@code MEMORY.md}, is cut into items, each of which becomes
 * an entry. If the file has lines that contain only {@value ItemScan#DIVIDER}, the items are the
 * blocks between these lines. In any other file, each item of a Markdown list is an item, with all
 * lines indented under it. If these items are not a list of facts, the file is cut at its headings
 * or, if it has fewer than {@value #LEAST} headings, into paragraphs.
 *
 * <p>The items of a list of facts contain most of the text. There are at least {@value #LEAST}
 * items; fewer are enough if the file has no other text or fewer than {@value #LEAST} headings.
 * Checklists, lists of links, changelogs, templates and READMEs are not lists of facts, because
 * their items say nothing by themselves.
 */
final class Items {
  static final int LEAST = 3;

  /** Maximum number of items of a memory file. A file with more items is data. */
  private static final int MOST = 2_000;

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

  /** A label at the beginning of an item, such as {@code **Problem**:}. */
  private static final Pattern LABEL =
      Pattern.compile(
          "\\*{0,2}([\\p{L}][\\p{L} ]{1,24})(?:\\*\\*[:：]|[:：]\\*{0,2})\\s.*", Pattern.DOTALL);

  private static final Pattern SENTENCE = Pattern.compile(".*[.!?。！？][*_`)\"”]{0,3}\\s*");

  /** Minimum number of headings above list items for the headings to be lessons, not chapters. */
  private static final int LESSONS = 5;

  /** The heading of a chapter: at most three words or six Chinese characters, and no number. */
  private static final Pattern SUBJECT =
      Pattern.compile(
          "[^\\p{L}\\p{N}]*(?:(?:\\p{IsHan}{1,2}|[\\p{L}\\p{M}&&[^\\p{IsHan}]]++)[^\\p{L}\\p{M}\\p{N}]*+){1,3}");

  /** Minimum mean number of items per heading in a list of facts (measured on 50 public files). */
  private static final double PER_LESSON = 4.5;

  /** Maximum number of items with the same label in a list of facts; lessons repeat labels. */
  private static final int MOST_LABELLED = 2;

  private static final Pattern CHECKBOX = Pattern.compile("\\[[ xX]\\]\\s.*", Pattern.DOTALL);

  /** An item that begins with a link, and therefore only describes another file. */
  private static final Pattern LINK =
      Pattern.compile("(?:\\*\\*)?!?\\[[^\\[\\]]*\\]\\(.*|(?:\\*\\*)?\\[\\[.*", Pattern.DOTALL);

  enum Way {
    ITEMS,
    SECTIONS,
    WHOLE
  }

  /** How a file is cut. {@code why} is the reason in words, empty if it is not a memory file. */
  record Cut(Way way, List<Item> items, String why) {}

  /** Settings for a file. If the user named the file itself, it counts as a memory file. */
  record Given(boolean named, NotesItems items) {}

  private Items() {}

  /** Whether a file has a name or a path that agents use for files of facts. */
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
      return new Cut(Way.WHOLE, List.of(), isMemory ? "whole: the user has set this" : "");
    }
    ItemScan found = new ItemScan(text, headings);
    boolean isDivided = found.divided(from);
    if (!isDivided) {
      found.listed(from);
    }
    String form = isDivided ? BLOCKS : "items of lists";
    if (forced && found.items().size() >= LEAST) {
      return new Cut(Way.ITEMS, found.items(), form);
    }
    return isOneFact(matter, text.substring(from), found.items())
        ? whole("one fact")
        : decided(path, headings.size(), from, found, form);
  }

  private static Cut whole(String why) {
    return new Cut(Way.WHOLE, List.of(), "whole: " + why);
  }

  /**
   * Whether a file is one fact, as Claude Code writes it: the front matter has a name and a type,
   * and the text has fewer than {@value #LEAST} list items or a line such as {@code Why:}.
   */
  private static boolean isOneFact(FrontMatter matter, String text, List<Item> items) {
    return matter.first("name").isPresent()
        && matter.first("type", "metadata.type").isPresent()
        && (items.size() < LEAST
            || text.lines().anyMatch(line -> ItemScan.PART.matcher(line).lookingAt()));
  }

  private static Cut decided(String path, int sections, int from, ItemScan found, String form) {
    if (NO_FACTS.matcher(NoteName.withoutEnding(name(path))).matches()) {
      return whole("a README, a changelog or a template");
    }
    List<Item> items = found.items();
    int inItems = items.stream().mapToInt(item -> item.text().length()).sum();
    boolean areEnough = items.size() >= LEAST || found.others() == 0 || sections < LEAST;
    boolean isList = areEnough && inItems > found.others();
    if ((isList || items.size() >= LEAST) && areMostly(items, CHECKBOX)) {
      return whole("a checklist");
    }
    boolean areOfLessons = areLessons(found.headingsOfItems(), items.size()) || areFields(items);
    if (isList && items.size() <= MOST && !areOfLessons) {
      return areMostly(items, LINK)
          ? new Cut(Way.WHOLE, List.of(), "an index of other files")
          : new Cut(Way.ITEMS, items, form);
    }
    if (sections >= LEAST) {
      return new Cut(Way.SECTIONS, List.of(), "sections under headings");
    }
    List<Item> paragraphs = found.paragraphs(from);
    boolean areLines = areSentences(paragraphs);
    List<Item> facts = areLines ? found.lines(paragraphs.getFirst()) : paragraphs;
    return facts.size() >= LEAST && facts.size() <= MOST
        ? new Cut(Way.ITEMS, facts, areLines ? "lines" : "paragraphs")
        : whole("no list of facts");
  }

  /** Whether headings have few items each, and at most half of the headings look like chapters. */
  private static boolean areLessons(Set<Heading> headings, int items) {
    return headings.size() >= LESSONS
        && items < PER_LESSON * headings.size()
        && 2 * headings.stream().filter(one -> SUBJECT.matcher(one.title()).matches()).count()
            <= headings.size();
  }

  /** Whether most items begin with a recurring label, such as <em>Fix:</em> in lessons. */
  private static boolean areFields(List<Item> items) {
    Map<String, Integer> labels = new HashMap<>();
    for (Item item : items) {
      Matcher found = LABEL.matcher(item.text());
      if (found.matches()) {
        labels.merge(found.group(1).strip().toLowerCase(Locale.ROOT), 1, Integer::sum);
      }
    }
    int fields =
        labels.values().stream().mapToInt(count -> count > MOST_LABELLED ? count : 0).sum();
    return labels.size() > 1 && 2 * fields > items.size();
  }

  /** Whether there is only one paragraph, with a sentence on each of its lines. */
  private static boolean areSentences(List<Item> items) {
    return items.size() == 1
        && items
            .getFirst()
            .text()
            .lines()
            .allMatch(
                line ->
                    SENTENCE.matcher(line).matches() && !ItemScan.PART.matcher(line).lookingAt());
  }

  private static boolean areMostly(List<Item> items, Pattern form) {
    return 2 * items.stream().filter(item -> form.matcher(item.text()).matches()).count()
        > items.size();
  }
}
