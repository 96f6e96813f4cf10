package dev.helixbg.insight.notes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.notes.FactFile.Span;
import dev.helixbg.insight.notes.Note.Section;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that facts can be removed from every form of file, or replaced, and that nothing else
 * changes.
 */
class FactFileTest {
  private static final int WAYS = 4;

  /** Files of facts in the style of agents, which {@code scripts/bench-memory} also uses. */
  private static final Path OTHERS = Path.of("src/test/resources/memory");

  @TempDir Path folder;

  private Path file;

  private List<Entry> entries(String text) throws IOException {
    return entries(text.getBytes(UTF_8));
  }

  private List<Entry> entries(byte[] bytes) throws IOException {
    file = folder.resolve("MEMORY.md");
    Files.write(file, bytes);
    Path log = folder.resolve("log/data.log");
    Files.createDirectories(log.getParent());
    NotesLog.update(log, NoteFiles.of(file), true, NotesItems.AUTO);
    return DataLog.read(log).entries();
  }

  private Optional<List<Span>> spans(List<Entry> gone, Map<Entry, String> instead)
      throws IOException {
    return FactFile.of("MEMORY.md", Files.readAllBytes(file), true, NotesItems.AUTO)
        .flatMap(facts -> facts.without(gone, instead));
  }

  private String without(String text, String... beginnings) throws IOException {
    List<Entry> all = entries(text);
    List<Entry> gone = Stream.of(beginnings).map(one -> named(all, one)).toList();
    return Span.changed(text, spans(gone, Map.of()).orElseThrow());
  }

  private String replaced(String text, String beginning, String by) throws IOException {
    Map<Entry, String> instead = Map.of(named(entries(text), beginning), by);
    return Span.changed(text, spans(List.of(), instead).orElseThrow());
  }

  private static Entry named(List<Entry> all, String beginning) {
    return all.stream()
        .filter(one -> one.text().content().strip().startsWith(beginning))
        .findFirst()
        .orElseThrow();
  }

  static final String LIST =
      """
      # Memory

      ## Build
      - Use mvnd for builds.
        It is faster
      than mvn.
        - only on Linux
          - not on old ones
      - The runner has two cores:

        ```
        - no item
        # no heading
        ```

        so two forks are enough.
      - Run `x`.

      ## Style
      1. Commit messages are imperatives.
      2) Records, not getters.
      """;

  @Test
  void anItemGoesWithItsContinuationAndAllThatIsUnderIt() throws Exception {
    assertEquals(
        LIST.substring(0, LIST.indexOf("- Use")) + LIST.substring(LIST.indexOf("- The runner")),
        without(LIST, "Use mvnd"));
    assertEquals(
        LIST.substring(0, LIST.indexOf("- The runner")) + LIST.substring(LIST.indexOf("- Run")),
        without(LIST, "The runner"));
  }

  @Test
  void theLastItemOfAListLeavesWhatSeparatesTheListFromTheNext() throws Exception {
    assertEquals(LIST.replace("- Run `x`.\n", ""), without(LIST, "Run"));
    assertEquals(LIST.replace("2) Records, not getters.\n", ""), without(LIST, "Records"));
  }

  @Test
  void ofAListWithBlankLinesOneGoesToo() throws Exception {
    String text = "# M\n\n- one\n\n- two\n\n- three\n\n- four\n\n- five\n\nEnd.\n";
    assertEquals(text.replace("- two\n\n", ""), without(text, "two"));
    assertEquals(text.replace("- one\n\n", ""), without(text, "one"));
    assertEquals(text.replace("- five\n\n", ""), without(text, "five"));
    String bare = "- one\n\n- two\n\n- three\n\n- four\n";
    assertEquals("- one\n\n- two\n\n- three\n", without(bare, "four"));
    assertEquals("- two\n\n- three\n\n- four\n", without(bare, "one"));
  }

  private static final String BLOCKS = "First.\n§\nSecond.\n§\nThird.\n§\nFourth.\n";

  @Test
  void aBlockGoesWithOneDivider() throws Exception {
    assertEquals("Second.\n§\nThird.\n§\nFourth.\n", without(BLOCKS, "First"));
    assertEquals("First.\n§\nThird.\n§\nFourth.\n", without(BLOCKS, "Second"));
    assertEquals("First.\n§\nSecond.\n§\nThird.\n", without(BLOCKS, "Fourth"));
  }

  @Test
  void twoBlocksBesideEachOtherGo() throws Exception {
    assertEquals(
        "First.\n§\nFourth.\n§\nFifth.\n",
        without("First.\n§\nSecond.\n§\nThird.\n§\nFourth.\n§\nFifth.\n", "Second", "Third"));
  }

