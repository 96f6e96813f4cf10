package dev.helixbg.insight.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests how long entries are cut into passages. */
class PassageTest {
  private static final int TOKENS = 256;

  private static Entry entry(String topic, String content) {
    EntryText text = EntryText.parse(content);
    return new Entry(8, topic, content, 0, text);
  }

  private static List<String> passages(String content) {
    Entry entry = entry("topic", content);
    return Passage.of(entry, TOKENS).stream().map(passage -> passage.text(entry)).toList();
  }

  @Test
  void whatTheModelTakesWholeHasNoPassages() {
    assertEquals(List.of(), passages(""));
    assertEquals(List.of(), passages("A word. ".repeat(80)));
  }

  @Test
  void passagesEndAndBeginWithSentences() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      text.append("Sentence ").append(i).append(" says something short. ");
      text.append(i % 7 == 0 ? "\n\n" : "");
    }
    List<String> passages = passages(text.toString());
    assertTrue(passages.size() > 4, passages.toString());
    for (String passage : passages) {
      assertTrue(passage.startsWith("Sentence") && passage.endsWith("short."), passage);
    }
    for (int i = 1; i < passages.size(); i++) {
      String begin = passages.get(i).substring(0, passages.get(i).indexOf('.') + 1);
      assertTrue(passages.get(i - 1).contains(begin), "passages overlap");
    }
    assertTrue(passages.getLast().contains("Sentence 59"));
  }

  /**
   * Tests, for random texts, that passages are in order, lie within the text, leave out only white
   * space, are few, and are the same in a second run.
   */
  @Test
  void passagesCoverAnyTextFromItsBeginningToItsEnd() {
    Random random = new Random(66);
    String[] parts = {
      "word",
      " ",
      "\n",
      "\n\n",
      ". ",
      "0123456789",
      "ß",
      "漢字",
      "。",
      "😀",
      "\uD83D",
      "x_y",
      "-",
      "\t",
      "supercalifragilistic",
      "a".repeat(300),
      "AbC9".repeat(50)
    };
    int cut = 0;
    for (int round = 0; round < 2_000; round++) {
      StringBuilder text = new StringBuilder();
      for (int i = random.nextInt(1 + round); i > 0; i--) {
        text.append(parts[random.nextInt(parts.length)]);
      }
      String topic = "t".repeat(1 + random.nextInt(255));
      int tokens = round % 3 == 0 ? 8 + random.nextInt(505) : TOKENS;
      Entry entry = entry(topic, text.toString());
      List<Passage> passages = Passage.of(entry, tokens);
      assertEquals(passages, Passage.of(entry, tokens));
      assertTrue(passages.size() <= Passage.MAX);
      for (int i = 0; i < passages.size(); i++) {
        Passage passage = passages.get(i);
        assertTrue(passage.start() < passage.end() && passage.end() <= text.length());
        assertFalse(passage.text(entry).isBlank());
        assertTrue(wholeAt(text, passage.start()) && wholeAt(text, passage.end()));
        if (i > 0) {
          Passage before = passages.get(i - 1);
          assertTrue(before.start() < passage.start() && before.end() < passage.end());
          assertTrue(text.substring(0, passage.start()).stripTrailing().length() <= before.end());
        }
      }
      if (!passages.isEmpty()
          && text.length() <= 20 * (tokens - 2)
          && passages.size() < Passage.MAX) {
        cut++;
        assertTrue(text.substring(passages.getLast().end()).isBlank());
      }
    }
    assertTrue(cut > 300, cut + " texts were cut");
  }

  private static boolean wholeAt(CharSequence text, int at) {
    return at == 0
        || at == text.length()
        || !Character.isSurrogatePair(text.charAt(at - 1), text.charAt(at));
  }

  @Test
  void veryLongEntriesHaveLargerPassages() {
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      texts.add("Line " + i + " of a long log.");
    }
    String log = String.join("\n", texts);
    List<String> all = passages(log);
    assertEquals(Passage.MAX, all.size());
    List<String> some = passages(String.join("\n", texts.subList(0, 501)));
    assertTrue(some.size() < Passage.MAX && some.getLast().contains("Line 500"), some.getLast());
  }

  @Test
  void aHugeTextIsNotReadToItsEnd() {
    Entry entry = entry("t", "word ".repeat(20_000_000));
    // Processor time is measured, because on a busy machine this thread waits for others
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();
    assertEquals(Passage.MAX, Passage.of(entry, TOKENS).size());
    assertTrue(threads.getCurrentThreadCpuTime() - start < 2_000_000_000L);
  }

  @Test
  void aTopicStandsBeforeAPassageAsFarAsThereIsRoom() {
    Entry entry = entry("😀".repeat(40), "A sentence of words. ".repeat(100));
    Passage passage = Passage.of(entry, TOKENS).getFirst();
    String embedded = passage.embeddedText(entry, TOKENS);
    assertTrue(embedded.startsWith("😀".repeat(16) + " A sentence"), embedded);
  }

  /** A reader cannot judge a passage without the text around it. */
  @Test
  void aPassageIsShownWithWhatIsAroundIt() {
    String content = "One two three. Four five six. Seven eight nine.";
    assertEquals(
        new Passage.InPlace("… three. ", "Four five six.", " Seven …"),
        new Passage(15, 29).inPlace(content, 100, 9));
    assertEquals(
        new Passage.InPlace("", "One two …", " Four …"), new Passage(0, 14).inPlace(content, 9, 8));
    assertEquals(
        new Passage.InPlace("One two three. ", "Four five six.", " Seven eight nine."),
        new Passage(15, 29).inPlace(content, 100, 100));
    assertEquals(
        new Passage.InPlace("… " + "😀".repeat(3), "😀".repeat(5) + " …", "😀".repeat(2) + " …"),
        new Passage(10, 40).inPlace("😀".repeat(30), 11, 5));
    String unspaced = "使用 PostgreSQL 作为数据库。" + "下".repeat(200);
    Passage sentence = new Passage(0, unspaced.indexOf('下'));
    assertEquals(
        new Passage.InPlace("", unspaced.substring(0, sentence.end()), "下".repeat(100) + " …"),
        sentence.inPlace(unspaced, 900, 100),
        "what is short enough is shown whole, though no space follows it");
  }
}
