package dev.helixbg.insight.notes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.notes.MarkdownScan.Heading;
import dev.helixbg.insight.notes.MarkdownScan.Link;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TimeZone;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Document;
import org.commonmark.parser.IncludeSourceSpans;
import org.commonmark.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests how a file is read: bytes, front matter, headings, sections, links. */
class NoteTest {
  static Note note(String path, String text) {
    return Note.of(path, text, new Items.Given(false, NotesItems.AUTO));
  }

  private static Optional<String> text(String text, Charset charset) {
    return NoteDecoder.text(text.getBytes(charset));
  }

  @Test
  void bytesOfAnyEncodingAreText() {
    String text = "# Größe\n\nEin Satz über Äpfel – und “mehr”.\n";
    assertEquals(Optional.of(text), text(text, StandardCharsets.UTF_8));
    assertEquals(Optional.of(text), text("\uFEFF" + text, StandardCharsets.UTF_8));
    assertEquals(Optional.of(text), text("\uFEFF" + text, StandardCharsets.UTF_16LE));
    assertEquals(Optional.of(text), text("\uFEFF" + text, StandardCharsets.UTF_16BE));
    assertEquals(Optional.of(text), text(text, Charset.forName("windows-1252")));
    String latin = "caf\u00e9, na\u00efve";
    assertEquals(Optional.of(latin), text(latin, StandardCharsets.ISO_8859_1));
    assertEquals(Optional.of(latin), text(latin, StandardCharsets.UTF_16LE));
    assertEquals(Optional.of(latin), text(latin, StandardCharsets.UTF_16BE));
    assertEquals(Optional.of("a\nb\nc"), text("a\r\nb\rc", StandardCharsets.UTF_8));
    assertEquals(Optional.of(""), NoteDecoder.text(new byte[0]));
    assertEquals(Optional.empty(), text("Память агента", Charset.forName("windows-1251")));
    assertEquals(Optional.empty(), text("代理的记忆", Charset.forName("GBK")));
  }

  /** A file is not text only if a large share of its bytes is not text. */
  @Test
  void fewBytesThatAreNoTextLeaveTheOthersAsTheyAre() {
    byte[] bytes = "Größe und Länge: xüberall".getBytes(StandardCharsets.UTF_8);
    bytes[20] = (byte) 0xff;
    assertEquals(Optional.of("Größe und Länge: \uFFFDüberall"), NoteDecoder.text(bytes));
    for (String control : List.of("\u0007", "\b", "\u000b", "\0")) {
      String text = "a" + control + "b, text";
      assertEquals(Optional.of("a\uFFFDb, text"), text(text, StandardCharsets.UTF_8));
    }
  }

  @Test
  void dataIsNoText() {
    byte[] random = new byte[4096];
    new Random(7).nextBytes(random);
    assertTrue(NoteDecoder.text(random).isEmpty());
    assertTrue(NoteDecoder.text("a\0\0\1\2b, data".getBytes()).isEmpty());
  }

