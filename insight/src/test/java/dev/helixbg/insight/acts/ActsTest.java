package dev.helixbg.insight.acts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.insight.acts.Act.When;
import dev.helixbg.insight.acts.ActPlan.HelixCall;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.LogAccount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the edits of an act, run on {@link StandInHelix}, do what the act says, and nothing
 * else.
 */
class ActsTest {
  private static final Optional<Verdict> UNJUDGED = Optional.empty();

  private static final LogAccount SOUND = new LogAccount(0, "", 0, 0, 0, List.of());

  private final List<NamedEntry> kb =
      StandInHelix.kb(
          "auth", "Tokens live 15 minutes.",
          "auth", "[tags: gotcha]\nThe cookie is signed, not encrypted. Do not put names in it.",
          "web", "Login is a redirect.",
          "auth", "[links: auth:3 web:0 auth:0]\nSigned cookie, never encrypted.",
          "auth", "Keys rotate daily.",
          "web",
              "[tags: how-to]\n[source: web/Login.kt:7]\n[confidence: 0.7]\nOpen /login?debug=1.");

  @Test
  void withoutAVerdictThereIsAWayForEachThatThePairMayBe() {
    List<Act> ways = Acts.on(kb.get(1), kb.get(3), UNJUDGED);
    assertEquals(
        List.of(List.of(When.SAME), List.of(When.OVERTAKEN), List.of(When.RELATED)),
        ways.stream().map(Act::when).toList());
    assertEquals(
        List.of(
            "remove auth:2 and keep auth:1",
            "remove auth:1 and keep auth:2",
            "link auth:2 to auth:1"),
        ways.stream().map(Act::words).toList());
    assertEquals(
        "{\"name\":\"edit\",\"arguments\":{\"action\":\"delete\",\"topic\":\"auth\","
            + "\"match_str\":\"(helix-bg: "
            + ActMark.hash(kb.get(3).entry().body())
            + ") \"}}",
        plan(kb, ways.getFirst()).calls().getFirst().toJson().toString());
  }

  /** The older entry is also the shorter one, so the same act fits both conditions. */
  @Test
  void twoWaysThatAreOneAreToldOnce() {
    List<Act> ways = Acts.on(kb.get(0), kb.get(1), UNJUDGED);
    assertEquals(List.of(When.SAME, When.OVERTAKEN), ways.get(0).when());
    assertEquals("remove auth:0 and keep auth:1", ways.get(0).words());
    assertEquals(2, ways.size());
  }

  @Test
  void aVerdictLeavesOneWayOrNone() {
    assertEquals(List.of(When.SAME), when(on(kb, 1, 3, Verdict.SAME)));
    assertEquals(List.of(When.RELATED), when(on(kb, 1, 3, Verdict.RELATED)));
    assertEquals(List.of(), on(kb, 1, 3, Verdict.DIFFERENT));
  }

  @Test
  void onlyTheRedundantEntryIsRemoved() {
    StandInHelix helix = carriedOut(kb, on(kb, 1, 3, Verdict.SAME));
    assertEquals(5, helix.size());
    assertEquals(
        List.of(
            "Tokens live 15 minutes.",
            "The cookie is signed, not encrypted. Do not put names in it.",
            "Keys rotate daily."),
        helix.contents("auth"));
  }

  /** Of equal entries, helix edits the first, so the last copy is kept. */
  @Test
  void ofExactCopiesOneStays() {
    List<NamedEntry> copies =
        StandInHelix.kb(
            "a", "x x", "a", "Copied.", "b", "Copied.", "a", "Copied.", "a", "Copied.\n", "a", "z");
    Act act = Acts.onCopies(copiesOf(copies, 1, 2, 3, 4)).getFirst();
    assertEquals("remove a:1, b:0, a:2 and keep a:3", act.words());
    ActPlan plan = plan(copies, act);
    assertTrue(plan.byHand().isPresent(), "a:3 contains the others");
    List<NamedEntry> exact =
        StandInHelix.kb("a", "x x", "a", "Copied.", "b", "Copied.", "a", "Copied.", "a", "Copied.");
    StandInHelix helix = carriedOut(exact, Acts.onCopies(copiesOf(exact, 1, 2, 3, 4)));
    assertEquals(List.of("x x", "Copied."), helix.contents("a"));
    assertEquals(List.of(), helix.contents("b"));
    assertEquals(
        3, plan(exact, Acts.onCopies(copiesOf(exact, 1, 2, 3, 4)).getFirst()).marked().size());
  }

