package dev.helixbg.llm.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenCase;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.tokenizer.Vocabularies.Source;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LibraryVocabularyTest {
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
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.of(source));
    try (LibraryTokenizer library = new LibraryTokenizer(source)) {
      for (String text : texts) {
        assertArrayEquals(library.encode(text), tokenizer.encode(text), text);
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

  /**
   * Uses random vocabularies: merges in any order, several merges for one token, repeated tokens.
   */
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
    // Ids are in another order than merges; the control token has the text of an ordinary token.
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
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.of(source));
    int[] expected = tokenizer.encode(text);
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      Callable<int[]> task = () -> tokenizer.encode(text);
      for (Future<int[]> ids : threads.invokeAll(Collections.nCopies(200, task))) {
        assertArrayEquals(expected, ids.get());
      }
    }
  }

  /**
   * Compares texts with each character of Unicode: alone, beside letters and digits, and twice.
   * Three characters have had composed forms only since Unicode 16, which the JDK supports and the
   * library does not.
   */
  @Test
  void everyCharacterIsSplitAndComposedAlike() {
    Source source = Vocabularies.qwen3Source();
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.of(source));
    Set<String> parted = new TreeSet<>();
    try (LibraryTokenizer library = new LibraryTokenizer(source)) {
      for (int first = 0; first < Character.MAX_CODE_POINT; first += 256) {
        List<String> texts =
            IntStream.range(first, first + 256)
                .filter(LibraryVocabularyTest::isTold)
                .mapToObj(Character::toString)
                .map(c -> "%s %<sa%<s1%<s%<s '%<s".formatted(c))
                .toList();
        String all = String.join("\n", texts);
        if (!Arrays.equals(library.encode(all), tokenizer.encode(all))) {
          texts.stream()
              .filter(text -> !Arrays.equals(library.encode(text), tokenizer.encode(text)))
              .forEach(text -> parted.add("U+%04X".formatted(text.codePointAt(0))));
        }
      }
    }
    assertEquals(Set.of("U+113C2", "U+1611E", "U+16D67"), parted);
  }

  /**
   * Returns whether a character is tested: no private characters, and few of the similar
   * ideographs.
   */
  private static boolean isTold(int c) {
    return switch (Character.getType(c)) {
      case Character.UNASSIGNED, Character.SURROGATE, Character.PRIVATE_USE -> false;
      default -> !Character.isIdeographic(c) || c % 512 == 0;
    };
  }
}