  /** A line of 1 MiB that consists of opening brackets or backticks once took half a minute. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "`a` ",
        "`",
        "``a` ",
        "[a](<",
        "[a](b",
        "[[",
        "[[a]] ",
        "](",
        "![",
        "../",
        "<a ",
        "<a href=",
        "[a][b] ",
        "[a][",
        "[a]: b\n"
      })
  void noLineTakesLong(String part) {
    String text = "[x] " + part.repeat((1 << 20) / part.length());
    assertTimeoutPreemptively(
        Duration.ofMinutes(2),
        () -> {
          // The processor time of this thread, which does not count the time of other threads
          ThreadMXBean threads = ManagementFactory.getThreadMXBean();
          long before = threads.getCurrentThreadCpuTime();
          note("a.md", text);
          long took = threads.getCurrentThreadCpuTime() - before;
          assertTrue(took < 20_000_000_000L, took + " ns of processor time");
        });
  }

  @Test
  void frontMatterIsTaken() {
    Note note =
        note(
            "a/b.md",
            """
            ---
            title: "A: title"   # which is quoted
            tags: [java, 'c++', build tools]
            aliases:
              - The other name
              - second
            date: 2024-03-01T10:30:00
            nested:
              deep: 1
            ---
            # A heading

            Text.
            """);
    assertEquals("A: title", note.title());
    assertEquals(List.of("java", "c++", "build", "tools"), note.tags());
    assertEquals(List.of("The other name", "second"), note.aliases());
    assertEquals("Text.", note.sections().getFirst().text());
    assertTrue(note.matter().sound());
    assertEquals("2024-03-01T10:30", written(note));
  }

  /**
   * Tests the forms of YAML and TOML in notes. A parser that loses characters gives wrong titles
   * and aliases.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "---/title: 'Don''t restart'/---/            | Don't restart",
        "---/title: \"Fixing \\\"x\\\" twice\"/---/   | Fixing \"x\" twice",
        "---/title: \"\\u00dcber\"/---/              | Über",
        "---/title: >-/  Folded/  text/---/          | Folded text",
        "~---/title: |/  Literal/  text/---/~        | Literal text",
        "---/title: plain/  goes on/---/             | plain goes on",
        "---/title: 1.10/---/                        | 1.10",
        "---/title: 2024-03-01/---/                  | 2024-03-01",
        "---  /title: Blanks/---   /                 | Blanks",
        "---/tags: x/---/---/title: Second/---/      | Second",
        "---/\"title\": Quoted key/---/               | Quoted key",
        "+++/title = \"T\\u00fc\" # says/+++/          | Tü",
        "+++/title = '''In/two lines'''/+++/         | In two lines",
        "---/title: One: two/x: 1/---/               | One: two",
        "---/title: Kept/key: @x/---/                | Kept",
        "---/title: Kept/tags: [a,/---/              | Kept",
        "---/title: 'never closed/date: 2024/---/    | file",
        "+++/title = never quoted/+++/               | file",
        "{/ \"title\": \"Of Hugo\", \"tags\": [\"x\"]/}//    | Of Hugo"
      })
  void titlesAreTakenFromFrontMatterAsItIsWritten(String text, String title) {
    Note note = note("file.md", text.strip().replace('/', '\n') + "Text.");
    assertEquals(title, note.title());
    assertEquals("Text.", note.sections().getFirst().text());
  }

  @Test
  void listsInFrontMatterMayHaveSeveralLines() {
    String yaml = "---\ntags: [one,\n  'two',\n  three]\naliases: [\"a, b\", c]\n---\nText.";
    assertEquals(List.of("one", "two", "three"), note("x.md", yaml).tags());
    assertEquals(List.of("a, b", "c"), note("x.md", yaml).aliases());
    String toml = "+++\naliases = ['a', 'b']\n[taxonomies]\ntags = [\n 'x',\n 'y',\n]\n+++\nText.";
    assertEquals(List.of("x", "y"), note("x.md", toml).tags());
    assertEquals(List.of("a", "b"), note("x.md", toml).aliases());
    assertTrue(note("x.md", yaml).matter().sound() && note("x.md", toml).matter().sound());
    assertFalse(note("x.md", "+++\ntitle = x\n+++\nText.").matter().sound());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[", "{", "- ", "? ", "a: ", "*a ", "&a ", "!!x ", "'", "\"", "<<: ", "|\n", "x\n "
      })
  void hostileFrontMatterCostsLittle(String part) {
    String body = part.repeat(60_000 / part.length());
    for (String mark : List.of("---", "+++")) {
      String text = mark + "\nkey: " + body + "\nother = 1\n" + mark + "\nText.";
      assertTimeoutPreemptively(Duration.ofMinutes(1), () -> note("x.md", text));
    }
  }

  /** Nested references to one list, which would expand to a billion values. */
  @Test
  void aBillionLaughsAreAHundredValues() {
    String laughs =
        IntStream.range(1, 9)
            .mapToObj(
                i ->
                    "%c: &%c [%s]\n"
                        .formatted('a' + i, 'a' + i, ("*" + (char) ('a' + i - 1) + ",").repeat(9)))
            .collect(Collectors.joining("", "---\na: &a [x,x,x]\n", "---\nText."));
    Note note = note("x.md", laughs);
    assertTrue(note.matter().values().values().stream().allMatch(all -> all.size() <= 100));
  }

