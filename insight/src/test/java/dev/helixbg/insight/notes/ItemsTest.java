package dev.helixbg.insight.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.notes.Note.Section;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that each fact of a list becomes an entry, and that any other file is not cut. */
class ItemsTest {
  private static final String MEMORY = FactFileTest.LIST;

  private static final Items.Given NAMED = new Items.Given(true, NotesItems.AUTO);

  private static Note note(String text) {
    return NoteTest.note("MEMORY.md", text);
  }

  private static List<String> texts(String text) {
    return note(text).sections().stream().map(Section::text).toList();
  }

  private static List<String> headings(String text) {
    return note(text).sections().stream().map(one -> one.place().heading()).toList();
  }

  private static List<NoteName> places(String text) {
    return note(text).sections().stream().map(Section::place).toList();
  }

  private static List<Integer> lines(Note note) {
    return note.sections().stream().map(one -> one.position().orElseThrow().line()).toList();
  }

  private static int count(String path, String text) {
    return NoteTest.note(path, text).sections().size();
  }

  @Test
  void eachItemIsASectionWithAllThatIsUnderIt() {
    assertEquals(
        List.of(
            "Use mvnd for builds.\nIt is faster\nthan mvn.\n- only on Linux\n  - not on old ones",
            "The runner has two cores:\n\n```\n- no item\n# no heading\n```\n\nso two forks are"
                + " enough.",
            "Run `x`.",
            "Commit messages are imperatives.",
            "Records, not getters."),
        texts(MEMORY));
  }

  @Test
  void codeThatBeginsOnTheLineOfAMarkerEndsWithItsItem() {
    String text =
        "# M\n\n## A\n- ```bash\n  # build\n  mvn test\n  ```\n- - ~~~\n    x\n    ~~~\n"
            + "- three\n\n## B\n- four\n- five\n";
    assertEquals(
        List.of("```bash\n# build\nmvn test\n```", "- ~~~\n  x\n  ~~~", "three", "four", "five"),
        texts(text));
    assertEquals(List.of("A", "A", "A", "B", "B"), headings(text));
  }

  @Test
  void commentsAndTagsAtTheMarginAreOfNoItem() {
    String list =
        """
        <!--
        - an old fact that is commented out
        -->
        <rules>
        - one
          <!-- of one -->
        - two
        </rules>
        - <!-- no fact -->
        - <!-- begins
          - no fact
          ends -->
        - three
        <!-- tool:end -->
        """;
    assertEquals(List.of("one\n<!-- of one -->", "two", "three"), texts(list));
    assertEquals(
        List.of("Tabs.", "No blanks.", "No ends."),
        texts(
            "<r>\n"
                + "Tabs.\n"
                + "</r>\n\n"
                + "<!--\n"
                + "Old.\n\n"
                + "Older.\n"
                + "-->\n\n"
                + "No blanks.\n\n"
                + "No ends.\n"
                + "<!-- x -->\n"));
  }

  @Test
  void anItemIsCalledByItsHeadingAndItsFirstWords() {
    List<NoteName> places = places(MEMORY);
    assertEquals(
        new NoteName("MEMORY.md", "Build", "item “Use mvnd for builds.”"), places.getFirst());
    assertEquals(
        "the item “Records, not getters.” of the section “Style” of MEMORY.md",
        places.getLast().words());
    assertFalse(places.getFirst().isWholeFile());
  }

  @Test
  void anItemKeepsItsNameWhenOthersComeAndGo() {
    String edited =
        MEMORY.replace("## Style\n", "## Style\n- A new one.\n").replace("- only on Linux\n", "");
    List<NoteName> before = places(MEMORY);
    List<NoteName> after = places(edited);
    assertTrue(after.containsAll(before), after.toString());
    assertEquals(before.size() + 1, after.size());
  }

