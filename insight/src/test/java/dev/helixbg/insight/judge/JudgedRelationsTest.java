package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.Passage;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests which pairs lead a report. */
class JudgedRelationsTest {
  private static final PairVerdict SAME =
      new PairVerdict(Verdict.SAME, 0.9, 0.9, 0.1, 0, false, false);

  private static final Optional<JudgeTrust> GOOD =
      Optional.of(new JudgeTrust(60, 55, Map.of(), 0.9));

  /** Returns judgements in which a language model calls these pairs the same. */
  private static Judgements calledTheSame(String... ids) {
    Map<String, PairVerdict> verdicts = new HashMap<>();
    for (String id : ids) {
      verdicts.put(id, SAME);
    }
    return new Judgements(Optional.of("model"), Map.of(), verdicts, Map.of(), List.of(), Map.of());
  }

  /**
   * Returns the judgements of {@link #calledTheSame} from a model that was measured as reliable.
   */
  private static Judgements trusted(String... ids) {
    return calledTheSame(ids).trusted(GOOD, Optional.empty());
  }

  private static NamedEntry entry(int number) {
    return entry(number, "text");
  }

  private static NamedEntry entry(int number, String text) {
    Entry entry = Entry.of(8 + number, "t", text, 0);
    return new NamedEntry(entry, number, "%032x".formatted(number), false);
  }

  private static Finding.Relation relation(String id, double similarity, double ofPassages) {
    return relation(id, entry(1), entry(2), similarity, ofPassages);
  }

  private static Finding.Relation relation(
      String id, NamedEntry a, NamedEntry b, double similarity, double ofPassages) {
    Finding.Relation pair = NearestPair.of(id, a, b, 0.3, similarity);
    return ofPassages == 0
        ? pair
        : NearestPair.matching(
            pair, new Finding.Matching(new Passage(0, 1), new Passage(0, 1), ofPassages, 0, 0));
  }

  private static List<String> leading(Judgements judgements, Finding.Relation... relations) {
    return JudgedRelations.of(List.of(relations), judgements).leading().stream()
        .map(Finding::id)
        .toList();
  }

  /**
   * In a KB of two entries, each is the nearest neighbour of the other, even if they have nothing
   * in common.
   */
  @Test
  void whatIsFarNeverLeadsASmallKb() {
    Finding.Relation far = relation("rel-1", 0.2, 0);
    assertEquals(List.of(), leading(Judgements.NONE, far));
    assertEquals(
        List.of("rel-2"), leading(Judgements.NONE, far, relation("rel-2", Finding.FAR, 0)));
  }

  /**
   * A pair of a series that no pair judge has read does not lead, even if a language model calls it
   * the same.
   */
  @Test
  void aSeriesThatThePairJudgeHasNotReadDoesNotLead() {
    Finding.Relation series =
        relation(
            "rel-1",
            entry(1, "Invoice of March 2026: 42.10 EUR, paid from the joint account."),
            entry(2, "Invoice of April 2026: 43.80 EUR, paid from the joint account."),
            0.94,
            0);
    Finding.Relation other = relation("rel-2", 0.94, 0);
    assertEquals(List.of("rel-2"), leading(Judgements.NONE, series, other));
    assertEquals(List.of("rel-2"), leading(trusted("rel-1", "rel-2"), series, other));
  }

  /**
   * A daily record and a note that was later written from it lead only if a model calls them the
   * same.
   */
  @Test
  void aNoteAndTheRecordOfADayLeadOnlyByAModelsWord() {
    Finding.Relation pair =
        relation("rel-1", ofFile(1, "log/2026-07-14-leases.md"), ofFile(2, "leases.md"), 0.9, 0);
    Finding.Relation records =
        relation("rel-2", ofFile(1, "2026-07-14.md"), ofFile(2, "log/20260715.md"), 0.9, 0);
    Finding.Relation notes =
        relation("rel-3", ofFile(1, "2026.md"), ofFile(2, "leases of 2026-07-14.md"), 0.9, 0);
    assertEquals(List.of("rel-2", "rel-3"), leading(Judgements.NONE, pair, records, notes));
    assertEquals(List.of("rel-1"), leading(trusted("rel-1", "rel-2"), pair));
  }

  private static NamedEntry ofFile(int number, String file) {
    Entry entry = Entry.of(8 + number, "./", "[source: " + file + "]\ntext " + number, 0);
    return new NamedEntry(entry, number, "%032x".formatted(number), false);
  }

  @Test
  void passagesThatAreNearLead() {
    assertEquals(List.of("rel-1"), leading(Judgements.NONE, relation("rel-1", 0.2, 0.6)));
    assertEquals(List.of(), leading(Judgements.NONE, relation("rel-1", 0.2, 0.3)));
  }

  @Test
  void whatAMeasuredJudgeIsSureOfLeadsHoweverFarItIs() {
    Finding.Relation far = relation("rel-1", 0.2, 0);
    Judgements judged = calledTheSame("rel-1");
    assertEquals(List.of(), leading(judged, far), "nobody has measured it");
    assertEquals(Optional.empty(), judged.actingOn(far));
    Judgements measured = judged.trusted(GOOD, Optional.empty());
    assertEquals(List.of("rel-1"), leading(measured, far));
    assertEquals(Optional.of(Verdict.SAME), measured.actingOn(far));
    JudgeTrust guessing = new JudgeTrust(60, 10, Map.of(), 0);
    assertEquals(List.of(), leading(judged.trusted(Optional.of(guessing), Optional.empty()), far));
  }

