package dev.helixbg.insight.notes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.notes.NotesAccount.LeftOut;
import dev.helixbg.insight.pairs.PairDisagreement;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the conversion of a folder of notes to a log: which entries stay when notes change, and
 * that no folder causes an error.
 */
class NotesLogTest {
  @TempDir private Path temp;
  private Path notes;
  private Path log;

  @BeforeEach
  void folders() throws IOException {
    notes = Files.createDirectories(temp.resolve("notes"));
    log = Files.createDirectories(temp.resolve("kb")).resolve("data.log");
  }

  private void note(String path, String text) throws IOException {
    Path file = notes.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }

  private NotesAccount update() throws IOException {
    return NotesLog.update(log, NoteFiles.in(notes, log.getParent()), true, NotesItems.AUTO);
  }

  private List<NamedEntry> entries() {
    LogReading reading = DataLog.read(log);
    assertEquals(List.of(), reading.account().damage());
    return NamedEntry.all(reading.entries(), entry -> "");
  }

  private List<String> names() {
    return entries().stream().map(NamedEntry::name).toList();
  }

  private Entry entry(String name) {
    return entries().stream()
        .filter(one -> one.name().equals(name))
        .findFirst()
        .orElseThrow()
        .entry();
  }

  /** Returns the names of the entries to which each entry links. */
  private Map<String, List<String>> links() {
    List<NamedEntry> all = entries();
    Map<EntryText.Link, String> places =
        all.stream()
            .collect(
                Collectors.toMap(
                    one -> new EntryText.Link(one.entry().topic(), one.index()), NamedEntry::name));
    Map<String, List<String>> links = new TreeMap<>();
    for (NamedEntry one : all) {
      List<String> targets = one.entry().text().links().stream().map(places::get).toList();
      if (!targets.isEmpty()) {
        links.put(one.name(), targets);
      }
    }
    return links;
  }

  @Test
  void filesAreEntriesUnderTheirFolders() throws IOException {
    note("top.md", "Text of the top.");
    note("Daily Notes/2024-05-06.md", "---\ntags: [a, b]\n---\nA day.");
    note("lang/java/streams.markdown", "# Streams\n\nUse them.");
    note("lang/java/empty.md", "\n \n");
    note("lang/java/other.txt", "No note.");
    note(".obsidian/hidden.md", "Not read.");
    note("node_modules/x/readme.md", "Not read.");
    NotesAccount account = update();
    assertEquals(
        new NotesAccount(4, 3, 1, LeftOut.of(List.of()), LeftOut.of(List.of()), List.of()),
        account);
    assertEquals(
        List.of("./", "Daily-Notes/", "lang/java/"),
        entries().stream().map(one -> one.entry().topic()).sorted().toList());
    Entry day = entry("Daily Notes/2024-05-06.md");
    assertEquals(List.of("a", "b"), day.text().tags());
    assertEquals("2024 05 06\n\nA day.", day.text().content());
    assertEquals(
        (int) (Instant.parse("2024-05-06T00:00:00Z").getEpochSecond() / 60), day.timestampMin());
    assertEquals("Streams", entry("lang/java/streams.markdown").text().title());
  }

  /** Unlike a log that helix writes, this log is complete as soon as it exists. */
  @Test
  void aNewLogIsReadWithoutWaiting() throws IOException {
    note("top.md", "Text of the top.");
    update();
    Duration age = Duration.between(Files.getLastModifiedTime(log).toInstant(), Instant.now());
    assertTrue(age.toMillis() > 500, "DataLog.readQuiet would wait: " + age);
  }