  /** Places change, so a person finds the entry by its text. */
  @Test
  void whatHasNoWordsOfItsOwnIsDoneByHandWithTheTextToLookFor() {
    List<NamedEntry> notes =
        StandInHelix.kb("a", "Leases end.", "a", "Leases end. So do “all” others, after 30 s.");
    assertEquals(
        Optional.of(
            "a:0 has no words of its own: all its words are also in another note of a, so helix"
                + " might edit the wrong note. Make the edit by hand: look for the note"
                + " that says “Leases end.” and has 11 characters"),
        plan(notes, removal(notes, 0, 1)).byHand());
  }

  /** A second run of the same act finds no entry to mark, because the entry is already deleted. */
  @Test
  void anActThatIsCarriedOutTwiceChangesNothing() {
    List<NamedEntry> twins = StandInHelix.kb("a", "x x", "a", "Copied.", "a", "Copied.");
    ActPlan plan = plan(twins, Acts.onCopies(copiesOf(twins, 1, 2)).getFirst());
    StandInHelix helix = new StandInHelix(StandInHelix.entries(twins));
    assertTrue(holds(helix, plan));
    plan.edits().forEach(helix::call);
    assertFalse(holds(helix, plan), "the topic counts one less");
    assertEquals(List.of("x x", "Copied."), helix.contents("a"));
    List<NamedEntry> left = StandInHelix.named(read(helix));
    assertNotEquals(plan.name(), plan(left, removal(left, 0, 1)).name());
  }

  /** Another program may change a note before the act deletes it: before its mark, or after. */
  @Test
  void whatSomebodyAddsToANoteThatIsToGoIsNeverLost() {
    ActPlan plan = plan(kb, on(kb, 1, 3, Verdict.SAME).getFirst());
    HelixCall addition = editOfTheSignedCookie("append", "text", " But:");
    HelixCall retagged = editOfTheSignedCookie("tag", "tags", "new");
    StandInHelix before = new StandInHelix(StandInHelix.entries(kb));
    before.call(addition);
    plan.marks().forEach(before::call);
    assertFalse(ActMark.areUnder(StandInHelix.named(read(before)), plan.marked()));
    for (HelixCall change : List.of(addition, retagged)) {
      StandInHelix after = new StandInHelix(StandInHelix.entries(kb));
      plan.marks().forEach(after::call);
      assertTrue(ActMark.areUnder(StandInHelix.named(read(after)), plan.marked()));
      after.call(change);
      assertThrows(HelixTools.Refusal.class, () -> after.call(plan.calls().getFirst()));
      assertEquals(6, after.size());
    }
  }

  private static HelixCall editOfTheSignedCookie(String action, String name, String value) {
    return HelixCall.of(
        "edit", "action", action, "topic", "auth", "match_str", "signed cookie", name, value);
  }

  /** A stopped act's mark on a note with the same text looks like the mark of this act. */
  @Test
  void aMarkThatWasLeftBehindIsTold() {
    String body = "Signed cookie, never encrypted. Really.";
    String marked = body + "\n" + ActMark.line(ActMark.hash(body));
    for (String copy : List.of(marked, marked.toUpperCase(Locale.ROOT), marked + "More.")) {
      List<NamedEntry> left =
          StandInHelix.kb(
              "a", "The cookie is signed, and not encrypted.",
              "a", body,
              "b", copy);
      ActPlan plan = plan(left, removal(left, 1, 0));
      assertTrue(
          plan.byHand().orElseThrow().contains("was stopped. Its mark"), plan.byHand().toString());
    }
  }

  /** The entry that gets the link moves to the end of its topic; all links keep their targets. */
  @Test
  void aLinkLeadsToTheOtherEntryAndOlderLinksToTheirs() {
    StandInHelix helix = carriedOut(kb, on(kb, 1, 3, Verdict.RELATED));
    assertEquals(6, helix.size());
    StandInHelix.Note linked = helix.in("auth").getLast();
    EntryText text = linked.text();
    assertEquals("Signed cookie, never encrypted.", text.content());
    assertEquals(
        List.of(
            "Keys rotate daily.", "Login is a redirect.", "Tokens live 15 minutes.", content(1)),
        text.links().stream().map(link -> helix.at(link).text().content()).toList());
  }