  @Test
  void aDateAtTheBeginningOfANameCounts() {
    assertEquals("2026-01-31T00:00", writtenBy("2026-01-31.md"));
    assertEquals("2026-01-31T00:00", writtenBy("20260131.md"));
    assertEquals("2026-01-31T00:00", writtenBy("journals/2026_01_31.md"));
    assertEquals("2026-01-31T00:00", writtenBy("days/20260131_Saturday.md"));
    assertEquals("2026-01-31T15:30", writtenBy("202601311530 Leases.md"));
    assertEquals("2026-01-31T15:30", writtenBy("20260131153059.md"));
    for (String other : List.of("20261331.md", "18990131.md", "2026013.md", "202601315.md")) {
      assertEquals("file", writtenBy(other), other);
    }
  }

  private static String writtenBy(String name) {
    return written(note(name, "Text."));
  }

  /** Returns the time at which a note states that it was written. */
  private static String written(Note note) {
    OptionalInt said = NoteTime.of(List.of(note)).said(note);
    if (said.isEmpty()) {
      return "file";
    }
    return said.getAsInt() == 0
        ? "unknown"
        : LocalDateTime.ofEpochSecond(said.getAsInt() * 60L, 0, ZoneOffset.UTC).toString();
  }

  @Test
  void frontMatterThatIsNoneOrBrokenHarmsNothing() {
    for (String broken :
        List.of(
            "---\ntitle: [unclosed\ntags: \"x\n\tkey\n}{\n- stray\n---\nText.",
            "---\ntitle: x\nno colon at all\n---\nText.",
            "---\nkey: [x\n---\nText.")) {
      Note note = note("x.md", broken);
      assertFalse(note.matter().sound(), broken);
      assertEquals("Text.", note.sections().getFirst().text(), broken);
    }
    Note open = note("x.md", "---\ntitle: never closed\n\nText.");
    assertFalse(open.matter().sound());
    assertTrue(open.sections().getFirst().text().contains("Text."));
    Note rulers = note("x.md", "---\nA text between rulers.\n---\nMore.");
    assertTrue(rulers.matter().sound());
    assertTrue(rulers.sections().getFirst().text().contains("between rulers"));
    Note letter = note("x.md", "---\n\nThe lease moved.\n\nNote: bring the keys.\n\n---\n\nMore.");
    assertTrue(letter.sections().getFirst().text().contains("The lease moved."), "" + letter);
  }

  @Test
  void tablesOfTomlCountAsKeysBelowKeys() {
    Note note = note("x.md", "+++\ntitle = 'T'\n[extra]\nupdated = 2024-01-02\n+++\nText.");
    assertEquals(List.of("2024-01-02"), note.matter().all("extra.updated"));
    assertTrue(NoteTime.of(List.of(note)).said(note).isPresent());
  }

  /** Logseq and Pelican write properties without lines such as {@code ---} around them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "title:: One/two\nalias:: 1, one\ntags:: [[x]], #y\nupdated:: 2024-05-01\n\n- Text.",
        "Title: One/two\nDate: 2024-05-01\nTags: x, y\nAlias: 1, one\n\nText."
      })
  void propertiesAtTheBeginningAreRead(String text) {
    Note note = note("one___two.md", text);
    assertEquals("One/two", note.title());
    assertEquals(List.of("x", "y"), note.tags());
    assertEquals(List.of("1, one"), note.aliases());
    assertEquals("2024-05-01T00:00", written(note));
    assertEquals(text, note.sections().getFirst().text());
    assertEquals("x", note("x.md", "Title: One\nThis is no property.\n\nText.").title());
    for (String json :
        List.of("{\"title\": \"1\"}", "{\"title\": \"1\"} is it.", "{\"a\": 1}\nText.")) {
      assertEquals("x", note("x.md", json).title());
      assertEquals(json, note("x.md", json).sections().getFirst().text());
    }
  }

  /**
   * Programs write these values without quotation marks, and some cannot read them with quotation
   * marks.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {"*.json", "**/*.py", "@x", "{{date}} notes", "One: two", "`a` b", "&a b: c"})
  void valuesThatAreNotYamlAreReadAsWritten(String value) {
    Note note = note("x.md", "---\ndescription: TS: strict\nglobs: " + value + "\n---\nText.");
    assertTrue(note.matter().sound(), "" + note);
    assertEquals(List.of(value), note.matter().all("globs"));
    assertEquals(List.of("TS: strict"), note.matter().all("description"));
  }