  @Test
  void whatIsUnchangedStaysWhateverElseChanges() throws IOException {
    for (int i = 0; i < 6; i++) {
      note("a/" + i + ".md", "# Note " + i + "\n\nText number " + i + ".");
      Files.setLastModifiedTime(
          notes.resolve("a/" + i + ".md"),
          FileTime.from(Instant.now().minus(Duration.ofDays(9 - i))));
    }
    update();
    byte[] first = Files.readAllBytes(log);
    FileTime written = Files.getLastModifiedTime(log);
    assertEquals(List.of("a/0.md", "a/1.md", "a/2.md", "a/3.md", "a/4.md", "a/5.md"), names());

    Files.setLastModifiedTime(notes.resolve("a/1.md"), FileTime.from(Instant.now()));
    update();
    assertArrayEquals(first, Files.readAllBytes(log), "a file that was touched");
    assertEquals(written, Files.getLastModifiedTime(log), "and the log was not");

    note("a/2.md", "# Note 2\n\nAnother text.");
    Files.createDirectories(notes.resolve("b"));
    Files.move(notes.resolve("a/3.md"), notes.resolve("b/3.md"));
    Files.delete(notes.resolve("a/4.md"));
    Entry kept = entry("a/5.md");
    update();
    List<String> now = names();
    assertEquals(List.of("a/0.md", "a/1.md", "a/5.md"), now.subList(0, 3));
    assertEquals(List.of("a/2.md", "b/3.md"), now.subList(3, 5).stream().sorted().toList());
    assertEquals(kept.embeddedText(), entry("a/5.md").embeddedText());
    assertEquals(kept.timestampMin(), entry("a/5.md").timestampMin());

    Files.move(notes.resolve("a/0.md"), notes.resolve("a/zero.md"));
    String before = entry("a/0.md").embeddedText();
    update();
    assertEquals(before, entry("a/zero.md").embeddedText(), "a new name needs no new vector");
  }

  /** After Ctrl-C, or when a daemon stops, notes that were not read must not count as deleted. */
  @Test
  void anInterruptLeavesTheLogAsItWas() throws IOException {
    note("a/one.md", "Text of one.");
    note("a/two.md", "Text of two.");
    update();
    byte[] before = Files.readAllBytes(log);
    note("b/three.md", "Text of three.");
    Thread.currentThread().interrupt();
    try {
      assertThrows(CancellationException.class, this::update);
    } finally {
      assertTrue(Thread.interrupted(), "whoever interrupted is still heard");
    }
    assertArrayEquals(before, Files.readAllBytes(log));
    update();
    assertEquals(List.of("a/one.md", "a/two.md", "b/three.md"), names());
  }

  /**
   * After random changes of a folder, the log has the same entries as a new log of the folder, in
   * some order.
   */
  @Test
  void anyChangesEndInTheLogOfTheFolderAsItIs() throws IOException {
    Random random = new Random(3);
    Path fresh = Files.createDirectories(temp.resolve("fresh")).resolve("data.log");
    for (int round = 0; round < 40; round++) {
      for (int i = 0; i < 5; i++) {
        String path = "f" + random.nextInt(3) + "/n" + random.nextInt(8) + ".md";
        if (random.nextInt(3) == 0) {
          Files.deleteIfExists(notes.resolve(path));
        } else {
          note(
              path,
              "---\ndate: 2024-01-01\n---\nText "
                  + random.nextInt(4)
                  + " [[n"
                  + random.nextInt(8)
                  + "]]");
        }
      }
      update();
      Files.deleteIfExists(fresh);
      NotesLog.update(fresh, NoteFiles.in(notes, log.getParent()), true, NotesItems.AUTO);
      assertEquals(texts(fresh), texts(log));
      Map<String, List<String>> links = links();
      Path kept = log;
      log = fresh;
      assertEquals(links(), links, "round " + round);
      log = kept;
    }
  }

  private static List<String> texts(Path log) {
    return DataLog.read(log).entries().stream()
        .map(entry -> entry.timestampMin() + " " + entry.embeddedText())
        .sorted()
        .toList();
  }

  /**
   * Different pairs of file and heading can be joined to the same name, so they are stored in two
   * fields.
   */
  @Test
  void aFileIsNoSectionOfAnotherOne() throws IOException {
    String part = "Words of this part. ".repeat(200);
    note(
        "java/b.md",
        "x\n\n# Setup.md\n\n" + part + "\n\n# Run\n\n" + part + "\n\n# More\n\n" + part);
    note("java/b.md#Setup.md", "The file of this name.");
    note("java/c.md", "See [[b#Setup.md]].");
    update();
    List<Entry> entries = DataLog.read(log).entries();
    Map<String, String> places = new TreeMap<>();
    for (Entry entry : entries) {
      NoteName place = NoteName.of(entry).orElseThrow();
      places.put(place.words(), place.file() + " | " + place.heading());
    }
    assertEquals("java/b.md#Setup.md | ", places.get("java/b.md#Setup.md"));
    assertEquals("java/b.md | Setup.md", places.get("the section “Setup.md” of java/b.md"));
    Entry linking =
        entries.stream().filter(one -> !one.text().links().isEmpty()).findFirst().orElseThrow();
    Entry linked = entries.get(linking.text().links().getFirst().index());
    assertEquals(Optional.of("Setup.md"), linked.text().heading());
    assertEquals(Optional.of("java/b.md"), linked.note());
  }