  @Test
  void whatIsLinkedAlreadyIsNotLinkedAgain() {
    assertEquals(List.of(), on(kb, 0, 3, Verdict.RELATED));
    assertEquals(List.of(), on(kb, 3, 0, Verdict.RELATED));
    assertTrue(
        Acts.on(kb.get(0), kb.get(3), UNJUDGED).stream()
            .noneMatch(act -> act.when().contains(When.RELATED)));
  }

  /** When an entry is deleted, later entries get lower places, so links to them must change. */
  @Test
  void whereAnEntryGoesLinksOfOthersLeadWhereTheyLed() {
    List<NamedEntry> linked =
        StandInHelix.kb(
            "a", "First of all comes this.",
            "a", "The same as the one below.",
            "b", "[links: a:3 a:1 a:0]\nLinks to three of them.",
            "a", "The same as the one above, and more.",
            "a", "[links: b:0]\nLast of all.",
            "c", "[links: a:1]\nLinks to what goes.");
    StandInHelix helix = carriedOut(linked, on(linked, 1, 3, Verdict.SAME));
    assertEquals(5, helix.size());
    assertEquals(
        List.of("Last of all.", "The same as the one above, and more.", "First of all comes this."),
        leads(helix, "b", "Links to three of them."));
    assertEquals(
        List.of("The same as the one above, and more."), leads(helix, "c", "Links to what goes."));
    assertEquals(List.of("Links to three of them."), leads(helix, "a", "Last of all."));
  }

  /**
   * The entry's only link led to the deleted entry. An empty line of links would leave the old line
   * in force.
   */
  @Test
  void aLinkToWhatTheLinkingEntryStandsForIsTakenOut() {
    List<NamedEntry> linked =
        StandInHelix.kb(
            "a", "The short text",
            "a", "[links: a:0]\nThe short text, and a longer one.",
            "a", "Another one.");
    StandInHelix helix = carriedOut(linked, List.of(removal(linked, 0, 1)), false);
    assertEquals(3, helix.size(), "its text stands in the other one: by hand");
    List<NamedEntry> own =
        StandInHelix.kb(
            "a", "A short text.",
            "a", "[tags: x]\n[links: a:0]\nThe long text, and a longer one.",
            "a", "Another one.");
    helix = carriedOut(own, List.of(removal(own, 0, 1)));
    assertEquals(List.of("Another one.", "The long text, and a longer one."), helix.contents("a"));
    assertEquals(List.of(), leads(helix, "a", "The long text, and a longer one."));
    assertEquals(List.of("x"), helix.in("a").getLast().text().tags());
  }

  @Test
  void aTopicGoesIntoTheLargerOneWithItsLinks() {
    StandInHelix helix = carriedOut(kb, Acts.onOverlap("auth", 4, "web", 2));
    assertEquals(6, helix.in("auth").size());
    assertEquals(0, helix.in("web").size());
    assertEquals(
        List.of("Keys rotate daily.", "Login is a redirect.", "Tokens live 15 minutes."),
        leads(helix, "auth", "Signed cookie, never encrypted."));
  }

  @Test
  void aMergeRevisesTheFullestAndRemovesTheOthers() {
    Judgements.Merge merge = merge(kb, "One text: 15 minutes for tokens. Signed.", 0, 1, 3);
    StandInHelix helix = carriedOut(kb, Acts.onMerge(merge.entries(), merge.text()));
    assertEquals(List.of("Keys rotate daily.", merge.text()), helix.contents("auth"));
    StandInHelix.Note merged = helix.in("auth").getLast();
    assertEquals(List.of("gotcha"), merged.text().tags());
    assertTrue(merged.body().contains("[modified: "));
    assertEquals(
        List.of("Keys rotate daily.", "Login is a redirect."), leads(helix, "auth", merge.text()));
    assertEquals(2, helix.contents("web").size());
  }

