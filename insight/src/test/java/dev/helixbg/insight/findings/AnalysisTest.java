package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.helixbg.insight.findings.Finding.PairKind;
import dev.helixbg.insight.notes.NoteName;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests findings of each kind in small corpora: their limits, order and ids. */
class AnalysisTest {
  /** Returns a unit vector whose cosine with (1, 0, 0) is exactly {@code cosine}. */
  private static float[] cosine(float cosine) {
    return new float[] {cosine, (float) Math.sqrt(1 - (double) cosine * cosine), 0};
  }

  private static final float[] ONE = {1, 0, 0};

  /** Similarities are floats, but the limits of the kinds are decimal numbers. */
  @Test
  void aPairIsCalledByItsSimilarityAndTopics() {
    Map<Float, List<PairKind>> expected = new TreeMap<>();
    expected.put(Math.nextDown(0.75f), List.of(PairKind.RELATION, PairKind.RELATION));
    expected.put(0.75f, List.of(PairKind.RELATION, PairKind.CROSS_LINK));
    expected.put(Math.nextDown(0.92f), List.of(PairKind.RELATION, PairKind.CROSS_LINK));
    expected.put(0.92f, List.of(PairKind.NEAR_DUPLICATE, PairKind.NEAR_DUPLICATE));
    expected.forEach(
        (similarity, kinds) ->
            assertEquals(
                kinds,
                Stream.of("a", "b").map(topic -> kind(topic, similarity)).toList(),
                "in one topic and in two: " + similarity));
  }

  private static PairKind kind(String topic, float similarity) {
    Findings findings =
        new Corpus().add("a", "x", ONE).add(topic, "y", cosine(similarity)).analyse();
    return findings.relations().getFirst().kind();
  }

  /** Three copies form one group, not three pairs that the user would have to settle one by one. */
  @Test
  void exactCopiesAreOneFinding() {
    Corpus corpus =
        new Corpus()
            .add("a", "same", ONE)
            .add("b", "same", ONE)
            .add("a", " same\n", ONE)
            .add("a", "other", cosine(0.95f))
            .add("c", "", ONE)
            .add("c", " ", ONE)
            .add("d", "Der Schl\u00fcssel", ONE)
            .add("d", "Der Schlu\u0308ssel", ONE);
    Findings findings = corpus.analyse();
    assertEquals(
        List.of(List.of("a:0", "b:0", "a:1"), List.of("d:0", "d:1")),
        findings.copies().stream()
            .map(group -> group.entries().stream().map(NamedEntry::name).toList())
            .toList());
    List<String> texts =
        findings.relations().stream()
            .flatMap(pair -> Stream.of(pair.a(), pair.b()))
            .filter(one -> one.entry().text().content().strip().equals("same"))
            .map(NamedEntry::name)
            .distinct()
            .toList();
    assertEquals(1, texts.size(), texts.toString());
  }