  /** A user who has linked two notes in any of these forms must not be asked to link them. */
  @Test
  void linksOfAllFormsAreRead() throws IOException {
    note("pond.md", "Water.");
    note("b#c.md", "Sharp.");
    note("Bu\u0308cher.md", "Books, written as a Mac does.");
    note("Caf\u00e9.md", "Coffee.");
    note("quoted.md", "---\nrelated: \"[[pond]]\"\n---\nText 1.");
    note("bare.md", "---\nup:\n  - [[pond]]\n---\nText 2.");
    note("plain.md", "---\nup: [[pond]]\n---\nText 5.");
    note("list.md", "---\nsee: [\"[[pond|the pond]]\", x]\n---\nText 3.");
    note("path.md", "---\nsee: '[p](pond.md)'\n---\nText 4.");
    note("foot.md", "Late.[^1]\n\n[^1]: See [the pond](pond.md) for winter.");
    note("sharp.md", "See [it](b%23c.md).");
    note("composed.md", "See [[B\u00fccher]] and [c](Cafe\u0301.md).");
    update();
    List<String> pond = List.of("pond.md");
    assertEquals(
        Map.of(
            "quoted.md", pond,
            "bare.md", pond,
            "plain.md", pond,
            "list.md", pond,
            "path.md", pond,
            "foot.md", pond,
            "sharp.md", List.of("b#c.md"),
            "composed.md", List.of("Bu\u0308cher.md", "Caf\u00e9.md")),
        links());
  }

  /**
   * When a path is shown, some characters are removed or replaced. Two files must still have
   * different paths.
   */
  @Test
  void noTwoFilesHaveOnePath() throws IOException {
    note("a.md", "One.");
    note("a\u200b.md", "Two.");
    note("b\u200c.md", "Three.");
    note("c\u0001.md", "Four.");
    note("c\u2401.md", "Five.");
    note("c%01.md", "Nine.");
    note("👨\u200D💻 dev.md", "Ten. [[می\u200Cخواهم]]");
    note("می\u200Cخواهم.md", "Eleven.");
    note(" d.md", "Six.");
    note("d.md", "Seven.");
    note("e\n[links: ./:0]\n.md", "Eight.");
    update();
    assertEquals(
        List.of(
            "./ d.md",
            "./c%01.md",
            "a%E2%80%8B.md",
            "a.md",
            "b%E2%80%8C.md",
            "c%01.md",
            "c\u2401.md",
            "d.md",
            "e%0A%5Blinks:%20./:0%5D%0A.md",
            "می\u200Cخواهم.md",
            "👨\u200D💻 dev.md"),
        names().stream().sorted().toList());
    assertEquals(Map.of("👨\u200D💻 dev.md", List.of("می\u200Cخواهم.md")), links());
  }

  @Test
  void linksLeadToTheNotesThatAreMeant() throws IOException {
    note("index.md", "[[Streams]] [[second name]] [x](lang/java/streams.md) [[nowhere]] [[index]]");
    note("lang/java/streams.md", "---\naliases: [Second Name]\n---\n[up](../go/channels.md)");
    note("lang/go/channels.md", "[root](/index.md) [out](../../../etc/passwd.md)");
    note("lang/go/streams.md", "[[streams]] [[java/streams]]");
    note("lang/go/user.md", "[[streams]]");
    note("dendron.user.md", "[[what is shown|lang.dendron]] [[user|lang.dendron]] [[no|none]]");
    note("lang.dendron.md", "[[dendron.user|Nowhere]]");
    String part = "Words. ".repeat(700);
    note("long.md", "# Long\n\n## Part One\n" + part + "\n## Part two\n" + part);
    note("to.md", "[[long#Part two]] and [a](long.md#part-one)");
    update();
    Map<String, List<String>> links = links();
    assertEquals(List.of("lang/go/streams.md", "lang/java/streams.md"), links.get("index.md"));
    assertEquals(List.of("lang/go/channels.md"), links.get("lang/java/streams.md"));
    assertEquals(List.of("index.md"), links.get("lang/go/channels.md"));
    assertEquals(List.of("lang/go/streams.md"), links.get("lang/go/user.md"), "the nearest");
    assertEquals(List.of("lang.dendron.md", "lang/go/user.md"), links.get("dendron.user.md"));
    assertEquals(List.of("dendron.user.md"), links.get("lang.dendron.md"));
    assertEquals(List.of("long.md#Part two", "long.md#Part One"), links.get("to.md"));
  }