  @Test
  void aLessonIsStoredOnceWithLinksAndNothingElseChanges() {
    List<NamedEntry> told = List.of(kb.get(0), kb.get(2), kb.get(4));
    String lesson = "What is issued must end soon.";
    StandInHelix helix = carriedOut(kb, Acts.onLesson(told, lesson));
    assertEquals(List.of(lesson), helix.contents("lessons"));
    assertEquals(
        told.stream().map(one -> one.entry().text().content()).toList(),
        leads(helix, "lessons", lesson));
    assertEquals(4, helix.contents("auth").size());
    assertEquals(2, helix.contents("web").size());
    assertEquals(
        "store an entry under lessons that says “What is issued must end soon.”, with links to"
            + " auth:0, web:0, auth:3",
        Acts.onLesson(told, lesson).getFirst().words());
  }

  /** Three merges that once deleted the merged text, or an entry that was not part of the merge. */
  @Test
  void aMergeDeletesNeitherTheMergedTextNorAStranger() {
    String all = "The lease expires after 30 seconds. The worker renews it every ten.";
    for (List<String> texts :
        List.of(
            List.of(all, "The lease expires after 30 seconds."),
            List.of(
                "X: a stranger.", all, "Y: another.", "The lease expires after 30 seconds.", "Z"),
            List.of("Go on.", "Go on.", "Go on. And more of it.", "Z: a stranger."))) {
      String[] bodies = texts.stream().flatMap(text -> Stream.of("t", text)).toArray(String[]::new);
      List<NamedEntry> kb = StandInHelix.kb(bodies);
      List<Integer> members = new ArrayList<>();
      for (int i = 0; i < kb.size(); i++) {
        if (kb.get(i).entry().body().startsWith(texts.size() == 4 ? "Go" : "The")) {
          members.add(i);
        }
      }
      for (String proposed : List.of(all, "Another text altogether.")) {
        Judgements.Merge merge = merge(kb, proposed, members.stream().mapToInt(i -> i).toArray());
        StandInHelix helix = carriedOut(kb, Acts.onMerge(merge.entries(), merge.text()), false);
        List<String> left = helix.in("t").stream().map(note -> note.text().content()).toList();
        for (int i = 0; i < kb.size(); i++) {
          String body = kb.get(i).entry().body();
          assertTrue(members.contains(i) || left.contains(body), () -> "lost: " + body);
        }
        assertTrue(left.contains(proposed) || left.containsAll(texts), left.toString());
      }
    }
  }

  /** Links, sources and tags of a removed entry are kept if possible, or listed as losses. */
  @Test
  void whatIsLostIsSaid() {
    List<NamedEntry> rich =
        StandInHelix.kb(
            "a", "[tags: one, two]\n[source: a.kt:1]\n[links: a:2]\nThe short text of it.",
            "a", "[tags: two]\n[source: b.kt:2]\nThe long text, which says it all.",
            "a", "Another one.");
    ActPlan plan = plan(rich, removal(rich, 0, 1));
    assertEquals(List.of("of a:0: tags one; source a.kt:1; links a:1"), plan.losses());
    assertEquals(
        List.of(rich.getFirst().entry().body()),
        plan.undo().stream().map(call -> call.arguments().get("text")).toList());
    Judgements.Merge merge = merge(rich, "What both say.", 0, 1);
    ActPlan merging = plan(rich, Acts.onMerge(merge.entries(), merge.text()).getFirst());
    assertEquals(List.of("of a:0: source a.kt:1"), merging.losses());
    StandInHelix helix = carriedOut(rich, Acts.onMerge(merge.entries(), merge.text()));
    assertEquals(List.of("two", "one"), helix.in("a").getLast().text().tags());
    assertEquals(List.of("Another one."), leads(helix, "a", "What both say."));
  }

  /** The calls of {@link ActPlan#undo} store all removed texts again. */
  @Test
  void undoBringsTheTextsBack() {
    for (Act act :
        List.of(
            on(kb, 1, 3, Verdict.SAME).getFirst(),
            Acts.onMerge(List.of(kb.get(1), kb.get(3)), "One text for both of them.").getFirst())) {
      ActPlan plan = plan(kb, act);
      StandInHelix helix = new StandInHelix(StandInHelix.entries(kb));
      plan.edits().forEach(helix::call);
      plan.undo().forEach(helix::call);
      assertEquals(
          kb.stream().map(one -> one.entry().text().content()).sorted().toList(),
          helix.live().stream().map(note -> note.text().content()).sorted().toList());
    }
  }

