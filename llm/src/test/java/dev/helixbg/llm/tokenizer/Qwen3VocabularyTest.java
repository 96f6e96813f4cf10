package dev.helixbg.llm.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class Qwen3VocabularyTest {
  private static final String SEPARATOR = "\n__ggml_vocab_test__\n";

  @Test
  void everyTextGivesTheIdsOfTheTestVectors() throws IOException {
    String[] texts = read("/qwen3/vocab-test.inp").split(SEPARATOR, -1);
    String[] ids = read("/qwen3/vocab-test.out").split("\n", -1);
    assertEquals(texts.length, ids.length);
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.qwen3());
    for (int i = 0; i < texts.length; i++) {
      assertArrayEquals(numbers(ids[i]), tokenizer.encode(texts[i]), "text " + i + ": " + texts[i]);
      assertEquals(texts[i], tokenizer.decode(numbers(ids[i])));
    }
  }

  private static int[] numbers(String line) {
    return Arrays.stream(line.strip().split(" "))
        .filter(number -> !number.isEmpty())
        .mapToInt(Integer::parseInt)
        .toArray();
  }

  private static String read(String resource) throws IOException {
    try (var in = Qwen3VocabularyTest.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