  /** Up to half of a file of facts may be text between items. Search must find this text, too. */
  @Test
  void textBetweenItemsIsOfSectionsThatAreNoFacts() {
    String text =
        """
        ---
        title: Rules
        ---
        The password rotates.

        Ask Zoltan.

        # Commands

        ```
        mvn test
        ```

        ## Never

        <!-- tool:begin -->
        Do these things:

        - Use tabs, not blanks, in all files of this project.
        - Use mvnd for local builds; it is faster than mvn.

        Both are checked.
        - Two forks run the tests of this project, not four.

        ***
        ```text
        ```
        """;
    Note note = note(text);
    assertEquals(
        List.of(
            "The password rotates.\n\nAsk Zoltan.",
            "```\nmvn test\n```",
            "Use tabs, not blanks, in all files of this project.",
            "Use mvnd for local builds; it is faster than mvn.",
            "Both are checked.",
            "Two forks run the tests of this project, not four."),
        texts(text));
    assertEquals(3, note.facts().size());
    assertEquals(
        List.of(
            "MEMORY.md (outside the list)",
            "MEMORY.md#Commands (outside the list)",
            "MEMORY.md#Commands#Never (outside the list)"),
        note.sections().stream()
            .filter(one -> !one.isFact())
            .map(one -> one.place().name())
            .toList());
    assertEquals(4, note.sections().getFirst().span().line());
    assertEquals("items of lists and the text between them", note.cut());
    String without = text.replace("Ask Zoltan.", "").replace("Both are checked.", "");
    assertEquals(
        note.facts().stream().map(Section::place).toList(),
        note(without).facts().stream().map(Section::place).toList());
  }

  @Test
  void equalItemsHaveNamesOfTheirOwn() {
    List<NoteName> places = places("- Tabs, never blanks.\n- Tabs, never blanks.\n- Other.\n");
    assertEquals(3, Set.copyOf(places).size());
  }

  @Test
  void quotationMarksAndBracketsOfAnItemStayOutOfItsName() {
    String text = "- “Quoted” [link](x.md) `code`]\n- two\n- three\n";
    assertEquals("item “Quoted link(x.md) code”", places(text).getFirst().part());
  }

  @Test
  void blocksBetweenDividersAreItems() {
    assertEquals(
        List.of("One fact.\nTwo lines.", "- another", "third"),
        texts("One fact.\nTwo lines.\n§\n- another\n §\nthird\n§\n"));
    assertEquals(List.of("One", "two", "three"), texts("One\n§\ntwo\n§\nthree"));
  }