  /** The first two columns are files of notes or, after #, headings of items of CLAUDE.md. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "#api | #api | Tests run in the container. | copies",
        "#api | #web | Tests run in the container. | a pair",
        "#api 2026-01-05 | #api 2026-02-01 | Tests run in the container. | copies",
        "CLAUDE.md | AGENTS.md | Answer in English. | a pair",
        "~/.claude/CLAUDE.md | ~/.codex/AGENTS.md | Answer in English. | a pair",
        "~/.claude/CLAUDE.md | CLAUDE.md | Answer in English. | a pair",
        "~/.claude/projects/-a/memory/MEMORY.md | ~/.claude/projects/-b/memory/MEMORY.md | Be. |"
            + " none",
        "AGENTS.md | api/AGENTS.md | Answer in English. | copies",
        "web/AGENTS.md | api/AGENTS.md | Answer in English. | none",
        "web/.cursor/rules/a.mdc | api/.cursor/rules/b.mdc | Answer in English. | none",
        ".cursor/rules/a.mdc | .cursor/rules/b.mdc | Answer in English. | copies",
        "CLAUDE.md | api/CLAUDE.md | @AGENTS.md | none",
        "CLAUDE.md | api/CLAUDE.md | Read `AGENTS.md` in this folder first. | none",
        "docs/MEMORY.md | MEMORY.md | Answer in English. | copies",
        "trips/rome/index.md | trips/oslo/index.md | ![cover](cover.jpg) Three days. | a pair",
        "trips/rome/index.md | trips/oslo/index.md | <https://one.example/a.jpg> | copies",
        "trips/rome/index.md | trips/oslo/index.md | [map](https://one.example) | copies",
        "trips/rome/index.md | trips/oslo/index.md | [map]: https://one.example | copies",
        "trips/rome/index.md | trips/oslo/index.md | [map]: map.jpg | a pair",
        "trips/rome.md | trips/oslo.md | ![cover](cover.jpg) Three days. | copies",
      })
  void textsOfWhichBothAreNeededAreNoCopies(String one, String other, String text, String found) {
    Findings findings =
        new Corpus()
            .addBody("./", body(one, 2, text), ONE)
            .addBody("./", body(other, 5, text), ONE)
            .analyse();
    assertEquals(found.equals("copies") ? 1 : 0, findings.copies().size());
    assertEquals(found.equals("a pair") ? 1 : 0, findings.relations().size());
  }

  private static String body(String place, int line, String text) {
    return place.startsWith("#")
        ? "[source: CLAUDE.md]\n[heading: %s]\n[part: item “x”]\n[line: %d]\n%s"
            .formatted(place.substring(1), line, text)
        : "[source: %s]\n%s".formatted(place, text);
  }

  /** A finding stores only the keys of its entries, and equal items have the same key. */
  @Test
  void threeEqualItemsUnderThreeHeadingsAreNoFinding() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 3; i++) {
      corpus.addBody("./", body("#h" + i, i * 5, "Start it with make."), ONE);
    }
    Findings findings = corpus.analyse();
    assertEquals(0, findings.copies().size() + findings.relations().size());
  }

  /** Findings name only one of several copies; a link to any copy counts as a link to that copy. */
  @Test
  void whoLinksToACopyIsProposedNoLinkToAnotherOne() {
    for (String linked : List.of("a:0", "b:0")) {
      Findings findings =
          new Corpus()
              .add("a", "The plan", ONE)
              .add("b", "The plan", ONE)
              .addBody("c", "[links: " + linked + "]\nWhere plans are", cosine(0.9f))
              .analyse();
      assertEquals(1, findings.copies().size());
      assertEquals(List.of(), findings.relations(), linked);
    }
  }

  /** A decision on older copies must not hide the new copy. */
  @Test
  void aCopyThatIsWrittenLaterMakesAnotherFinding() {
    Corpus corpus = new Corpus().add("a", "same", ONE).writtenAt(3).add("b", "same", ONE);
    String id = corpus.analyse().copies().getFirst().id();
    assertEquals(id, corpus.add("c", "other", ONE).analyse().copies().getFirst().id());
    assertEquals(id, corpus.add("c", "same", ONE).analyse().copies().getFirst().id());
    assertNotEquals(
        id, corpus.add("c", "same", ONE).writtenAt(4).analyse().copies().getFirst().id());
  }

  @Test
  void topicsOverlapAboveTheLimitOnly() {
    Corpus at = new Corpus().add("b", "x", ONE).add("a", "y", cosine(Math.nextDown(0.6f)));
    assertEquals(List.of(), at.analyse(1).topicOverlaps());
    Corpus above = new Corpus().add("b", "x", ONE).add("a", "y", cosine(0.6f));
    Finding.TopicOverlap overlap = above.analyse(1).topicOverlaps().getFirst();
    assertEquals("a", overlap.a());
    assertEquals("b", overlap.b());
    assertEquals(0.6f, overlap.similarity());
  }

  @Test
  void topicsAreComparedByTheMeanOfTheirEntries() {
    Corpus corpus =
        new Corpus()
            .add("a", "1", 1, 0, 0)
            .add("a", "2", 0, 1, 0)
            .add("b", "3", 0, 1, 0)
            .add("b", "4", 1, 0, 0)
            .add("cancels out", "5", 1, 1, 0)
            .add("cancels out", "6", -1, -1, 0);
    List<Finding.TopicOverlap> overlaps = corpus.analyse().topicOverlaps();
    assertEquals(List.of("a ~ b"), overlaps(corpus));
    assertEquals(1, overlaps.getFirst().similarity(), 1e-6);
  }

  private static List<String> overlaps(Corpus corpus) {
    return corpus.analyse().topicOverlaps().stream()
        .map(overlap -> overlap.a() + " ~ " + overlap.b())
        .sorted()
        .toList();
  }

  /** A folder of notes is about the subjects of its subfolders; topics of helix are not folders. */
  @Test
  void aFolderDoesNotOverlapWithOneInIt() {
    Corpus corpus = new Corpus();
    for (String topic : List.of("./", "go/", "go/web/", "java/", "api", "api/v2")) {
      corpus.add(topic, "in " + topic, 1, 0, 0);
    }
    List<String> overlaps = overlaps(corpus);
    assertTrue(overlaps.contains("api ~ api/v2"), overlaps.toString());
    assertEquals(
        List.of("go/ ~ java/", "go/web/ ~ java/"),
        overlaps.stream().filter(pair -> !pair.contains("api")).toList());
  }

  /** Such folders contain, for example, daily notes, or files that all have the same name. */
  @Test
  void foldersWithOneNoteEachDoNotOverlap() {
    Corpus corpus = new Corpus();
    corpus.addBody("a/", "[source: a/CLAUDE.md]\n[heading: One]\nOne.", 1, 0, 0);
    corpus.addBody("a/", "[source: a/CLAUDE.md]\n[heading: Two]\nTwo.", 1, 0, 0);
    corpus.addBody("b/", "[source: b/CLAUDE.md]\nThree.", 1, 0, 0);
    corpus.addBody("c/", "[source: c/CLAUDE.md]\nFour.", 1, 0, 0);
    corpus.addBody("c/", "[source: c/README.md]\nFive.", 1, 0, 0);
    corpus.add("d", "six", 1, 0, 0);
    corpus.add("e", "seven", 1, 0, 0);
    assertEquals(
        List.of(
            "a/ ~ c/", "a/ ~ d", "a/ ~ e", "b/ ~ c/", "b/ ~ d", "b/ ~ e", "c/ ~ d", "c/ ~ e",
            "d ~ e"),
        overlaps(corpus));
  }

  @Test
  void sectionsOfOneNoteAreNotProposedToBeOne() {
    Corpus corpus = new Corpus();
    for (String file : List.of("long.md", "other.md")) {
      corpus.addBody(
          "go/", "[source: go/" + file + "]\n[heading: One]\nThe same in both.", 1, 0, 0);
      corpus.addBody(
          "go/", "[source: go/" + file + "]\n[heading: Two]\nThe same twice in a file.", 0, 1, 0);
      corpus.addBody(
          "go/",
          "[source: go/" + file + "]\n[heading: Six]\nLike it in " + file,
          0,
          0.995f,
          0.0998f);
    }
    corpus.addBody("go/", "[source: go/long.md]\n[heading: Last]\nAgain.", 0, 0, 1);
    corpus.addBody("go/", "[source: go/long.md]\n[heading: Very last]\nAgain.", 0, 0, 1);
    Findings findings = corpus.analyse();
    assertEquals(
        List.of("The same in both.", "The same twice in a file."),
        findings.copies().stream()
            .map(copies -> copies.entries().getFirst().entry().text().content())
            .sorted()
            .toList());
    assertEquals(
        List.of("go/long.md#Six ~ go/other.md#Six"),
        findings.relations().stream()
            .filter(pair -> pair.kind() == PairKind.NEAR_DUPLICATE)
            .map(pair -> pair.a().name() + " ~ " + pair.b().name())
            .filter(pair -> !pair.contains("#Two"))
            .toList());
    assertTrue(
        findings.relations().stream()
            .noneMatch(pair -> NoteName.areInOneFile(pair.a().entry(), pair.b().entry())));
  }

  @Test
  void equallySimilarPairsAreOrderedByKey() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 9; i++) {
      corpus.add("t", "text " + i, ONE);
    }
    List<String> sorted = corpus.keys.stream().sorted().toList();
    List<List<String>> expected = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      for (int j = i + 1; j < 9; j++) {
        expected.add(List.of(sorted.get(i), sorted.get(j)));
      }
    }
    assertEquals(
        expected,
        corpus.analyse().relations().stream()
            .map(pair -> Stream.of(pair.a().key(), pair.b().key()).sorted().toList())
            .toList());
  }

  @Test
  void idsNeverChange() {
    // The digits are from: printf 5:topic1:a1:b | sha256sum. Stored decisions use these ids.
    assertEquals("topic-b1a7b2488e", new FindingIds().ofPair("topic", "a", "b"));
    assertEquals("topic-b1a7b2488e", new FindingIds().ofPair("topic", "b", "a"));
    String key = "%032x".formatted(1);
    assertEquals("rel-1ec5acb914", new FindingIds().ofPair("rel", key, "%032x".formatted(2)));
    assertNotEquals(new FindingIds().of("any", "ab", "c"), new FindingIds().of("any", "a", "bc"));
  }

  @Test
  void idsAreUniqueAndOutlastNewOffsetsAndAnotherOrder() {
    for (int seed = 0; seed < 50; seed++) {
      Corpus corpus = Corpus.random(new Random(seed));
      List<Integer> order =
          new ArrayList<>(IntStream.range(0, corpus.entries.size()).boxed().toList());
      Findings findings = corpus.analyse();
      TreeSet<String> ids = ids(findings);
      assertEquals(allIds(findings).size(), ids.size(), "seed " + seed);
      assertEquals(ids, ids(corpus.reordered(order).analyse()), "compacted, seed " + seed);
      Collections.shuffle(order, new Random(seed));
      assertEquals(ids, ids(corpus.reordered(order).analyse()), "reordered, seed " + seed);
    }
  }

  @Test
  void theNumberOfThreadsChangesNothingInALargeKb() {
    Corpus corpus = Corpus.random(new Random(5), 12, 5_000, 7, 20, 0.6);
    Findings one = corpus.analyse(1);
    assertEquals(12_497_500, one.pairs());
    assertEquals(one.toString(), corpus.analyse(7).toString());
  }

  @Test
  void identicalEntriesByTheThousandsAreCountedInBoundedMemory() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 6_000; i++) {
      corpus.add("t" + i % 3, "same", ONE);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Findings findings = corpus.analyse(1);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertEquals(17_997_000, findings.pairs());
    assertEquals(List.of(), findings.relations());
    assertEquals(6_000, findings.copies().getFirst().entries().size());
    assertTrue(allocated < 100_000_000, allocated + " bytes for 18 million hits");
  }

  @Test
  void topicOverlapsOfAThousandTopicsAreBounded() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 1_000; i++) {
      corpus.add("topic " + i, "same", ONE);
    }
    assertEquals(Analysis.MAX_TOPIC_OVERLAPS, corpus.analyse().topicOverlaps().size());
  }

  @Test
  void anEmptyKbAndASingleEntryHaveNoFindings() {
    for (Corpus corpus : List.of(new Corpus(), new Corpus().add("a", "", ONE))) {
      Findings findings = corpus.analyse();
      assertEquals(corpus.entries.size(), findings.entries().size());
      assertEquals(List.of(), allIds(findings));
      assertEquals(0, findings.pairs());
    }
  }

  private static TreeSet<String> ids(Findings findings) {
    return new TreeSet<>(allIds(findings));
  }

  private static List<String> allIds(Findings findings) {
    return Stream.of(findings.topicOverlaps(), findings.relations())
        .<Finding>flatMap(List::stream)
        .map(Finding::id)
        .toList();
  }
}
