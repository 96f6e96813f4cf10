package dev.helixbg.embed.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.ToIntFunction;

/**
 * Texts that look like a developer's notes, composed at random from a word list. The seed is fixed,
 * so every machine gets the same texts.
 *
 * @param name name of this set of texts in the table of results
 * @param texts texts of different lengths, in random order
 */
public record BenchTexts(String name, List<String> texts) {

  private static final String[] WORDS =
      """
      the a of to in is and for with on not when after before from by that this each only must may
      cache queue worker thread lock socket request response server client session token index
      table row column query transaction commit rollback retry timeout backoff deadline latency
      throughput batch stream buffer channel message topic partition consumer producer offset
      schema migration config default override flag environment variable secret container image
      build test release branch merge review module package class interface method function field
      parser lexer compiler linker runtime garbage collector heap stack pointer allocation leak
      error exception warning log trace metric alert dashboard report health check probe restart
      PostgreSQL Kafka Redis Kubernetes nginx gRPC JSON YAML HTTP TLS SQL API CPU GPU JVM
      user account permission role password hash signature certificate expiry renewal rotation
      reads writes returns throws blocks waits fails succeeds drops keeps holds releases updates
      because therefore however otherwise instead until unless while although
      slow fast stale fresh empty full shared local remote global nested cyclic idempotent atomic
      handleRequest parseHeader max_connections user_id retryPolicy src/main/App.java readOnly
      design decision invariant gotcha workaround pattern coupling boundary ownership lifecycle
      """
          .trim()
          .split("\\s+");

  /** Returns texts of 20 to 40 tokens. */
  public static BenchTexts brief(int count, ToIntFunction<String> tokenCount) {
    return make("short", count, tokenCount, random -> 20 + random.nextInt(21));
  }

  /** Returns texts of 260 to 319 tokens, which any token limit up to 256 cuts. */
  public static BenchTexts lengthy(int count, ToIntFunction<String> tokenCount) {
    return make("long", count, tokenCount, random -> 260 + random.nextInt(60));
  }

  /**
   * Returns texts of mixed lengths. On average, six of ten texts have 16 to 64 tokens, three have
   * 65 to 160 tokens, and one has 161 to 300 tokens.
   */
  public static BenchTexts mixed(int count, ToIntFunction<String> tokenCount) {
    return make(
        "mix",
        count,
        tokenCount,
        random ->
            switch (random.nextInt(10)) {
              case 0 -> 161 + random.nextInt(140);
              case 1, 2, 3 -> 65 + random.nextInt(96);
              default -> 16 + random.nextInt(49);
            });
  }

  private static BenchTexts make(
      String name, int count, ToIntFunction<String> tokenCount, ToIntFunction<Random> length) {
    Random random = new Random(20250919);
    List<String> texts = new ArrayList<>(count);
    while (texts.size() < count) {
      texts.add(text(random, length.applyAsInt(random), tokenCount));
    }
    return new BenchTexts(name, List.copyOf(texts));
  }

  /**
   * Returns random words that have at most {@code tokens} tokens, as counted by {@code tokenCount}.
   */
  private static String text(Random random, int tokens, ToIntFunction<String> tokenCount) {
    StringBuilder text = new StringBuilder();
    int wordsInSentence = 0;
    int counted = 2; // the two special tokens
    while (true) {
      String word = WORDS[random.nextInt(WORDS.length)];
      boolean endsSentence = wordsInSentence > 6 && random.nextInt(6) == 0;
      String piece = (text.isEmpty() ? "" : " ") + word + (endsSentence ? "." : "");
      counted += tokenCount.applyAsInt(piece) - 2;
      if (counted > tokens) {
        return text.toString();
      }
      wordsInSentence = endsSentence ? 0 : wordsInSentence + 1;
      text.append(piece);
    }
  }
}
