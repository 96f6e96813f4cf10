package dev.helixbg.insight.judge;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which texts are accepted from models that are asked to merge entries. */
class ProposedTextTest {
  private static final List<String> SOURCES =
      List.of(
          "The cache of shard 12 keeps stale rows after a rename; restart the reader.",
          "After a rename the reader of shard 12 must be restarted: its cache keeps stale rows.");
  private static final String GOOD =
      "After a rename, the cache of shard 12 keeps stale rows: restart the reader.";

  @ParameterizedTest
  @ValueSource(
      strings = {
        GOOD,
        "  \n" + GOOD + "\n\n",
        "\"" + GOOD + "\"",
        "“" + GOOD + "”",
        "Merged entry: " + GOOD,
        "A: " + GOOD,
        "answer:\n" + GOOD,
        "```\n" + GOOD + "\n```",
        "```text\n" + GOOD + "\n```",
        "<think>\nBoth say 12.\n</think>\n\n" + GOOD
      })
  void whatModelsPutAroundATextIsTakenOff(String answer) {
    assertEquals(Optional.of(GOOD), ProposedText.of(answer, SOURCES));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "   \n",
        "\"\"",
        "```\n```",
        // too short to contain all details
        "Shard 12.",
        // texts with a lost number and with an invented number
        "After a rename the cache keeps stale rows: restart the reader.",
        "After a rename, the cache of shard 13 keeps stale rows: restart the reader.",
        "After a rename, the cache of shard 12 keeps 40 stale rows: restart the reader.",
        // a refusal, and an answer to another job
        "I am sorry, but I cannot help with merging entries of that kind (12).",
        "gotcha",
        // texts that repeat themselves
        "The cache of shard 12 keeps stale rows. The cache of shard 12 keeps stale rows.",
        "The reader the reader the reader the reader the reader the reader the reader 12",
        // a text longer than both entries together
        "The cache of shard 12 keeps stale rows after a rename; restart the reader. After a rename"
            + " the reader must be restarted, since its cache of the shard keeps rows that are"
            + " stale, so it must be restarted.",
        // a copy of the question
        "A: The cache of shard 12 keeps stale rows.\nB: After a rename restart the reader.",
        // texts with control tokens and unfinished thoughts
        "The cache of shard 12 keeps stale rows after a rename.<|im_end|>",
        "<think> The cache of shard 12 keeps stale rows after a rename."
      })
  void nonsenseIsNotProposed(String answer) {
    assertEquals(Optional.empty(), ProposedText.of(answer, SOURCES));
  }

  /** Repetitions, labels and fences that the entries themselves have are kept. */
  @Test
  void theEntriesOwnFormIsKept() {
    String twice = "The reader of the cache must restart. The reader of the cache must restart.";
    assertEquals(Optional.of(twice), ProposedText.of(twice, List.of(twice, twice + " Now.")));
    String labelled = "Note: restart the reader after a rename.";
    assertEquals(
        Optional.of(labelled), ProposedText.of(labelled, List.of(labelled, "Restart the reader.")));
    String lettered = "A: the cache restarts.\nB: the reader restarts.";
    assertEquals(Optional.of(lettered), ProposedText.of(lettered, List.of(lettered, lettered)));
  }

  @Test
  void scriptsWithoutGapsAreMeasuredByCharacter() {
    List<String> sources = List.of("重命名后分片12的缓存保留旧行；请重启读取器。", "重命名后必须重启分片12的读取器，缓存保留旧行。");
    String good = "重命名后分片12的缓存保留旧行，必须重启读取器。";
    assertEquals(Optional.of(good), ProposedText.of(good, sources));
    assertEquals(Optional.empty(), ProposedText.of("今天天气很好，我们去公园散步吧12。", sources));
  }
}
