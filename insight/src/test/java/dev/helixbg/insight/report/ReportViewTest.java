package dev.helixbg.insight.report;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.findings.NearestPair;
import dev.helixbg.insight.judge.JudgedRelations;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ReportViewTest {

  @Test
  void theSameReportGivesTheSameBytes() {
    Report first = KbFixtures.large().report();
    Report second = KbFixtures.large().report();
    assertArrayEquals(KbFixtures.json(first), KbFixtures.json(second));
    assertEquals(MarkdownReport.render(first), MarkdownReport.render(second));
    assertEquals(HtmlReport.render(first), HtmlReport.render(second));
  }

  @Test
  void whatSpeaksForAPairIsInWords() {
    KbFixture kb = new KbFixture();
    NamedEntry a = kb.entry("x", 0, "A");
    NamedEntry b = kb.entry("x", 0, "B");
    kb.pair(a, b, 0.95)
        .relation(a, b, 0.5, NearestPair.nearness(1, 2))
        .relation(a, b, 0.5, NearestPair.nearness(0, 0));
    List<PairView> pairs =
        ReportView.of(kb.report()).leading().pairs().stream()
            .map(LeadingSection.FilePairs::first)
            .toList();
    assertEquals("In nearly the same words", pairs.get(0).verdict());
    assertEquals(
        List.of("similarity 0.950", "each is the other’s nearest entry"), pairs.get(0).evidence());
    assertEquals("Near each other", pairs.get(1).verdict());
    assertEquals(
        "B is A’s nearest entry, A is B’s 2nd nearest entry", pairs.get(1).evidence().getLast());
    assertEquals("similar only in their words", pairs.get(2).evidence().getLast());
  }

  @Test
  void howManyEntriesNoModelCanReadIsSaid() {
    KbFixture kb = new KbFixture();
    NamedEntry a = kb.entry("x", 0, "会議は二時に始まる");
    NamedEntry b = kb.entry("x", 0, "会議は三時に始まる");
    kb.entry("x", 0, "The word 施肥 means to fertilise");
    kb.pair(a, b, 0.99);
    String said = MarkdownReport.render(kb.report());
    assertTrue(
        said.contains("2 entries are in a writing system that the bundled models cannot read"),
        said);
    assertEquals(
        List.of(),
        JudgedRelations.of(kb.report().findings().relations(), kb.report().judgements()).leading());
  }

  @Test
  void asOfIsTheNewestKnownTime() {
    KbFixture kb = new KbFixture();
    assertTrue(kb.report().asOf().isEmpty());
    kb.entry("x", 0, "unknown");
    assertTrue(kb.report().asOf().isEmpty());
    kb.entry("x", 29_540_000, "newest");
    kb.entry("x", 29_000_000, "older");
    assertEquals("2026-03-01T21:20", kb.report().asOf().orElseThrow().toString());
  }

  @Test
  void damageIsToldInWordsAndALongListIsCut() {
    KbFixture kb = new KbFixture();
    kb.damage(1_204, 37, LogAccount.Kind.TORN_TAIL, "the last record is not complete");
    kb.damage(2_000, 0, LogAccount.Kind.INVALID_UTF8, "bytes that are not UTF-8");
    PlacesSection two = ReportView.of(kb.report()).damage().getFirst();
    assertEquals(
        "the last record is not complete, 37 bytes unreadable", two.places().get(0).what());
    assertEquals("bytes that are not UTF-8, nothing lost", two.places().get(1).what());
    assertTrue(two.more().isEmpty());
    for (int i = 0; i < 100; i++) {
      kb.damage(i, 1, LogAccount.Kind.UNKNOWN_TYPE, "");
    }
    PlacesSection many = ReportView.of(kb.report()).damage().getFirst();
    assertEquals(20, many.places().size());
    assertEquals("And 82 more places, all in report.json.", many.more().orElseThrow());
  }

  @Test
  void ofVeryManyTopicsTheLargestAreListed() {
    KbFixture kb = new KbFixture();
    for (int i = 0; i < 700; i++) {
      kb.entry("topic-" + i, 0, "Text.");
    }
    kb.entry("topic-699", 0, "More.");
    ReportView view = ReportView.of(kb.report());
    assertEquals(500, view.topics().rows().size());
    ReportView.TopicView largest = new ReportView.TopicView("topic-699", "2", Optional.empty());
    assertTrue(view.topics().rows().contains(largest));
    assertEquals(
        "Only the largest topics are listed; report.json has all topics.",
        view.topics().cutWords().orElseThrow());
  }

  @Test
  void aShownTextLosesNothingButWhatItSays() {
    Random random = new Random(3);
    String[] pieces = {"word ", "\n", "x".repeat(300), "\uD83D\uDE00", "漢字", "line\n".repeat(20)};
    for (int round = 0; round < 500; round++) {
      StringBuilder content = new StringBuilder();
      for (int i = random.nextInt(200); i > 0; i--) {
        content.append(pieces[random.nextInt(pieces.length)]);
      }
      FoldableText shown = FoldableText.of(content.toString());
      String text = shown.head() + shown.rest();
      assertTrue(content.toString().startsWith(text));
      int length = content.codePointCount(0, content.length());
      assertEquals(length, text.codePointCount(0, text.length()) + shown.omitted());
      assertEquals(length, shown.head().codePointCount(0, shown.head().length()) + shown.unread());
      assertTrue(shown.head().length() <= 900 && shown.head().lines().count() <= 14);
      assertEquals(
          content.length() <= 900 && content.toString().lines().count() <= 14, shown.unread() == 0);
    }
  }

  @Test
  void numbersReadLikeEnglish() {
    assertEquals("-2114-12-08 21:52", NumberWords.date(Entry.of(8, "a", "x", Integer.MIN_VALUE)));
    int midnight = 29_538_720;
    String note = "[source: a/b.md]\nText.";
    assertEquals(
        List.of("2026-03-01", "2026-03-01 00:01", "2026-03-01 00:00", "date unknown"),
        Stream.of(
                Entry.of(8, "a/", note, midnight),
                Entry.of(8, "a/", note, midnight + 1),
                Entry.of(8, "a", note, midnight),
                Entry.of(8, "a/", note, 0))
            .map(NumberWords::date)
            .toList(),
        "of notes, and of an entry of helix");
    assertEquals("60 of 1,063 shown", NumberWords.shownOf(60, 1063));
    assertEquals("60", NumberWords.shownOf(100, 60));
    assertEquals("0", NumberWords.count(0));
    assertEquals("999", NumberWords.count(999));
    assertEquals("-1,000", NumberWords.count(-1_000));
    assertEquals("1,234,567", NumberWords.count(1_234_567));
    assertEquals("1 entry", NumberWords.count(1, "entry", "entries"));
    assertEquals("0.950", NumberWords.similarity(0.9499999));
    assertEquals("-0.050", NumberWords.similarity(-0.05));
    assertEquals("0.000", NumberWords.similarity(-0.0001));
    assertEquals("–", NumberWords.similarity(Double.NaN));
    assertEquals("0.9", NumberWords.limit(0.9));
    assertEquals("1.0", NumberWords.limit(1));
    assertEquals("0.123457", NumberWords.trimmed(0.1234567, 6));
  }
}