  /** helix does not see the entries after the damaged record, nor any entry that it appends. */
  @Test
  void whereTheLogIsDamagedNothingIsCallable(@TempDir Path folder) throws IOException {
    StandInHelix helix = new StandInHelix(StandInHelix.entries(kb));
    helix.damage((byte) 1, (byte) 4, (byte) 40, (byte) 0, (byte) 0, (byte) 0);
    helix.call(
        HelixCall.of("store", "topic", "auth", "text", "Behind the torn record. ".repeat(9)));
    Path log = Files.write(folder.resolve("data.log"), helix.log());
    PresentEntries present = new PresentEntries(DataLog.read(log), "model");
    Act act =
        Acts.on(present.all().get(0), present.all().get(1), Optional.of(Verdict.SAME)).getFirst();
    ActPlan plan = present.plan(act);
    assertEquals(List.of(), plan.calls());
    assertTrue(plan.byHand().orElseThrow().contains("damaged"), plan.byHand().toString());
  }

  /** helix would change the topic's name, or split the link at the blank. */
  @Test
  void whatHelixWouldChangeIsLeftToTheReader() {
    List<NamedEntry> odd =
        StandInHelix.kb(
            "My Notes", "First of all.", "plain", "Second.", "To Do", "Third.", "My Notes", "4");
    for (Act act :
        List.of(
            Acts.onOverlap("My Notes", 2, "To Do", 1).getFirst(),
            on(odd, 0, 1, Verdict.RELATED).getFirst())) {
      assertEquals(List.of(), plan(odd, act).calls());
      assertTrue(plan(odd, act).byHand().isPresent());
    }
    assertEquals(
        "move all of “My Notes” into plain",
        Acts.onOverlap("My Notes", 2, "plain", 1).getFirst().words());
  }

  /** If it is unknown which note is newer, neither note is removed as the older one. */
  @Test
  void notesOfOneDateAreNotOvertaken() {
    int day = 20_000 * Entry.DAY;
    for (int[] times :
        new int[][] {{day, day}, {0, day}, {day, 0}, {0, 0}, {day, day + 60}, {day + 60, day}}) {
      assertEquals(
          List.of(List.of(When.SAME), List.of(When.RELATED)),
          whenOfNotes(times[0], times[1]),
          Arrays.toString(times));
    }
    List<List<When>> known = List.of(List.of(When.SAME, When.OVERTAKEN), List.of(When.RELATED));
    assertEquals(known, whenOfNotes(day, day + Entry.DAY));
    assertEquals(known, whenOfNotes(day + 30, day + 60));
  }

  private static List<List<When>> whenOfNotes(int one, int other) {
    List<NamedEntry> notes =
        StandInHelix.named(
            List.of(
                StandInHelix.entry(8, "d/", "[source: d/a.md]\nText.", one),
                StandInHelix.entry(90, "d/", "[source: d/b.md]\nA longer text.", other)));
    return Acts.on(notes.get(0), notes.get(1), UNJUDGED).stream().map(Act::when).toList();
  }

  /** Other parts of a long file are entries, too, so the file itself must not be deleted. */
  @Test
  void onlyAWholeNoteIsAFileToDelete() {
    List<NamedEntry> notes =
        StandInHelix.kb(
            "d/", "[source: d/long.md]\n[part: before its first heading]\nText.",
            "d/", "[source: d/short.md]\nOther text.");
    Act act = removal(notes, 0, 1);
    assertEquals(
        "remove the beginning of d/long.md (before its first heading) and keep d/short.md",
        act.words(),
        "in reports");
    assertEquals(
        "move the files of the folder d/ into e/", new Act.Change.MergeTopics("d/", "e/").words());
    assertEquals(
        "copy facts that are only in the beginning of d/long.md (before its first heading) into"
            + " d/short.md; remove the beginning of d/long.md (before its first heading) and keep"
            + " d/short.md; change links to it into links to d/short.md",
        NoteSteps.of(act.change()));
  }

  /** There can be hundreds of copies, so a text names only the first of them. */
  @Test
  void ofManyCopiesOfANoteTheFirstAreNamed() {
    String[] notes = new String[60];
    for (int i = 0; i < 60; i += 2) {
      notes[i] = "d/";
      notes[i + 1] = "[source: d/%d.md]\nThe same.".formatted(10 + i / 2);
    }
    List<NamedEntry> copies = StandInHelix.kb(notes);
    Act.Change.Remove two = new Act.Change.Remove(copies.subList(0, 2), copies.get(2));
    assertEquals("remove d/10.md, d/11.md and keep d/12.md", two.words());
    assertEquals(
        "remove d/10.md, d/11.md and keep d/12.md; change links to them into links to d/12.md",
        NoteSteps.of(two));
    Act.Change.Remove many = new Act.Change.Remove(copies.subList(0, 29), copies.get(29));
    assertTrue(
        many.words().endsWith(", d/28.md, d/29.md and 9 more and keep d/39.md"), many.words());
  }