  private static final String LESSONS =
      "# Learnings\n\nNewest first.\n\n"
          + "## One\n\nProblem: %1$s\n\nFix: that.\n\n".formatted("it broke. ".repeat(70))
          + "Two\n---\n\n- Problem: %1$s\n- Fix: this.\n\n".formatted("it stood. ".repeat(70))
          + "## Three\nLesson: %1$s\n".formatted("it lasts. ".repeat(70))
          + "## Four\n\nLesson: more.\n";

  @Test
  void aLessonGoesWithItsHeading() throws Exception {
    int two = LESSONS.indexOf("Two\n---");
    int three = LESSONS.indexOf("## Three");
    int four = LESSONS.indexOf("## Four");
    assertEquals(
        LESSONS.substring(0, LESSONS.indexOf("## One")) + LESSONS.substring(two),
        without(LESSONS, "One"));
    assertEquals(LESSONS.substring(0, two) + LESSONS.substring(three), without(LESSONS, "Two"));
    assertEquals(LESSONS.substring(0, three) + LESSONS.substring(four), without(LESSONS, "Three"));
    assertEquals(LESSONS.substring(0, four), without(LESSONS, "Four"));
  }

  @Test
  void marksOfOtherToolsStay() throws Exception {
    String list = "- One fact.\n- Two facts.\n- Three facts.\n- Four facts.\n<!-- tool:end -->\n";
    assertEquals(list.replace("- Four facts.\n", ""), without(list, "Four"));
    String lesson = "It broke, and then we mended it by hand.\n";
    String lessons =
        "## One\n%1$s\n## Two\n%1$s\n## Three\n%1$s\n## Four\n%1$s\n".formatted(lesson)
            + "[rb]: https://example.com \"A title\"\n[^1]: A note\n    with two lines.\n\n"
            + "<!-- tool:end\nof all -->\n</rules>\n";
    assertEquals(lessons.replace("## Four\n" + lesson + "\n", ""), without(lessons, "Four"));
    String few = "- One fact.\n- Two facts.\n";
    assertEquals("- Two facts.\n", without(few, "One"));
  }

  @Test
  void lineEndsByteOrderMarkAndAMissingLastLineEndStay() throws Exception {
    String text = "\uFEFF- one\r\n  more\r\n- two\r\n- three\r\n- four";
    assertEquals("\uFEFF- two\r\n- three\r\n- four", without(text, "one"));
    assertEquals("\uFEFF- one\r\n  more\r\n- two\r\n- four", without(text, "three"));
    assertEquals("\uFEFF- one\r\n  more\r\n- two\r\n- three\r\n", without(text, "four"));
  }

  @Test
  void frontMatterAndChineseStay() throws Exception {
    String text =
        "---\n"
            + "helix-bg: items\n"
            + "---\n\n"
            + "## 构建\n"
            + "- 使用 mvnd。\n"
            + "- 测试需要两个核心。\n"
            + "  - 仅限 Linux\n"
            + "- 不要提交密钥。\n"
            + "- e\u0301te\u0301\n";
    assertEquals(text.replace("- 测试需要两个核心。\n  - 仅限 Linux\n", ""), without(text, "测试"));
    assertEquals(text.replace("- e\u0301te\u0301\n", ""), without(text, "\u00e9t"));
  }

  @Test
  void aRuleBetweenListsIsOfNoItem() throws Exception {
    String text = "- one\n- two\n---\n- three\n- four\n***\n- five\n";
    assertEquals("- one\n---\n- three\n- four\n***\n- five\n", without(text, "two"));
  }

  @Test
  void anotherTextComesInTheFormOfTheOldOne() throws Exception {
    assertEquals(
        LIST.replace("1. Commit messages are imperatives.", "1. Say\n\n   why\n   - always"),
        replaced(LIST, "Commit", "Say\n\nwhy\n- always"));
    String windows = LIST.replace("\n", "\r\n");
    assertEquals(
        windows.replace("- Run `x`.", "- Run it\r\n  twice."),
        replaced(windows, "Run", "Run it\ntwice."));
    assertEquals(
        "One.\n§\n- x\n  y\n§\nThree.", replaced("One.\n§\nTwo.\n§\nThree.", "Two", "- x\n  y"));
    assertEquals("One.\n§\nTwo.\n§\nx\ny", replaced("One.\n§\nTwo.\n§\nThree.", "Three", "x\ny"));
    assertEquals(
        LESSONS.replace("Lesson: more.", "It is so.\nAlways."),
        replaced(LESSONS, "Four", "Four\n\nIt is so.\nAlways."));
  }