  @Test
  void titleIsTheFirstHeadingElseTheName() {
    assertEquals("Use streams", note("java/x.md", "# Use streams\n\nText.").title());
    assertEquals("Use x and y", note("x.md", "# Use `x` and [y](a/b.md)\n").title());
    assertEquals("Use streams", note("java/x.md", "Use streams\n===\n\nText.").title());
    assertEquals("use the force", note("java/use-the_force.md", "Text.\n\n# Later\n").title());
    assertEquals("TODO", note("TODO", "Text.").title());
    assertEquals("old leases 1.2", note("posts/old-leases-1.2/index.md", "Text.").title());
    assertEquals(".rules", note("a.b/.rules", "Text.").title());
  }

  @Test
  void longFilesAreDividedAtTheirHeadings() {
    String part = "Words of this part. ".repeat(120);
    Note note =
        note(
            "d/long.md",
            "# Title\n\nBefore.\n\n## One\n"
                + part
                + "\n## Two\n\n### Deep\n"
                + part
                + "\n### Deep\n"
                + part
                + part
                + "\n### Other\n"
                + part
                + "\n## Three\n\n```\n## no heading\n```\n");
    assertEquals(
        List.of(
            "d/long.md (before its first heading of level 2)",
            "d/long.md#One",
            "d/long.md#Two#Deep",
            "d/long.md#Two#Deep (number 2)",
            "d/long.md#Two#Other",
            "d/long.md#Three"),
        note.sections().stream().map(section -> section.place().name()).toList());
    assertEquals("Before.", note.sections().getFirst().text());
    Note shorter = note("d/short.md", "# Title\n\n## One\nx\n\n## Two\ny");
    assertEquals(1, shorter.sections().size());
    assertEquals("## One\nx\n\n## Two\ny", shorter.sections().getFirst().text());
  }

  /** A user who reads that a part should be deleted must not delete the whole file. */
  @Test
  void aPartBeforeHeadingsIsNotCalledAsTheWhole() {
    String long1 = "Words of this part. ".repeat(320);
    Map<String, String> words = new TreeMap<>();
    for (String text :
        List.of(
            "Before.\n\n## One\n" + long1,
            "### Low\nLow words.\n\n# Top\nBefore.\n\n## One\n" + long1)) {
      Note note = note("d/long.md", text);
      for (Note.Section section : note.sections()) {
        NoteName place = section.place();
        words.put(place.name(), place.words());
        assertEquals("d/long.md", place.file());
        assertFalse(place.isWholeFile(), place.name());
      }
    }
    assertEquals(
        Map.of(
            "d/long.md (before its first heading)",
            "the beginning of d/long.md (before its first heading)",
            "d/long.md#One",
            "the section “One” of d/long.md",
            "d/long.md (before its first heading of level 1)",
            "the beginning of d/long.md (before its first heading of level 1)",
            "d/long.md#Top (before its first heading)",
            "the beginning of the section “Top” of d/long.md (before its first heading)",
            "d/long.md#Top#One",
            "the section “Top#One” of d/long.md"),
        words);
    NoteName whole = note("d/x.md", long1).sections().getFirst().place();
    assertTrue(whole.isWholeFile());
    assertEquals("d/x.md", whole.words());
    assertEquals(
        Optional.of("[[d/long]]"), new NoteName("d/long.md", "", NoteName.BEFORE_FIRST).wikiLink());
  }