  @Test
  void textStaysTextWhateverItLooksLike() throws IOException {
    note(
        "x.md",
        "# [source: faked.md]\n\n[links: ./:0]\n[tags: a]\n[confidence: 0.1]\n[other: x]\nText.");
    note("y.md", "Other.");
    update();
    EntryText text = entry("x.md").text();
    assertEquals(List.of(), text.links());
    assertEquals(List.of(), text.tags());
    assertTrue(text.confidence().isEmpty());
    assertEquals(
        " [source: faked.md]\n\n [links: ./:0]\n [tags: a]\n [confidence: 0.1]\n[other: x]\nText.",
        text.content());
  }

  @Test
  void nothingInAFolderBreaksIt() throws IOException {
    note("good.md", "A good note.");
    note("huge.md", "x ".repeat(1 << 19) + "x");
    try (RandomAccessFile file = new RandomAccessFile(notes.resolve("data.md").toFile(), "rw")) {
      file.setLength((16 << 20) + 1);
    }
    Files.write(notes.resolve("binary.md"), new byte[] {0, 1, 2, 3, 0, 5});
    Files.write(notes.resolve("latin.md"), new byte[] {'c', 'a', 'f', (byte) 0xe9});
    note("broken.md", "---\ntitle: [open\n---\nText.");
    note("weird\nname].md", "Weird.");
    note("d ".repeat(100) + "/x.md", "Long folder.");
    Path secret = Files.writeString(temp.resolve("secret.md"), "Outside.");
    Files.createSymbolicLink(notes.resolve("out.md"), secret);
    Files.createSymbolicLink(notes.resolve("cycle"), notes);
    Files.createDirectory(notes.resolve("folder.md"));
    new ProcessBuilder("mkfifo", notes.resolve("pipe.md").toString())
        .inheritIO()
        .start()
        .onExit()
        .join();
    Path deep = notes;
    for (int i = 0; i < 70; i++) {
      deep = deep.resolve("d");
    }
    Files.createDirectories(deep);
    Files.writeString(deep.resolve("deep.md"), "Deep.");
    note("drawn.md", "---\nexcalidraw-plugin: parsed\n---\n```json\n{}\n```");
    note("questions.md", "# Questions of helix-bg\n\nFor each question below, read both texts.\n");
    note("merge.md", "<<<<<<< HEAD\nOne.\n=======\nTwo.\n>>>>>>> feature\n");
    note("pointer.md", "version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 9\n");
    note("insights/report.md", "# Insights");
    note("insights/report.json", "{}");
    note("insights/report.html", "");
    note("kb/data.log", "");
    note("kb/readme.md", "Of a knowledge base.");
    NotesAccount account = update();
    assertEquals(
        List.of(
            "broken.md", "d ".repeat(100) + "/x.md", "good.md", "latin.md", "weird%0Aname%5D.md"),
        names().stream().sorted().toList());
    Map<String, String> why =
        account.leftOut().files().stream()
            .collect(Collectors.toMap(LeftOut.File::path, LeftOut.File::why));
    assertEquals("longer than 1 MiB", why.get("huge.md"));
    assertEquals("larger than 16 MiB", why.get("data.md"));
    assertTrue(why.get("binary.md").startsWith("binary, or"));
    assertEquals("a link, and links are not followed", why.get("out.md"));
    assertEquals("not a regular file", why.get("pipe.md"));
    assertEquals("a drawing of Excalidraw", why.get("drawn.md"));
    assertEquals("a page of questions by helix-bg", why.get("questions.md"));
    assertTrue(why.get("pointer.md").startsWith("a pointer of Git LFS"));
    assertTrue(why.get("merge.md").startsWith("an unfinished merge"));
    assertEquals(10, why.size(), why.toString());
    assertEquals(
        List.of("broken.md"), account.repaired().files().stream().map(LeftOut.File::path).toList());
    assertTrue(
        account.words().orElseThrow().startsWith("10 files were left out, the first is binary.md"),
        account.words().get());
  }

  /**
   * The search for the last marker of a merge conflict once started again at each first and second
   * marker, which was slow.
   */
  @Test
  @Timeout(60)
  void manyMarksWithoutAnEndAreNoMerge() throws IOException {
    note("marks.md", "<<<<<<< a\n=======\n".repeat(20_000));
    NotesAccount account = update();
    assertEquals(1, account.files());
    assertEquals(0, account.leftOut().files().size());
  }

