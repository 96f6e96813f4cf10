package dev.helixbg.insight.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.helixbg.insight.findings.Corpus;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.KbEntries;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests that an index for one search gives exactly the same results as an index for many searches.
 */
class OneSearchTest {
  private static final int TOKENS = 64;
  private static final String[] WORDS =
      ("retry budget worker Upload queue lease_ttl maxRetries cursors the a of größe"
              + " restarting restarts schema v1.2 /usr/lib")
          .split(" ");

  private final Random random = new Random(3);

  private String text(int words) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < words; i++) {
      text.append(WORDS[(int) (WORDS.length * random.nextDouble() * random.nextDouble())])
          .append(random.nextInt(9) == 0 ? ". " : " ");
    }
    return text.toString();
  }

  private float[] vector() {
    return Corpus.unit(random, new float[384], 1);
  }

  private KbEntries kb(int count) {
    List<Entry> entries = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    List<Integer> owners = new ArrayList<>();
    List<Passage> passages = new ArrayList<>();
    List<float[]> passageVectors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String body = text(5 + random.nextInt(200));
      Entry entry = Entry.of(8 + 10_000L * i, "topic-" + i % 3, body, 0);
      entries.add(entry);
      vectors.add(vector());
      for (Passage passage : Passage.of(entry, TOKENS)) {
        owners.add(i);
        passages.add(passage);
        passageVectors.add(vector());
      }
    }
    return kb(entries, vectors, PassageVectors.of(owners, passages, passageVectors));
  }

  private static KbEntries kb(List<Entry> entries, List<float[]> vectors, PassageVectors passages) {
    int count = entries.size();
    return new KbEntries(
        NamedEntry.all(entries, entry -> "%032x".formatted(entry.offset())),
        Vectors.of(vectors),
        passages,
        new LogAccount(0, "ab", count, 0, count, List.of()),
        new Coverage(count, count),
        "test");
  }

  /**
   * All vectors are equal, because texts in a writing system that the model cannot read have nearly
   * equal vectors.
   */
  @Test
  void aWordInARunOfCharactersIsFound() {
    String[] nouns = "苹果 梨子 桃子 樱桃 葡萄 西瓜 草莓 番茄 黄瓜 南瓜 茄子 辣椒 白菜 萝卜 土豆".split(" ");
    float[] vector = vector();
    List<Entry> entries = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    for (String noun : nouns) {
      String body = "秋天要给" + noun + "施肥然后浇水。";
      entries.add(Entry.of(8 + 100L * entries.size(), "garten", body, 0));
      vectors.add(vector);
    }
    KbEntries kb = kb(entries, vectors, PassageVectors.NONE);
    for (int i = 0; i < nouns.length; i++) {
      String asked = "什么时候给" + nouns[i] + "施肥";
      try (SearchIndex index = SearchIndex.of(kb, TOKENS)) {
        SearchIndex.Query query = new SearchIndex.Query(asked, vector, Optional.empty(), 0, 3);
        assertEquals(i, index.search(List.of(query)).getFirst().getFirst().entry().index());
      }
    }
  }

  @Test
  void bothIndexesFindTheSame() {
    for (int count : new int[] {0, 1, 2, 3, 5, 130}) {
      KbEntries kb = kb(count);
      assertEquals(count < 100, kb.passages().passages().size() < 100);
      for (String text : List.of("the retry budget", "größe of MaxRetries v1.2", "nowhere", "")) {
        SearchIndex.Query query = new SearchIndex.Query(text, vector(), Optional.empty(), 0, 20);
        try (SearchIndex many = SearchIndex.of(kb, TOKENS);
            SearchIndex one = SearchIndex.forOne(kb, TOKENS, text)) {
          List<SearchIndex.Hit> expected = many.search(List.of(query)).getFirst();
          assertEquals(expected, one.search(List.of(query)).getFirst(), text);
          assertEquals(count == 0, expected.isEmpty());
        }
      }
    }
    assertFalse(kb(40).passages().passages().isEmpty());
  }
}