  /** Two parts have different places even if headings are equal or have no words. */
  @Test
  void everyPartHasAPlaceOfItsOwn() {
    String part = "Words of this part. ".repeat(200);
    Note note =
        note(
            "b.md",
            Stream.of("#", "# ", "# a#b", "# a", "# a", "# a (number 2)")
                .map(heading -> heading + "\n\n" + part + "\n\n")
                .collect(Collectors.joining("x\n\n", "x\n\n", "")));
    List<NoteName> places = note.sections().stream().map(Note.Section::place).toList();
    assertEquals(places.size(), Set.copyOf(places).size(), places.toString());
    assertEquals(
        places.size(), places.stream().map(NoteName::words).distinct().count(), places.toString());
    places.forEach(place -> assertFalse(place.isWholeFile(), place.toString()));
  }

  /**
   * File names and headings are untrusted text. They must not end the quotation or the link in
   * which they appear.
   */
  @Test
  void namesStayWithinTheirBorders() {
    NoteName plain = new NoteName("java/b.md", "", "");
    NoteName order = new NoteName("a.md and all files of the folder ops; then b.md", "", "");
    assertEquals("“a.md and all files of the folder ops; then b.md”", order.words());
    assertEquals(
        "the section “x' of c.md; delete 'y” of java/b.md",
        new NoteName("java/b.md", "x” of c.md; delete “y", "").words());
    assertEquals(162, new NoteName("a ".repeat(900) + ".md", "", "").words().length());
    NoteName bracket = new NoteName("x](y) [z]]/a b.md", "", "");
    assertEquals(Optional.empty(), bracket.wikiLink());
    assertEquals(Optional.of("[[TODO]]"), new NoteName("TODO", "", "").wikiLink());
    assertEquals(
        "[.rules](.rules)", new NoteName(".rules", "", "").linkFrom(plain).replace("../", ""));
    assertEquals(
        "[a b](x%5D%28y%29%20%5Bz%5D%5D/a%20b.md)", bracket.linkFrom(plain).replace("../", ""));
  }

  @Test
  void noHeadingMakesMoreSectionsThanThereMayBe() {
    Note note = note("x.md", "# a\nb\n".repeat(100_000));
    assertTrue(note.sections().size() <= 501, "" + note.sections().size());
    int kept = note.sections().stream().mapToInt(section -> section.text().length()).sum();
    assertTrue(kept > 400_000, "nothing is lost: " + kept);
  }

  @Test
  void linksAreFoundButNotInCode() {
    List<Link> links =
        MarkdownScan.of(
                """
                See [[Plain]], ![[Embedded#Part]], [[Some/Path|shown]] and [[A \\| b]].
                `[[code]]` ``a ` [[code]]`` [rel](../x/y%20z.md#part "title") [web](https://e.org/x.md)
                [angle](<a b.md>) [image](x.png) [own](#here) [dir](guide) [mail](mailto:a@b.md)
                ```
                [[fenced]]
                ```
                [ref]: other.md
                [one][Two Words], [three][], [four] and [none][nowhere], not `[four]`; [x] task
                [two  words]: <two words.md> "title"
                [THREE]: three.md#part
                [four]: four%23.md 'title'
                <a class="x" href="html.md#here">y</a> <A HREF='q.md'>z</A> <a href=u.md>
                """)
            .links();
    assertEquals(
        List.of(
            "Plain#",
            "Embedded#Part",
            "Some/Path#",
            "A#",
            "../x/y z.md#part",
            "a b.md#",
            "guide#",
            "other.md#",
            "two words.md#",
            "three.md#part",
            "four#.md#",
            "html.md#here",
            "q.md#",
            "u.md#"),
        links.stream().map(link -> link.target() + "#" + link.heading()).toList());
  }

