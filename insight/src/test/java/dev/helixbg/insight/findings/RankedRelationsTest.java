package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests which relations the list contains, and in which order. */
class RankedRelationsTest {
  private static List<String> names(Findings findings) {
    return findings.relations().stream().map(r -> r.a().name() + " " + r.b().name()).toList();
  }

  private static float[] at(double degrees) {
    return new float[] {
      (float) Math.cos(Math.toRadians(degrees)), (float) Math.sin(Math.toRadians(degrees))
    };
  }

  @Test
  void aPairIsJudgedByItsSurroundings() {
    Corpus corpus = new Corpus();
    corpus.add("far", "one", at(150)).add("far", "two", at(158));
    for (int i = 0; i < 12; i++) {
      corpus.add("crowd", "note " + i, at(0.6 * i));
    }
    Findings findings = corpus.analyse();

    assertEquals("far:0 far:1", names(findings).getFirst());
    Finding.Relation best = findings.relations().getFirst();
    Finding.Relation second = findings.relations().get(1);
    assertTrue(best.similarity() < second.similarity(), "less similar, and yet before");
    assertTrue(best.evidence().mutualNearest());
  }

  @Test
  void sharedRareWordsCount() {
    Corpus plain = new Corpus();
    Corpus shared = new Corpus();
    Random random = new Random(1);
    for (int i = 0; i < 30; i++) {
      float[] vector = Corpus.unit(random, new float[300], 1);
      plain.add("t" + i, "note " + i, vector);
      String ticket = i == 3 || i == 17 ? " see PAY-1412, drainQueue" : "";
      shared.add("t" + i, "note " + i + ticket, vector);
    }
    Findings findings = shared.analyse();
    Finding.Relation best = findings.relations().getFirst();

    assertEquals("t3:0 t17:0", names(findings).getFirst());
    assertEquals(List.of("drainQueue", "PAY-1412", "see"), best.evidence().sharedWords());
    assertTrue(!names(plain.analyse()).getFirst().equals("t3:0 t17:0"));
  }

  /** Vectors of texts that the model cannot read are similar, and differ only by chance. */
  @Test
  void textsThatTheModelCannotReadAreRankedByTheirWords() {
    Corpus corpus = new Corpus();
    List<String> texts = List.of("对账文件每天早上拉取", "清算负责人是周凯", "日志里不要打印完整卡号", "对账文件改到中午拉取", "数据库分十六库");
    Random random = new Random(1);
    for (int i = 0; i < texts.size(); i++) {
      boolean isNear = i == 1 || i == 2;
      corpus.add("t" + i, texts.get(i), isNear ? unit(0) : Corpus.unit(random, unit(0), 0.5));
    }
    assertEquals("t0:0 t3:0", names(corpus.analyse()).getFirst());
  }

  private static float[] unit(int axis) {
    float[] unit = new float[300];
    unit[axis] = 1;
    return unit;
  }

  @Test
  void pairsThatAnEntryLinksAreNoNews() {
    Corpus corpus = new Corpus();
    corpus.addBody("a", "[links: b:1 b:2 c:0 a:0]\none", 1, 0);
    corpus.add("b", "two", 1, 0).add("b", "three", 1, 0.1f);
    List<String> left = names(corpus.analyse());
    assertEquals(List.of("a:0 b:0", "b:0 b:1"), left.stream().sorted().toList());
  }

  /** A link names a place among all entries, including those that have no vector yet. */
  @Test
  void linksLeadWhereTheyLeadThoughEntriesAreMissing() {
    Corpus corpus = new Corpus();
    corpus.add("b", "one", 1, 0).add("b", "two", 1, 0);
    corpus.addBody("a", "three\n[links: b:1]", 1, 0);
    Findings findings =
        Analysis.run(
            corpus.named().subList(1, 3),
            Vectors.of(corpus.vectors.subList(1, 3)),
            PassageVectors.NONE,
            1);
    assertEquals(List.of(), names(findings));
  }

  /** A shared passage does not raise the similarity of the two whole entries. */
  @Test
  void theSimilarityIsThatOfTheEntriesAndPassagesHaveTheirOwn() {
    Corpus corpus = new Corpus();
    corpus.add("a", "a long text on something", 1, 0).addPassage(7, 11, 0, 1);
    corpus.add("a", "another one", 0.6f, 0.8f).addPassage(0, 7, 0, 1);
    Finding.Relation relation = corpus.analyse().relations().getFirst();
    assertEquals(0.6, relation.similarity(), 1e-6);
    assertEquals(1, relation.evidence().matching().orElseThrow().similarity(), 1e-6);
    assertEquals(1, relation.nearest(), 1e-6);
  }

  @Test
  void tellsTheNewerOne() {
    Corpus corpus = new Corpus();
    corpus.add("a", "one", 1, 0).add("a", "two", 1, 0);
    assertEquals(Optional.empty(), corpus.analyse().relations().getFirst().evidence().newer());
    corpus = new Corpus();
    corpus.add("a", "one", 1, 0).writtenAt(500).add("a", "two", 1, 0).writtenAt(400);
    Finding.Relation relation = corpus.analyse().relations().getFirst();
    assertEquals(Optional.of(Finding.Side.A), relation.evidence().newer());
  }

  @Test
  void twoEntriesWithoutTextHaveARelation() {
    Findings two = new Corpus().add("a", "", 1, 0).add("a", "", 0, 1).analyse();
    assertEquals(1, two.relations().size());
    assertEquals(0, two.relations().getFirst().score(), 1e-6);
  }

  @Test
  void aNoteWhoseSecondHalfRepeatsAnotherIsFoundWithWhatRepeatsIt() {
    Random random = new Random(67);
    float[][] directions = Corpus.centres(random, 30, 64);
    Corpus corpus = new Corpus();
    for (int i = 0; i < 28; i++) {
      corpus.add("t", "note " + i, directions[i]);
    }
    corpus.add("t", "The first half. What others say, too.", directions[28]);
    corpus.addPassage(16, 37, Corpus.unit(random, directions[3], 0.3));

    Finding.Relation best = corpus.analyse().relations().getFirst();

    assertEquals("t:3", best.a().name());
    assertEquals("t:28", best.b().name());
    assertTrue(best.nearest() > 0.8, best::toString);
    Finding.Matching matching = best.evidence().matching().orElseThrow();
    assertEquals("note 3", matching.a().text(best.a().entry()));
    assertEquals("What others say, too.", matching.b().text(best.b().entry()));
    assertTrue(best.evidence().mutualNearest());
  }

  @Test
  void ofTooManyPassagesEverySecondOrThirdCounts() {
    Corpus corpus = new Corpus();
    for (int i = 0; i < 5; i++) {
      corpus.add("t", "a note of some words " + i, 1, i);
      for (int p = 0; p < i; p++) {
        corpus.addPassage(p, p + 4, i, p);
      }
    }
    for (int most : new int[] {10, 9, 6, 4}) {
      ComparedVectors texts = ComparedVectors.of(corpus.vectors(), corpus.passageVectors(), most);
      int passages = texts.passages().size();
      assertTrue(passages == Math.min(most, 10) || passages < most, most + ": " + passages);
      for (int i = 0; i < 5; i++) {
        for (int v = texts.firsts()[i]; v < texts.firsts()[i + 1]; v++) {
          assertEquals(i, texts.owners()[v]);
          assertEquals(i, texts.vectors().row(v)[0]);
          assertEquals(texts.passages().get(v - 5).start(), texts.vectors().row(v)[1]);
        }
        assertTrue(i == 0 || texts.firsts()[i] < texts.firsts()[i + 1], "each has its first");
      }
    }
  }
}
