package dev.helixbg.llm.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.helixbg.config.natives.TokenizerLibrary;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.tokenizer.Vocabularies.Source;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A text's part of a vocabulary gives the same tokens as the whole, in the same library. */
class WholeVocabularyTest {
  private static final List<String> PIECES =
      List.of(
          " ",
          "  ",
          "\n",
          "\n\n",
          "\t",
          " the",
          "The",
          "ing",
          "'s",
          "'LL",
          "42",
          "007",
          "e\u0301",
          "é",
          "straße",
          "漢字",
          "かな",
          "कर्म",
          "😀",
          "👩‍👩‍👧",
          "\u0000",
          "\uFEFF",
          "\u2028",
          "\"",
          "\\",
          "://",
          "----",
          "......",
          "()",
          "{}",
          "<|im_end|>",
          "[PAD7]",
          "aaaaaaaaaa",
          "\u00A0");

  @BeforeAll
  static void load() throws IOException {
    TokenizerLibrary.load(Vocabularies.CACHE);
  }

  /** What the library makes of texts with all of a vocabulary, as it would be published. */
  private static NativeTokenizer whole(Source source) {
    TokenizerJson json = TokenizerJson.ofTexts();
    for (int id = 0; id < source.tokens().size(); id++) {
      if (source.kinds()[id] == 1) {
        json.token(source.tokens().get(id), id);
      }
    }
    source.merges().forEach(json::merge);
    return NativeTokenizer.of(json.toString());
  }

  private static String text(Random random, int pieces) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < pieces; i++) {
      switch (random.nextInt(4)) {
        case 0 -> text.append((char) ('a' + random.nextInt(26)));
        case 1 -> text.appendCodePoint(random.nextInt(0xD800));
        default -> text.append(PIECES.get(random.nextInt(PIECES.size())));
      }
    }
    return text.toString();
  }

  private static void compare(Source source, List<String> texts) {
    try (NativeTokenizer whole = whole(source);
        BpeTokenizer tokenizer = BpeTokenizer.of(Vocabularies.of(source), Vocabularies.CACHE)) {
      for (String text : texts) {
        assertArrayEquals(whole.encode(text).ids(), tokenizer.encode(text), text);
      }
    }
  }

  private static List<String> texts() {
    Random random = new Random(11);
    List<String> texts = new ArrayList<>(List.of("", "a".repeat(20_000), " ".repeat(3_000)));
    GoldenModel.F16.cases().stream().map(GoldenCase::prompt).forEach(texts::add);
    for (int i = 0; i < 400; i++) {
      texts.add(text(random, 1 + random.nextInt(60)));
    }
    return texts;
  }

  @Test
  void textsGiveTheSameTokensWithQwen3sVocabulary() {
    compare(Vocabularies.qwen3Source(), texts());
  }

  @Test
  void textsGiveTheSameTokensWithTheGoldenVocabulary() {
    try (GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.Q4_K_M.path()))) {
      compare(
          new Source(
              file.metadata().array("tokenizer.ggml.tokens", 1344).strings(),
              file.metadata().array("tokenizer.ggml.token_type", 1344).ints(),
              file.metadata().array("tokenizer.ggml.merges", 1344).strings()),
          texts());
    }
  }

  /** Merges in any order, several that make one token, tokens and merges twice. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 10, 100, 255, 256, 257, 1000, 3000})
  void anyVocabularyGivesTheSameTokens(int merges) {
    Random random = new Random(merges);
    compare(randomSource(random, merges), List.of(text(random, 100), "abcab cabba".repeat(20)));
    compare(randomSource(random, merges), List.of(text(random, 100), "bacca baaac".repeat(20)));
  }

  private static Source randomSource(Random random, int count) {
    List<String> tokens = new ArrayList<>();
    for (int b = 0; b < 256; b++) {
      tokens.add(String.valueOf(ByteAlphabet.charOf(b)));
    }
    List<String> merges = new ArrayList<>();
    List<String> usual = new ArrayList<>(List.of("a", "b", "c", "Ġ", "Ã"));
    while (merges.size() < count) {
      String left = pick(random, random.nextBoolean() ? usual : tokens);
      String right = pick(random, random.nextBoolean() ? usual : tokens);
      String made = left + right;
      if (made.length() <= 12) {
        merges.add(left + " " + right);
        if (!tokens.contains(made) || random.nextInt(20) == 0) {
          tokens.add(made);
        }
        usual.add(made);
      }
    }
    Collections.shuffle(merges, random);
    // Ids are no order of merges, and control tokens may have the text of others.
    Collections.shuffle(tokens, random);
    tokens.add(pick(random, tokens));
    int[] kinds = new int[tokens.size()];
    Arrays.fill(kinds, 1);
    kinds[kinds.length - 1] = 3;
    return new Source(tokens, kinds, merges);
  }

  private static String pick(Random random, List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  @Test
  void manyThreadsMayEncodeAtOnce() throws Exception {
    Source source = randomSource(new Random(3), 500);
    String text = text(new Random(4), 300);
    try (NativeTokenizer whole = whole(source);
        BpeTokenizer tokenizer = BpeTokenizer.of(Vocabularies.of(source), Vocabularies.CACHE);
        ExecutorService threads = Executors.newFixedThreadPool(4)) {
      Callable<int[]> task = () -> tokenizer.encode(text);
      for (Future<int[]> ids : threads.invokeAll(Collections.nCopies(200, task))) {
        assertArrayEquals(whole.encode(text).ids(), ids.get());
      }
    }
  }

  @Test
  void closingTwiceIsClosingOnce() {
    BpeTokenizer tokenizer = BpeTokenizer.of(Vocabularies.golden(), Vocabularies.CACHE);
    tokenizer.close();
    tokenizer.close();
  }
}