  /** A topic has hyphens in place of a folder's blanks. */
  @Test
  void foldersOfNotesMayHaveBlanks() {
    assertEquals(
        "move the files of the folder Daily-Notes/ into d/ (a hyphen may stand for a blank), and"
            + " fix links that name their paths",
        NoteSteps.of(new Act.Change.MergeTopics("Daily-Notes/", "d/")));
    assertEquals(
        "move the files of the folder d/ into e/, and fix links that name their paths",
        NoteSteps.of(new Act.Change.MergeTopics("d/", "e/")));
  }

  @Test
  void aCallHasTheVeryValues() {
    String hostile = "\"quoted\"\n\t\\ \u202E\u0000 🦙 \uD800 …";
    HelixCall call = HelixCall.of("store", "topic", "t", "text", hostile, "tags", "");
    JsonNode parsed = call.toJson();
    assertEquals(hostile.replace('\uD800', '\uFFFD'), parsed.at("/arguments/text").textValue());
    assertFalse(parsed.at("/arguments").has("tags"));
  }

  private String content(int index) {
    return kb.get(index).entry().text().content();
  }

  private static ActPlan plan(List<NamedEntry> kb, Act act) {
    return new ActPlanner(kb, SOUND).plan(act);
  }

  private static List<Act> on(List<NamedEntry> kb, int a, int b, Verdict verdict) {
    return Acts.on(kb.get(a), kb.get(b), Optional.of(verdict));
  }

  private static Act removal(List<NamedEntry> kb, int gone, int kept) {
    return new Act(List.of(When.SAME), new Act.Change.Remove(List.of(kb.get(gone)), kb.get(kept)));
  }

  private static Judgements.Merge merge(List<NamedEntry> kb, String text, int... members) {
    return new Judgements.Merge("merge-1", Arrays.stream(members).mapToObj(kb::get).toList(), text);
  }

  /** The path and its line number change in the source line and in the text; other paths stay. */
  @Test
  void aFileThatMovedIsNamedByItsNewPlace() {
    List<NamedEntry> code =
        StandInHelix.kb(
            "web", "Login is a redirect.",
            "web",
                "[tags: how-to]\n[source: web/Login.kt:7]\n[links: web:0]\nOpen web/Login.kt:7, not"
                    + " old/web/Login.kt:7, web/Login.kt:71 or web/Login.kts.",
            "web", "[links: web:1]\nDebugging.");
    List<Act> ways =
        Acts.onMoved(code.get(1), "web/Login.kt:7", Optional.of("web/in/Entrance.kt:9"));
    assertEquals(
        "in web:1, write web/in/Entrance.kt:9 instead of web/Login.kt:7", ways.getFirst().words());
    assertEquals(List.of(When.MOVED), when(ways));
    StandInHelix helix = carriedOut(code, ways);
    StandInHelix.Note note =
        helix.in("web").stream()
            .filter(one -> one.body().contains("Open"))
            .findFirst()
            .orElseThrow();
    assertEquals(Optional.of("web/in/Entrance.kt:9"), note.text().source());
    assertEquals(List.of("how-to"), note.text().tags());
    assertEquals(
        "Open web/in/Entrance.kt:9, not old/web/Login.kt:7, web/Login.kt:71 or web/Login.kts.",
        note.text().content());
    assertEquals(List.of("Login is a redirect."), leads(helix, "web", note.text().content()));
    assertEquals(List.of(note.text().content()), leads(helix, "web", "Debugging."));
    assertTrue(
        plan(code, Acts.onMoved(code.get(0), "x/Y.kt", Optional.of("z")).getFirst())
            .byHand()
            .isPresent());
    List<NamedEntry> damaged = StandInHelix.kb("web", "Open web/Login.kt, line \uFFFD.");
    assertTrue(
        plan(damaged, Acts.onMoved(damaged.get(0), "web/Login.kt", Optional.of("z")).getFirst())
            .byHand()
            .orElseThrow()
            .endsWith("too long for a call, empty, or damaged"));
  }