  /** Returns the verdicts of a reliable agent, by the id of the pair. */
  private static AgentSayings said(Map<String, Verdict> verdicts) {
    Map<String, AgentSayings.Said> pairs = new HashMap<>();
    verdicts.forEach(
        (id, verdict) ->
            pairs.put(
                id,
                new AgentSayings.Said(
                    Optional.of(verdict), List.of(new AgentSayings.Saying("a 1", verdict, true)))));
    return new AgentSayings(List.of(), pairs);
  }

  @Test
  void whatAnAgentCallsWorthAnActLeadsAndWhatItCallsRelatedDoesNot() {
    Finding.Relation one = relation("rel-1", 0.9, 0);
    Finding.Relation two = relation("rel-2", 0.8, 0);
    Finding.Relation far = relation("rel-3", 0.2, 0);
    Judgements judged =
        Judgements.NONE.with(
            said(Map.of("rel-1", Verdict.RELATED, "rel-3", Verdict.OVERTAKEN)), Map.of(), Map.of());
    assertEquals(List.of("rel-3", "rel-2"), leading(judged, one, two, far));
    assertEquals(Optional.of(Verdict.OVERTAKEN), judged.actingOn(far));
    assertEquals(Optional.of(Verdict.RELATED), judged.actingOn(one));
    Judgements byModel =
        calledTheSame("rel-1", "rel-2")
            .with(said(Map.of("rel-1", Verdict.DIFFERENT)), Map.of(), Map.of());
    assertEquals(List.of("rel-2"), leading(byModel, one, two, far));
  }

  /**
   * Even after an agent has answered about each pair that a pair judge has read, unread pairs do
   * not lead.
   */
  @Test
  void anUnreadPairDoesNotLeadWhenAllReadPairsAreDecided() {
    Finding.Relation read =
        relation("rel-1", 0.9, 0)
            .assessed(
                new Finding.Assessment(
                    0.9, 0.01, 0.05, 3, Finding.Tier.RELATED, Optional.empty(), false));
    Finding.Relation unread = relation("rel-2", 0.9, 0);
    assertEquals(List.of("rel-1"), leading(Judgements.NONE, read, unread));
    Judgements byAgent =
        Judgements.NONE.with(said(Map.of("rel-1", Verdict.RELATED)), Map.of(), Map.of());
    assertEquals(List.of(), leading(byAgent, read, unread));
    Judgements byModel = trusted("rel-1");
    assertEquals(List.of("rel-1"), leading(byModel, read, unread));
  }

  private static Finding.Relation ofNotes(String id, String a, String b) {
    List<NamedEntry> notes =
        NamedEntry.all(
            Stream.of(a, b)
                .map(name -> "[source: " + name.replace("#", "]\n[heading: ") + "]\ntext")
                .map(text -> Entry.of(text.hashCode() & 0xFFFF, "n/", text, 0))
                .toList(),
            entry -> "%032x".formatted(entry.offset()));
    return NearestPair.of(id, notes.get(0), notes.get(1), 0.3, 0.8);
  }

  /**
   * Pairs from the same two files are listed together, no matter which file comes first in the log.
   */
  @Test
  void pairsOfSectionsOfTheSameTwoFilesFollowEachOther() {
    assertEquals(
        List.of("rel-1", "rel-3", "rel-4", "rel-2"),
        leading(
            Judgements.NONE,
            ofNotes("rel-1", "n/a.md#One", "n/b.md#One"),
            ofNotes("rel-2", "n/a.md#One", "n/c.md"),
            ofNotes("rel-3", "n/b.md#Two", "n/a.md#Two"),
            ofNotes("rel-4", "n/a.md]\n[part: before its first heading", "n/b.md#Three")));
  }

  /**
   * Pairs of facts from one memory file are not grouped by file, because all of them have the same
   * file.
   */
  @Test
  void factsOfOneFileAreNoSectionsThatBelongTogether() {
    Finding.Relation ofSections = ofNotes("rel-1", "n/a.md#One", "n/b.md#One");
    Finding.Relation ofFacts = ofNotes("rel-2", "n/MEMORY.md]\n[line: 4", "n/MEMORY.md]\n[line: 8");
    assertEquals(Optional.of(Set.of("n/a.md", "n/b.md")), ofSections.files());
    assertEquals(Optional.empty(), ofFacts.files());
  }

  @Test
  void shortFactsNeedAHigherProbability() {
    String longer = "The dev server starts with pnpm dev";
    assertEquals(List.of("rel-1"), leading(Judgements.NONE, ofFacts(longer, 0.75)));
    assertEquals(List.of(), leading(Judgements.NONE, ofFacts(longer, 0.65)));
    assertEquals(List.of("rel-1"), leading(Judgements.NONE, ofFacts("Start: `pnpm dev`", 0.95)));
    assertEquals(List.of(), leading(Judgements.NONE, ofFacts("Start: `pnpm dev`", 0.85)));
  }

  private static Finding.Relation ofFacts(String text, double same) {
    String other = "Start the dev server with pnpm dev";
    List<NamedEntry> facts =
        NamedEntry.all(
            List.of(
                Entry.of(1, "./", "[source: CLAUDE.md]\n[line: 4]\n" + text, 0),
                Entry.of(2, "./", "[source: AGENTS.md]\n[line: 8]\n" + other, 0)),
            entry -> "%032x".formatted(entry.offset()));
    Finding.Assessment said =
        new Finding.Assessment(same, 0, 1 - same, 0, Finding.Tier.RELATED, Optional.empty(), false);
    return NearestPair.of("rel-1", facts.get(0), facts.get(1), 0.3, 0.8).assessed(said);
  }
}