  @Test
  void shortLessonsUnderHeadingsAreSections() {
    String lesson = "Problem: it broke.\n\nFix: we mended it. ".repeat(8);
    String text =
        "# Learnings\n\n## 2026-03-02 One\n%s\n## 2026-03-01 Two\n%s\n## 2026-02-01 Three\n%s\n"
            .formatted(lesson, lesson, lesson);
    assertEquals(3, count("docs/LEARNINGS.md", text));
    assertEquals(1, count("docs/other.md", text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "- [ ] one\n- [x] two\n- [ ] three\n",
        "- [One](one.md) - what it says\n- [Two](two.md) - more\n- [[three]] and more\n",
        "A long text that says something, with three short items only.\n\n- a\n- b\n- c\n",
        "---\nhelix-bg: whole\n---\n- one fact\n- two facts\n- three facts\n",
        "Rule.\n\n**Why:** it broke.\n\n**How to apply:** always.\n",
        "Rule.\nWhy: it broke.\nHow to apply: always.\n",
        "---\nname: x\ntype: project\n---\nRule.\n\nMore.\n\nThe rest.\n",
        "---\n"
            + "name: x\n"
            + "metadata:\n"
            + "  type: user\n"
            + "---\n"
            + "Rule.\n\n"
            + "**Why:** x.\n\n"
            + "- a\n"
            + "- b\n"
            + "- c is long\n"
      })
  void whatIsNoListOfFactsIsNotCut(String text) {
    assertEquals(1, count("MEMORY.md", text));
  }

  @Test
  void aFileOfAnyNameButOfNoFactsIsCutWhenItIsNamedAloneOrSaysSo() {
    String list = "- one fact\n- two facts\n- three facts\n";
    for (String path : List.of("README.md", "CHANGELOG.md", "memory-template.md")) {
      assertEquals(1, Note.of(path, list, NAMED).sections().size(), path);
    }
    assertEquals(3, count("a/AGENTS.md", list));
    assertEquals(1, count("notes/ideas.md", list));
    assertEquals(3, Note.of("notes/ideas.md", list, NAMED).sections().size());
    assertEquals(3, count("notes/ideas.md", "---\nhelix-bg: items\n---\n" + list));
  }

  @Test
  void theSettingCutsEveryListOrNone() {
    String list = "- [ ] one\n- [x] two\n- [ ] three\n";
    Items.Given always = new Items.Given(false, NotesItems.ALWAYS);
    Items.Given never = new Items.Given(true, NotesItems.NEVER);
    assertEquals(3, Note.of("notes/ideas.md", list, always).sections().size());
    assertEquals(1, Note.of("MEMORY.md", "- a\n- b\n- c\n", never).sections().size());
    String own = "---\nhelix-bg: whole\n---\n" + list;
    assertEquals(1, Note.of("notes/ideas.md", own, always).sections().size(), "the file decides");
  }

  @Test
  void partsOfLessonsStayTogether() {
    String lesson = "\n## %s\n- **Problem**: it broke.\n- **Fix**: %s\n";
    String text =
        lesson.formatted("One", "a")
            + lesson.formatted("Two", "b")
            + lesson.formatted("Three", "c");
    String memory = "# Memory\n" + text;
    assertEquals("sections under headings", note(memory).cut());
    assertEquals(List.of("One", "Two", "Three"), headings(memory));
    assertEquals(List.of(3, 7, 11), lines(note(memory)), "of the headings");
  }

  @Test
  void headingsThatRecurAreParts() {
    String lesson = "## %s\n### Context\nIt broke once more.\n### Fix\nWe mended it.\n";
    String text = lesson.formatted("One") + lesson.formatted("Two") + lesson.formatted("Three");
    assertEquals(
        Collections.nCopies(3, "### Context\nIt broke once more.\n### Fix\nWe mended it."),
        texts(text));
  }

  @Test
  void headingsThatRecurUnderOneHeadingAreLessons() {
    String lesson = "## Rule\nIt broke once more.\n";
    assertEquals(5, note("# Memory\n" + lesson.repeat(5)).facts().size());
    String parts = "## Lesson %s\n## Problem\nIt broke.\n## Fix\nWe mended it.\n";
    String flat = parts.formatted(1) + parts.formatted(2) + parts.formatted(3);
    assertEquals(3, note(flat).facts().size());
    String dated = "## %s\n### 2026-02-01\n" + "It broke once more.\n".repeat(40);
    String all = dated.formatted("A") + dated.formatted("B") + dated.formatted("C");
    assertTrue(note(all).facts().stream().allMatch(one -> one.minutes() > 0));
  }

  @Test
  void fewItemsUnderManyHeadingsAreLessons() {
    String lessons = "## Heading %s\n- one\n- two\n- three\n";
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 5; i++) {
      text.append(lessons.formatted(i));
    }
    assertEquals(5, count("MEMORY.md", text.toString()));
    text.append("- more\n".repeat(20));
    assertEquals(35, count("MEMORY.md", text.toString()));
  }

  @Test
  void fewItemsUnderHeadingsThatOnlyNameASubjectAreFacts() {
    String chapter = "## %s\n- Use one.\n- Use two.\n";
    String text =
        Stream.of("Build", "User preferences", "Error handling rules", "`src/` layout", "项目结构")
            .map(chapter::formatted)
            .collect(Collectors.joining());
    assertEquals(10, count("MEMORY.md", text));
    assertEquals(
        5,
        count(
            "MEMORY.md",
            text.replace("Build", "The build broke on Fridays")
                .replace("User preferences", "Preferences (2026-03-02)")
                .replace("项目结构", "修复登录超时问题")));
  }