  @Test
  void aFileWithTwoPathsIsReadOnce() throws IOException {
    note("docs/learnings.md", "Text.");
    Files.createLink(notes.resolve("docs/other.md"), notes.resolve("docs/learnings.md"));
    assertEquals(List.of("docs/learnings.md"), paths(NoteFiles.in(notes, log.getParent())));
    note("dotfiles/.claude/CLAUDE.md", "Text.");
    note("dotfiles/AGENTS.md", "Text.");
    Files.createSymbolicLink(notes.resolve(".claude"), notes.resolve("dotfiles/.claude"));
    assertEquals(
        List.of("~/.claude/CLAUDE.md", "AGENTS.md"),
        paths(NoteFiles.ofMemory(notes, notes.resolve("dotfiles"))));
  }

  private static List<String> paths(NoteFiles files) {
    return files.files().stream().map(NoteFiles.File::path).toList();
  }

  @Test
  void linkedFoldersOfNotesAreReported() throws IOException {
    for (String path : List.of("shared/a.md", "home/dotfiles/a.md", "vault/b.md")) {
      note(path, "Text.");
    }
    Path vault = notes.resolve("vault");
    Path home = notes.resolve("home");
    for (String folder : List.of("vault/.cursor", "vault/.claude", "home/.claude")) {
      Files.createDirectories(notes.resolve(folder));
    }
    Files.createSymbolicLink(vault.resolve("linked"), notes.resolve("shared"));
    Files.createSymbolicLink(vault.resolve("here"), vault);
    Files.createSymbolicLink(vault.resolve("node_modules"), notes.resolve("shared"));
    Files.createSymbolicLink(vault.resolve(".claude/skills"), notes.resolve("shared"));
    Files.createSymbolicLink(vault.resolve(".cursor/rules"), Path.of("../../shared"));
    Files.createSymbolicLink(home.resolve(".claude/rules"), Path.of("../dotfiles"));
    assertEquals(List.of("linked", ".cursor/rules"), leftOut(NoteFiles.in(vault, log.getParent())));
    assertEquals(
        List.of("~/.claude/rules", ".cursor/rules"), leftOut(NoteFiles.ofMemory(home, vault)));
  }

  private static List<String> leftOut(NoteFiles files) {
    return files.leftOut().stream().map(LeftOut.File::path).toList();
  }

  @Test
  void backupsOfLogseqAreNotRead() throws IOException {
    note("logseq/config.edn", "{}");
    note("logseq/bak/pages/a.md", "Old.");
    note("logseq/version-files/a.md", "Old.");
    note("pages/bak/a.md", "New.");
    assertEquals(List.of("pages/bak/a.md"), paths(NoteFiles.in(notes, log.getParent())));
  }