  @Test
  void whatOnlyAReaderCanTellHasNoCalls() {
    Act act = Acts.onMoved(kb.get(5), "LoginGate", Optional.empty()).getFirst();
    assertEquals(
        "read web:1 again, and correct or remove what it says about LoginGate", act.words());
    assertEquals(
        Optional.of("only a reader of the entry can decide on its new text"),
        plan(kb, act).byHand());
  }

  private static List<NamedEntry> copiesOf(List<NamedEntry> kb, int... members) {
    return Arrays.stream(members).mapToObj(kb::get).toList();
  }

  private static StandInHelix carriedOut(List<NamedEntry> kb, List<Act> ways) {
    return carriedOut(kb, ways, true);
  }

  /** Runs the first of the acts, whose checks must succeed before, and returns helix. */
  private static StandInHelix carriedOut(List<NamedEntry> kb, List<Act> ways, boolean callable) {
    StandInHelix helix = new StandInHelix(StandInHelix.entries(kb));
    ActPlan plan = plan(kb, ways.getFirst());
    assertTrue(!callable || plan.byHand().isEmpty(), () -> plan.byHand().toString());
    assertTrue(holds(helix, plan));
    plan.marks().forEach(helix::call);
    assertTrue(ActMark.areUnder(StandInHelix.named(read(helix)), plan.marked()));
    plan.calls().forEach(helix::call);
    for (HelixCall call : plan.edits()) {
      assertFalse(call.arguments().containsKey("index"), "a place can have moved");
    }
    return helix;
  }

  private static boolean holds(StandInHelix helix, ActPlan plan) {
    return plan.checks().stream()
        .allMatch(
            check ->
                StandInHelix.counts(
                    helix, check.call().tool(), check.call().arguments(), check.entries()));
  }

  private static List<Entry> read(StandInHelix helix) {
    return helix.live().stream()
        .map(note -> StandInHelix.entry(note.offset(), note.topic(), note.body(), note.minutes()))
        .toList();
  }

  /** Returns the contents of the entries to which a note links. */
  private static List<String> leads(StandInHelix helix, String topic, String content) {
    return helix.in(topic).stream()
        .filter(note -> note.text().content().equals(content))
        .findFirst()
        .orElseThrow()
        .text()
        .links()
        .stream()
        .map(link -> helix.at(link).text().content())
        .toList();
  }

  private static List<When> when(List<Act> ways) {
    assertEquals(1, ways.size());
    return ways.getFirst().when();
  }

  /** Of two contradicting facts, the longer one is not necessarily true. */
  @Test
  void ofFactsThatDisagreeAReaderChoosesOneUnlessTheirAgeIsKnown() {
    String github = "CI runs on GitHub Actions, no longer on GitLab.";
    String gitlab = "CI runs on GitLab, on runners of our own in a data center.";
    assertEquals(
        List.of(List.of(When.OVERTAKEN), List.of(When.OVERTAKEN)),
        whenOfFacts(0, github, gitlab, UNJUDGED));
    assertEquals(
        List.of(List.of(When.SAME), List.of(When.SAME)),
        whenOfFacts(0, github, gitlab, Optional.of(Verdict.SAME)));
    assertEquals(
        List.of(List.of(When.SAME)),
        whenOfFacts(0, "CI runs on GitLab.", gitlab, Optional.of(Verdict.SAME)));
    assertEquals(
        List.of(List.of(When.SAME)),
        whenOfFacts(20_000_000, github, gitlab, Optional.of(Verdict.SAME)));
  }

  private static List<List<When>> whenOfFacts(
      int minutes, String one, String other, Optional<Verdict> verdict) {
    String fact = "[line: %d]\n[source: MEMORY.md]\n[part: item “%1$d”]\n%s";
    int later = minutes == 0 ? 0 : minutes + Entry.DAY;
    List<NamedEntry> facts =
        StandInHelix.named(
            List.of(
                StandInHelix.entry(8, "./", fact.formatted(1, one), minutes),
                StandInHelix.entry(90, "./", fact.formatted(2, other), later)));
    return Acts.on(facts.get(0), facts.get(1), verdict).stream().map(Act::when).toList();
  }
}