  @Test
  void paragraphsAreItemsWhereThereIsNeitherListNorHeading() {
    String text = "Tabs.\n\n---\n\nNo blanks\nat ends.\n\n```\ncode\n\nmore\n```\n";
    assertEquals(List.of("Tabs.", "No blanks\nat ends.", "```\ncode\n\nmore\n```"), texts(text));
    assertEquals(List.of(1, 5, 8), lines(note(text)));
  }

  @Test
  void anItemKnowsItsLineAlsoBehindFrontMatter() {
    Note note = note("---\ntitle: x\n---\n# M\n\n- one\n  more\n- two\n- three\n");
    assertEquals(List.of(6, 8, 9), lines(note));
  }

  static Stream<Arguments> facts() {
    return Stream.of(
        arguments("- one\n- two\n", List.of("one", "two")),
        arguments("# M\n\n## A\n- one\n## B\n## C\n", List.of("one")),
        arguments("Rules:\n- one fact\n- two facts\n", List.of("one fact", "two facts")),
        arguments(
            "1. one\n  - of one\n2. two\n  - of two\n3. three\n",
            List.of("one\n- of one", "two\n- of two", "three")),
        arguments(
            "- Run this:\n\n"
                + "```\n"
                + "x:\n"
                + "  y\n"
                + "```\n\n"
                + "- Ports:\n\n"
                + "| a |\n"
                + "|---|\n\n"
                + "- Say:\n\n"
                + "> it\n\n"
                + "End.\n",
            List.of("Run this:\n\n```\nx:\n  y\n```", "Ports:\n\n| a |\n|---|", "Say:\n\n> it")),
        arguments(
            "One.\n\n**Why:** a\n\nTo do it:\n\n```\nx\n```\n\nFix: b\n\nFix: c\n\nThree.\n",
            List.of(
                "One.\n\n**Why:** a", "To do it:\n\n```\nx\n```\n\nFix: b\n\nFix: c", "Three.")),
        arguments(
            "- one\n\n**Why**: a\n\n- two\n  [LOG]: b\n- three\n[x]: y.md\n",
            List.of("one\n\n**Why**: a", "two\n[LOG]: b", "three")),
        arguments("One.\n\nTwo.\n\nThree.\n\n[^1]: A note.\n", List.of("One.", "Two.", "Three.")),
        arguments("• one\n– two\n・三\n1、四\n２．五\n", List.of("one", "two", "三", "四", "五")),
        arguments(
            "# M\n\nUse uv.\n    - Use tabs.\n✅ 使用中文。\n",
            List.of("Use uv.", "- Use tabs.", "✅ 使用中文。")));
  }

  @ParameterizedTest
  @MethodSource("facts")
  void eachFactHasWhatBelongsToIt(String text, List<String> facts) {
    assertEquals(facts, note(text).facts().stream().map(Section::text).toList());
  }

  @Test
  void hostileListsTakeLessThanASecond() {
    for (String text :
        List.of(
            "- a\n".repeat(200_000),
            "- ".repeat(400_000),
            "- ```\n".repeat(100_000),
            "§\n".repeat(300_000),
            "- (2026-".repeat(100_000),
            "## Jul 1 (newest\n- a\n".repeat(20_000),
            "## a\n-->\n".repeat(50_000),
            "## a\n## b\n## c\n" + "<!---->\n".repeat(50_000),
            "- a:\n\n> b:\n\n" + "> b:\n\n".repeat(150_000),
            "a\n\n" + "Why: b\n\n".repeat(100_000),
            "## a\n## b\n## c\n" + "[a]: b.md\n".repeat(100_000),
            "[a]: " + ".".repeat(500_000) + " x\n",
            "## a\n## b\n## c\n" + "  <!---->\n".repeat(50_000),
            "- ([added ".repeat(100_000))) {
      assertTimeoutPreemptively(Duration.ofSeconds(10), () -> count("MEMORY.md", text));
    }
  }
}
