package dev.helixbg.embed;

import dev.helixbg.embed.cache.Cosine;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Some texts, short to long, for comparing two methods of running a model. */
final class ProbeTexts {

  static final List<String> TEXTS =
      List.of(
          "",
          "retry",
          "The worker acknowledges a message only after its transaction has committed.",
          "Connection pools: size = cores * 2. Beyond that, p99 grows because PostgreSQL"
              + " switches between backends more often than it makes progress.",
          "Gotcha: `SELECT … FOR UPDATE SKIP LOCKED` returns rows in index order, not in the"
              + " order of insertion; two consumers that expect FIFO will see messages swap"
              + " places. We sort by (priority, id) after the fetch, and the batch is small"
              + " enough (64 rows) that nobody notices. See queue/consumer.go:118.",
          "größte Änderung: 日本語 текст 🙂 mixed with identifiers like snake_case_name,"
              + " camelCaseName and paths /usr/local/etc");

  /** Words of one token each. */
  private static final List<String> WORDS =
      List.of(
          ("the worker reads a message and writes it to the table only after the first one has been"
                  + " read by all of those who wait for the next day of the old market")
              .split(" "));

  // Sizes of the texts that window() returns, in tokens with special tokens: the longest text, the
  // shortest text, and all texts of one length together.
  private static final int LONGEST = 256;
  private static final int SHORTEST = 16;
  private static final int TOKENS_PER_LENGTH = 512;

  private ProbeTexts() {}

  /** Returns texts of the usual lengths, short to long. The texts of one length fill a batch. */
  static List<String> window() {
    List<String> texts = new ArrayList<>();
    for (int tokens = SHORTEST; tokens <= LONGEST; tokens *= 2) {
      for (int text = 0; text < TOKENS_PER_LENGTH / tokens; text++) {
        int first = texts.size();
        texts.add(
            IntStream.range(0, tokens - 2)
                .mapToObj(i -> WORDS.get((first * 7 + i) % WORDS.size()))
                .collect(Collectors.joining(" ")));
      }
    }
    return texts;
  }

  /** Returns the lowest cosine between corresponding vectors; NaN if any sizes differ. */
  static double worstCosine(float[][] some, float[][] others) {
    double worst = some.length == others.length ? 1 : Double.NaN;
    for (int i = 0; i < some.length && !Double.isNaN(worst); i++) {
      worst =
          some[i].length == others[i].length
              ? Math.min(worst, Cosine.of(some[i], others[i]))
              : Double.NaN;
    }
    return worst;
  }
}