  @Test
  void whatWouldChangeOthersIsNotDone() throws Exception {
    String text = "- one\n- two\n - three\n  - four\n- five\n- six\n";
    List<Entry> all = entries(text);
    assertTrue(all.stream().anyMatch(one -> one.text().content().equals("four")), text);
    assertEquals(Optional.empty(), spans(List.of(named(all, "three")), Map.of()));
    assertEquals(
        Optional.empty(), spans(List.of(), Map.of(named(all, "six"), "a new one\n\n- x\n§\ny")));
  }

  @Test
  void aFileThatHasChangedOrIsNotInUtf8HasNoSpans() throws Exception {
    List<Entry> all = entries("- one\n- two\n- three\n- four\n");
    Files.writeString(file, "- one\n- two, by now\n- three\n- four\n");
    assertEquals(Optional.empty(), spans(List.of(named(all, "two")), Map.of()));
    assertTrue(spans(List.of(named(all, "three")), Map.of()).isPresent());
    List<Entry> latin = entries("- \u00e9t\u00e9\n- two\n- three\n".getBytes("ISO-8859-1"));
    assertEquals(Optional.empty(), spans(List.of(latin.get(1)), Map.of()));
    List<Entry> wide = entries("- one\n- two\n- three\n".getBytes("UTF-16"));
    assertEquals(Optional.empty(), spans(List.of(wide.get(1)), Map.of()));
  }

  /**
   * Removes single facts of each file, and checks that all other facts keep their texts and names.
   * Tests some facts from the first to the last; with {@code -Dproofs.all}, all facts.
   */
  @ParameterizedTest
  @MethodSource("forms")
  void withoutAnyFactAllOthersAreAsTheyWere(String variant) throws Exception {
    List<Entry> all = entries(variant);
    int step = Boolean.getBoolean("proofs.all") ? 1 : Math.max(1, all.size() / 3);
    for (int i = all.size() - 1; i >= 0; i -= step) {
      Entry gone = all.get(i);
      if (!gone.isFact()) {
        continue;
      }
      Files.writeString(file, variant);
      List<Span> spans =
          spans(List.of(gone), Map.of()).orElseThrow(() -> new AssertionError(gone.body()));
      List<Span> back = spans.stream().map(one -> new Span(one.at(), one.is(), one.was())).toList();
      String after = Span.changed(variant, spans);
      assertEquals(variant, Span.changed(after, back));
      if (all.size() > Items.LEAST) { // otherwise, the rest is no longer a list of facts
        String name = gone.text().part().orElse("").replaceFirst(", number \\d+$", "");
        List<String> left = facts(variant, name);
        left.remove(fact(NoteName.of(gone).orElseThrow(), said(variant, gone), name));
        assertEquals(left, facts(after, name), gone.body());
      }
    }
  }

  private static List<Section> sections(String text) {
    return Note.of(
            "MEMORY.md",
            NoteDecoder.text(text.getBytes(UTF_8)).orElseThrow(),
            new Items.Given(true, NotesItems.AUTO))
        .sections();
  }

  private static String said(String text, Entry entry) {
    NoteName place = NoteName.of(entry).orElseThrow();
    return sections(text).stream()
        .filter(one -> one.place().equals(place))
        .findFirst()
        .orElseThrow()
        .text();
  }

  private static List<String> facts(String text, String name) {
    return new ArrayList<>(
        sections(text).stream().map(one -> fact(one.place(), one.text(), name)).toList());
  }

  /**
   * Returns name and text of a fact. Facts with equal names have numbers, which change when one of
   * the facts is removed.
   */
  private static String fact(NoteName place, String text, String name) {
    String part = place.part().replaceFirst("^\\Q" + name + "\\E, number \\d+$", name);
    return place.heading() + " (" + part + ") " + text;
  }

  /**
   * Returns the test files: each form with each kind of line end and file end, and each other file
   * with one of these.
   */
  static List<String> forms() throws IOException {
    List<String> texts = new ArrayList<>();
    for (String form : List.of(LIST, LESSONS, BLOCKS)) {
      for (int way = 0; way < WAYS; way++) {
        texts.add(written(form, way));
      }
    }
    try (Stream<Path> all = Files.walk(OTHERS)) {
      for (Path other : all.filter(one -> one.toString().endsWith(".md")).sorted().toList()) {
        texts.add(written(Files.readString(other), texts.size() % WAYS));
      }
    }
    return texts;
  }

  private static String written(String text, int way) {
    return switch (way) {
      case 0 -> text;
      case 1 -> text.replace("\n", "\r\n");
      case 2 -> "\uFEFF" + text;
      default -> text.strip();
    };
  }
}