  @Test
  void aHeadingThatObligesIsReadWithItsItems() throws IOException {
    note("CLAUDE.md", "## Docker\n- one\n## Do\n- two\n## Don't do\n- three\n## 禁止事项\n- four\n");
    update();
    assertEquals(
        List.of("one", "Do: two", "Don't do: three", "禁止事项: four"),
        entries().stream().map(one -> one.entry().text().content()).toList());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Things to avoid",
        "What not to do",
        "Anti-patterns",
        "Bad practices",
        "Common mistakes",
        "Deprecated",
        "You must never",
        "Rules: never",
        "Vermeiden",
        "Nicht erlaubt",
        "À ne pas faire",
        "Interdit",
        "Prohibido",
        "No hacer",
        "Запрещено",
        "避免"
      })
  void aHeadingThatForbidsIsReadWithItsItemsAndOpposesThem(String heading) throws IOException {
    note("CLAUDE.md", "## " + heading + "\n- Mock the database.\n- b\n- c\n");
    update();
    String forbidden = entries().getFirst().entry().text().content();
    assertEquals(heading + ": Mock the database.", forbidden);
    assertTrue(PairDisagreement.opposition(forbidden, "Mock the database.").isPresent());
  }

  @Test
  void theFilesThatARuleIsForAreReadFromItsFrontMatter() throws IOException {
    note(".cursor/rules/a.mdc", "---\nglobs: web/**/*.ts,*.js\nalwaysApply: false\n---\nOne.\n");
    note(".cursor/rules/b.mdc", "---\nglobs: web/**/*.ts\nalwaysApply: true\n---\nTwo.\n");
    note(".github/instructions/a.instructions.md", "---\napplyTo: '**'\n---\nThree.\n");
    note(".claude/rules/a.md", "---\npaths:\n  - src/*\n  - lib/*\n---\nFour.\n");
    note("plan.md", "---\npaths: lib\n---\nFive.\n");
    note(".cursor/rules/c.mdc", "---\nglobs:\nalwaysApply: false\n---\nSix.\n");
    note(".windsurf/rules/d.md", "---\ntrigger: manual\n---\nSeven.\n");
    note(".kiro/steering/e.md", "---\ninclusion: always\n---\nEight.\n");
    update();
    assertEquals(
        List.of(
            "on request: .cursor/rules/c.mdc",
            "on request: .windsurf/rules/d.md",
            "src/*, lib/*",
            "web/**/*.ts,*.js"),
        entries().stream().flatMap(one -> one.entry().text().paths().stream()).sorted().toList());
  }

  @Test
  void noMoreThan256MebibytesAreRead() throws IOException {
    for (int i = 100; i < 358; i++) {
      try (RandomAccessFile file = new RandomAccessFile(notes.resolve(i + ".md").toFile(), "rw")) {
        file.setLength(1 << 20); // a sparse file, which uses no space on the disk
      }
    }
    NoteFiles files = NoteFiles.in(notes, log.getParent());
    assertEquals(256, files.files().size());
    assertEquals(
        List.of(
            new LeftOut.File("356.md", "beyond the limit of 256 MiB"),
            new LeftOut.File("357.md", "beyond the limit of 256 MiB")),
        files.leftOut());
  }

  @Test
  void topicsFitIntoARecord() {
    assertEquals("./", NotesLog.topic("a.md"));
    assertEquals("a-b/c/", NotesLog.topic("a b/c/d.md"));
    String long255 = NotesLog.topic("ä".repeat(100) + "/" + "ö".repeat(100) + "/x.md");
    assertEquals("ö".repeat(100) + "/", long255);
    assertTrue(NotesLog.topic("ä".repeat(200) + "/x.md").getBytes().length <= 255);
  }

  @Test
  void aLogThatIsDamagedIsMadeAnew() throws IOException {
    note("a.md", "Text.");
    Files.writeString(log, "no log");
    update();
    assertEquals(List.of("a.md"), names());
  }

  @Test
  void tenThousandFilesAreRead() throws IOException {
    for (int i = 0; i < 10_000; i++) {
      note(
          "t%d/%d.md".formatted(i % 100, i),
          "# Note %d\n\nSee [[%d]].".formatted(i, i * 7 % 10_000));
    }
    NoteFiles files = NoteFiles.in(notes, log.getParent());
    NotesAccount account = NotesLog.update(log, files, false, NotesItems.AUTO);
    assertEquals(10_000, account.entries());
    assertEquals(files.digest(), NoteFiles.in(notes, log.getParent()).digest());
    Files.writeString(notes.resolve("t5/5.md"), "Changed.");
    assertNotEquals(files.digest(), NoteFiles.in(notes, log.getParent()).digest());
    assertEquals(9_998, links().size(), "0 and 5,000 would link to themselves");
  }

  /** An embedded picture does not count toward the length of a note, but makes its file large. */
  @Test
  void aLargePictureDoesNotHideItsNote() throws IOException {
    String lines =
        ("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2\n").repeat(40_000);
    note(
        "uri.md",
        "The key ![](data:image/png;base64," + "iVBORw0KGgo=".repeat(200_000) + ") hangs.");
    note("lines.md", "The seal is\n\n" + lines + "\nblue.");
    assertEquals(List.of(), update().leftOut().files());
    assertEquals("uri\n\nThe key ![]((data left out)) hangs.", entry("uri.md").text().content());
    assertEquals(
        "lines\n\nThe seal is\n\n(data left out)\nblue.", entry("lines.md").text().content());
  }

  /** The time becomes unknown even if the log already has the time of the file. */
  @Test
  void aDateThatCannotBeReadIsNotThatOfTheFile() throws IOException {
    note("plan.md", "The plan.");
    update();
    assertTrue(entry("plan.md").timestampMin() > 0);
    note("plan.md", "---\ndate: 03/05/2024\n---\nThe plan.");
    update();
    assertEquals(0, entry("plan.md").timestampMin());
    note("other.md", "---\ndate: 05/31/2024\n---\nAnother plan.");
    update();
    assertEquals("2024-03-05", entry("plan.md").written().orElseThrow());
  }
}