  /**
   * Compares the headings with those of an independent CommonMark parser, for random sequences of
   * lines.
   */
  @Test
  void headingsAreThoseOfCommonMark() {
    List<String> lines =
        List.of(
            "# One",
            "## Two ##",
            "### Three",
            "#nospace",
            "#",
            "Text here",
            "===",
            "---",
            "```",
            "~~~",
            "```java",
            "    # indented",
            "  # twice",
            "",
            "",
            "",
            "More text");
    Random random = new Random(29);
    for (int round = 0; round < 5_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < 8; i++) {
        text.append(lines.get(random.nextInt(lines.size()))).append('\n');
      }
      List<String> ours = new ArrayList<>();
      for (Heading heading : MarkdownScan.of(text.toString()).headings()) {
        ours.add(heading.level() + " " + heading.start());
      }
      assertEquals(byCommonMark(text.toString()), ours, text.toString());
    }
  }

  private static List<String> byCommonMark(String text) {
    List<String> headings = new ArrayList<>();
    ((Document) Parser.builder().includeSourceSpans(IncludeSourceSpans.BLOCKS).build().parse(text))
        .accept(
            new AbstractVisitor() {
              @Override
              public void visit(org.commonmark.node.Heading heading) {
                if (heading.getSourceSpans().size() <= 2) { // not of several lines
                  var span = heading.getSourceSpans().getFirst();
                  headings.add(
                      heading.getLevel() + " " + (span.getInputIndex() - span.getColumnIndex()));
                }
              }
            });
    return headings;
  }

  /**
   * If a note has a date that cannot be parsed, its time is unknown, and the time of the file is
   * not used.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "date: 05.03.2021 | 2021-03-05T00:00",
        "created: 1609632800000 | 2021-01-03T00:13",
        "created: 1609632800 | 2021-01-03T00:13",
        "date: '\"[[2021-03-05]]\"' | 2021-03-05T00:00",
        "date: '[[2021-03-05]]' | 2021-03-05T00:00",
        "date: March 5, 2021 | 2021-03-05T00:00",
        "date: Friday, March 5th, 2021 at 3:20 PM | 2021-03-05T15:20",
        "date: Fri, 05 Mar 2021 10:00:00 GMT | 2021-03-05T10:00",
        "date: 5. März 2021 | 2021-03-05T00:00",
        "date: 5 de marzo de 2021 | 2021-03-05T00:00",
        "date: 5 mars 2021 | 2021-03-05T00:00",
        "date: 5 de março de 2021 | 2021-03-05T00:00",
        "date: 5 settembre 2021 | 2021-09-05T00:00",
        "date: 5 mrt. 2021 | 2021-03-05T00:00",
        "date: 5 października 2021 | 2021-10-05T00:00",
        "date: 5 augusti 2021 | 2021-08-05T00:00",
        "date: 5 сен. 2021 | 2021-09-05T00:00",
        "date: 5 e 2021 | unknown",
        "date: 2021年3月5日 | 2021-03-05T00:00",
        "date: 25/03/2021 12:30 AM | 2021-03-25T00:30",
        "date: 03/25/2021 | 2021-03-25T00:00",
        "date: 03/05/2024 | unknown",
        "date: 03/05/2024;created: 13/01/2024 | 2024-05-03T00:00",
        "date: 03/05/2024;created: 01/13/2024 | 2024-03-05T00:00",
        "date: 2021-02-30 | unknown",
        "updated: soon, 05.03.21;created: 2021-03-05 | unknown",
        "date: 05.03.21 | unknown",
        "date: March or April 5, 2021 | unknown",
        "modified_at: 2021-03-05 | 2021-03-05T00:00",
        "ctime: 2021-03-05 | 2021-03-05T00:00",
        "publishDate: 2021-03-05 | 2021-03-05T00:00",
        "metadata:;  created: 2021-03-05 | 2021-03-05T00:00",
        "date: | file",
        "title: A note | file",
        "talk:;  date: 2001-05-05;date: 2021-03-05 | 2021-03-05T00:00",
        "talk:;  date: 2001-05-05;created: 2021-03-05 | 2021-03-05T00:00",
        "lastmod: ':git';date: 2021-03-05 | 2021-03-05T00:00",
        "updated: {{date}};date: 2021-03-05 | 2021-03-05T00:00",
        "updated: <% now(1) %>;date: 2021-03-05 | 2021-03-05T00:00",
        "updated: {{date}} | unknown",
        "date: 2021-03-05T23:30:00-08:00 | 2021-03-06T07:30",
        "date: Fri, 05 Mar 2021 10:00:00.5 +0100 | 2021-03-05T09:00",
        "date: Fri Mar 05 2021 10:00:00 GMT+0100 (CET) | 2021-03-05T09:00",
        "date: 2021-03-05T00:00:00+01:00 | 2021-03-05T00:00",
        "date: 2021-03-05 10:00-11:00 | 2021-03-05T10:00",
        "date: 2021년3월 5일 | 2021-03-05T00:00",
        "date: 2021年 3月 5日 | 2021-03-05T00:00",
        "date: 2021. 3. 5. | 2021-03-05T00:00"
      })
  void aDateIsReadInAllItsForms(String matter, String expected) {
    TimeZone zone = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    try {
      String text = "---\n" + matter.replace(';', '\n') + "\n---\nText.";
      assertEquals(expected, written(note("a.md", text)), matter);
    } finally {
      TimeZone.setDefault(zone);
    }
  }

  @Test
  void otherDatesOfTheFolderTellWhetherTheDayComesFirst() {
    Note asked = note("a.md", "---\ndate: 03/05/2024\n---\nText.");
    Note british = note("b.md", "---\ndate: 31/05/2024\n---\nText.");
    Note american = note("c.md", "---\ndate: 05/31/2024\n---\nText.");
    int may = (int) (LocalDate.of(2024, 5, 3).toEpochDay() * 24 * 60);
    int march = (int) (LocalDate.of(2024, 3, 5).toEpochDay() * 24 * 60);
    assertEquals(may, NoteTime.of(List.of(asked, british)).said(asked).orElseThrow());
    assertEquals(march, NoteTime.of(List.of(asked, american)).said(asked).orElseThrow());
    assertEquals(0, NoteTime.of(List.of(asked, british, american)).said(asked).orElseThrow());
  }

  /** Tests links to notes in the forms of several programs. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "[[202402201300]]              | zk/202402201300 Tokens.md",
        "[[202402201400]]              | zk/202402201400.md",
        "[[db/indexes]]                | pages/db___indexes.md",
        "[[net/indexes]]               | pages/net___indexes.md",
        "[[apache/kafka]]              | bus.md",
        "[x](pages/db___indexes.md)    | pages/db___indexes.md",
        "[[What?]]                     | pages/What%3F.md",
        "[[Event bus]]                 | bus.md",
        "[[Kafka]]                     | bus.md",
        "[[one, two]]                  | list.md",
        "[[one]]                       | -",
        "[x](posts/fence/)             | posts/fence/index.md",
        "[x](guide)                    | guide/README.md",
        "{{< ref \"fence\" >}}         | posts/fence/index.md",
        "{{% relref \"posts/fence/index.md\" %}} | posts/fence/index.md",
        "[x]({% post_url 2024-01-05-leases %}) | posts/2024-01-05-leases.md",
        "[[foo]]                       | foo.md",
        "[[Foo]]                       | Foo.md",
        "[[index]]                     | index.md"
      })
  void linksOfManyProgramsLeadToTheirNotes(String text, String path) {
    Note from = note("from.md", text);
    List<Note> notes =
        Stream.of(
                "Foo.md",
                "foo.md",
                "guide/README.md",
                "index.md",
                "pages/What%3F.md",
                "pages/db___indexes.md",
                "pages/net___indexes.md",
                "posts/2024-01-05-leases.md",
                "posts/fence/index.md",
                "zk/202402201300 Tokens.md",
                "zk/202402201400 Others.md",
                "zk/202402201400.md")
            .map(one -> note(one, "Text."))
            .collect(Collectors.toCollection(ArrayList::new));
    notes.add(note("bus.md", "---\naliases: Event bus, Kafka, apache/kafka\n---\nText."));
    notes.add(note("list.md", "---\naliases: ['one, two', three]\n---\nText."));
    NoteLinks links = new NoteLinks(notes);
    assertEquals(
        path,
        from.sections().getFirst().links().stream()
            .flatMap(link -> links.target(from, link).stream())
            .map(NoteName::file)
            .findFirst()
            .orElse("-"));
  }
}
