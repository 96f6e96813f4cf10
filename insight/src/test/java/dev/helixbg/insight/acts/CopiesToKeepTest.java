package dev.helixbg.insight.acts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which of several copies of a note is kept. */
class CopiesToKeepTest {
  private final List<Entry> entries = new ArrayList<>();

  private void note(String file, String head, String text, int minutes) {
    entries.add(
        Entry.of(8 + entries.size(), "./", head + "[source: " + file + "]\n" + text, minutes));
  }

  private List<NamedEntry> kb() {
    return NamedEntry.all(entries, entry -> "%032x".formatted(entry.offset()));
  }

  private static String kept(List<Act> acts) {
    return ((Change.Remove) acts.getFirst().change()).kept().name();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plan (Ann's conflicted copy 2026-03-02).md",
        "plan (conflicted copy 2026-03-02 101112).md",
        "plan.sync-conflict-20260302-101112-ABCDEFG.md",
        "plan (SFConflict ann 2026-03-02).md",
        "plan (Case Conflict).md",
        "plan_conflict-20260302-101112.md",
        "plan.Conflict.md",
        "plan 1.md",
        "plan(1).md",
        "plan (2).md",
        "plan copy.md",
        "plan copy 2.md",
        "plan (copy).md",
        "plan (another copy).md",
        "plan - Copy.md",
        "plan - Copy (2).md",
        "plan - Kopie.md",
        "Copy of plan.md",
        "Kopie von plan.md"
      })
  void theFileThatNoProgramMadeStays(String copy) {
    for (int i = 0; i < 2; i++) {
      entries.clear();
      note(i == 0 ? "plan.md" : copy, "", "The plan", i);
      note(i == 0 ? copy : "plan.md", "", "The plan", 1 - i);
      assertEquals("plan.md", kept(Acts.onCopies(kb())), copy);
    }
    entries.clear();
    note("plan.md", "", "plan", 0);
    note(copy, "", "a longer title of the copy\n\nThe plan", 0);
    List<NamedEntry> kb = kb();
    assertEquals(
        "plan.md",
        kept(Acts.on(kb.get(0), kb.get(1), Optional.of(Verdict.SAME))),
        "of a pair, too");
  }

  @Test
  void theFileToWhichOthersLinkStaysWhateverItIsCalled() {
    note("plan.md", "[tags: a]\n", "The plan", 1);
    note("plan copy.md", "", "The plan", 0);
    note("index.md", "[links: ./:1]\n", "Index", 0);
    List<NamedEntry> kb = kb();
    assertEquals("plan copy.md", kept(Acts.onCopies(kb.subList(0, 2))));
  }

  @Test
  void thenTagsAndTimeCountThenTheShorterName() {
    note("a.md", "", "The plan", 0);
    note("longer.md", "[tags: a]\n", "The plan", 7);
    assertEquals("longer.md", kept(Acts.onCopies(kb())));
    entries.clear();
    note("some-of-it.md", "", "The plan", 0);
    note("it.md", "", "The plan", 0);
    note("all-of-it.md", "", "The plan", 0);
    assertEquals("it.md", kept(Acts.onCopies(kb())));
  }

  @Test
  void aNumberIsNoMarkOfItsOwn() {
    note("Chapter 1.md", "[tags: a]\n", "The plan", 0);
    note("Beginning of it.md", "", "The plan", 0);
    assertEquals("Chapter 1.md", kept(Acts.onCopies(kb())));
  }

  @Test
  void theFileThatMoreSessionsLoadStays() {
    note("api/AGENTS.md", "[tags: a]\n", "The plan", 7);
    note("AGENTS.md", "", "The plan", 0);
    note("web/AGENTS.md", "", "The plan", 0);
    List<NamedEntry> kb = kb();
    assertEquals("AGENTS.md", kept(Acts.onCopies(kb)));
    assertEquals(1, same(kb.get(0), kb.get(1)));
    assertEquals(2, same(kb.get(0), kb.get(2)));
    assertEquals(List.of(), Acts.onCopies(List.of(kb.get(0), kb.get(2))));
    note("AGENTS.md", "", "The plan that is a longer text", 0);
    note("CLAUDE.md", "", "The plan that is longer", 0);
    note(".claude/rules/a.md", "[paths: a/*]\n", "The plan that is longer", 0);
    note(".claude/rules/b.md", "[paths: b/*]\n", "The plan that is longer", 0);
    kb = kb();
    assertEquals(1, same(kb.get(0), kb.get(3)));
    assertEquals(2, same(kb.get(3), kb.get(4)), "of two agents");
    assertEquals("CLAUDE.md", kept(Acts.onCopies(kb.subList(4, 6))));
    assertEquals(2, same(kb.get(5), kb.get(6)), "for different files");
    note("~/.claude/CLAUDE.md", "", "The plan", 0);
    note("~/.claude/projects/a/memory/MEMORY.md", "", "The plan that is longer", 0);
    kb = kb();
    assertEquals(2, same(kb.get(7), kb.get(8)), "for one project");
  }

  private static int same(NamedEntry a, NamedEntry b) {
    return Acts.on(a, b, Optional.of(Verdict.SAME)).size();
  }

  @Test
  void ofTwoWhoseAgeNobodyKnowsEitherMayBeTheOvertakenOne() {
    note("a.md", "", "Port 1", 0);
    note("b.md", "", "Port 2", 0);
    List<NamedEntry> kb = kb();
    assertEquals(2, Acts.on(kb.get(0), kb.get(1), Optional.of(Verdict.OVERTAKEN)).size());
  }
}
