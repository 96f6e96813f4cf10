package dev.helixbg.llm.tokenizer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.helixbg.llm.gguf.GgufErrors;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.GgufWriter;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.tokenizer.Vocabularies.Source;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests vocabularies with one error each. */
class VocabularyTest {
  private static final String TOKENS = "tokenizer.ggml.tokens";
  private static final String KINDS = "tokenizer.ggml.token_type";
  private static final String MERGES = "tokenizer.ggml.merges";

  private static Source source(List<String> more, String... merges) {
    List<String> tokens = new ArrayList<>();
    for (int b = 0; b < 256; b++) {
      tokens.add(String.valueOf(ByteAlphabet.charOf(b)));
    }
    tokens.addAll(more);
    int[] kinds = new int[tokens.size()];
    Arrays.fill(kinds, 1);
    return new Source(tokens, kinds, List.of(merges));
  }

  private static void refused(Source source, String key, String words) {
    GgufException error = GgufErrors.refused(words, () -> Vocabularies.of(source));
    assertEquals(key, GgufErrors.name(error));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "ab", "a b c", "a  b", " ab", "ab "})
  void aMergeThatIsNoPairIsRefused(String merge) {
    refused(source(List.of("ab", "abc", "b c", "a b"), "a b", merge), MERGES, "merge 1");
  }

  @Test
  void aMergeThatMakesNoOrdinaryTokenNeverHappens() {
    Source source = source(List.of("ab", "abcd"), "b c", "a b", "ab cd", "c d");
    source.kinds()[257] = 3;
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.of(source));
    assertArrayEquals(new int[] {256, 'c', 'd'}, tokenizer.encode("abcd"));
  }

  /** The merge's first part, "ab", is no token, so it never occurs as a part of a word. */
  @Test
  void aMergeOfWhatIsNoTokenNeverHappens() {
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.of(source(List.of("abc"), "ab c")));
    assertArrayEquals(new int[] {'a', 'b', 'c'}, tokenizer.encode("abc"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 7, -1, Integer.MIN_VALUE})
  void anUnknownKindIsRefused(int kind) {
    Source source = source(List.of());
    source.kinds()[5] = kind;
    refused(source, KINDS, "token 5 has the unknown type " + kind);
  }

  @Test
  void tokensThatCannotBeAVocabularyAreRefused() {
    refused(new Source(List.of(), new int[0], List.of()), TOKENS, "0 tokens");
    Source missing = source(List.of());
    missing.tokens().set(' ', "gone");
    refused(missing, TOKENS, "the single byte 32");
    Source control = source(List.of());
    control.kinds()['x'] = 3;
    refused(control, TOKENS, "the single byte 120");
    Source source = source(List.of("ab"));
    int[] fewer = Arrays.copyOf(source.kinds(), 256);
    refused(new Source(source.tokens(), fewer, List.of()), KINDS, "256 types for 257 tokens");
  }

  /** Many equal strings would make every search slow, so such files are refused. */
  @Test
  void tokensOrMergesThatAreAllTheSameAreRefused() {
    refused(source(Collections.nCopies(200_000, "ab"), "a b"), TOKENS, "too many strings");
    String[] merges = new String[300_000];
    Arrays.fill(merges, "a b");
    refused(source(List.of("ab"), merges), MERGES, "too many strings");
  }

  /** An empty token would match at every position, and the search would never advance. */
  @Test
  void anEmptyControlTokenIsNowhereInAText() {
    Source source = source(List.of("", "<x>"));
    source.kinds()[256] = 3;
    source.kinds()[257] = 3;
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.of(source));
    int[] ids =
        assertTimeoutPreemptively(
            Duration.ofSeconds(20), () -> tokenizer.encodeWithSpecial("a<x>b"));
    assertArrayEquals(new int[] {'a', 257, 'b'}, ids);
    assertEquals(0, tokenizer.encodeWithSpecial("").length);
  }

  @Test
  void theTokenThatEndsATurnEndsAnAnswer() {
    Source source = source(List.of("<end>", "<turn>"));
    Vocabulary vocabulary =
        Vocabularies.of(
            source,
            writer ->
                writer
                    .text("tokenizer.ggml.pre", "deepseek-r1-qwen")
                    .uint32("tokenizer.ggml.eos_token_id", 256)
                    .uint32("tokenizer.ggml.eot_token_id", 257));
    BpeTokenizer tokenizer = new BpeTokenizer(vocabulary);
    assertEquals(Set.of(256, 257), tokenizer.endTokens());
  }

  /**
   * If {@code <|im_end|>} were ordinary, a text with it could end the user's turn, and no answer
   * would end.
   */
  @Test
  void knownSpecialTokensThatAFileCallsOrdinaryAreSpecial() {
    Vocabulary vocabulary =
        Vocabularies.of(source(List.of("", "<b>", "<|im_end|>", "<think>", "")));
    BpeTokenizer tokenizer = new BpeTokenizer(vocabulary);
    assertEquals(Set.of(258), tokenizer.endTokens());
    assertEquals("", tokenizer.decode(258));
    assertEquals("<think>", tokenizer.decode(259));
    assertEquals(10, tokenizer.encode("<|im_end|>").length);
  }

  /** A model can have more embeddings than tokens, and can choose an id that has no token. */
  @Test
  void anIdBehindTheLastTokenHasNoText() {
    Source source = source(List.of());
    BpeTokenizer tokenizer = new BpeTokenizer(Vocabularies.of(source));
    int behind = tokenizer.vocabulary.size();
    assertEquals("ab", tokenizer.decode('a', behind, behind + 1000, 'b'));
    assertEquals("", tokenizer.stream().append(behind));
  }

  @Test
  void aTemplateOfAnotherFormatIsRefused(@TempDir Path folder) throws IOException {
    assertEquals(Optional.empty(), template(folder, " \n"));
    assertEquals(Optional.of("<|im_start|>"), template(folder, "<|im_start|>"));
    GgufException error =
        GgufErrors.refused(
            "not in Qwen's chat format", () -> template(folder, "<|start_header_id|>"));
    assertEquals("tokenizer.chat_template", GgufErrors.name(error));
  }

  private static Optional<String> template(Path folder, String template) throws IOException {
    Path path = folder.resolve("template.gguf");
    new GgufWriter()
        .strings(TOKENS, List.of("<|im_start|>", "<|im_end|>"))
        .text("tokenizer.chat_template", template)
        .write(path);
    try (GgufFile file = GgufFile.read(MappedFile.open(path))) {
      return Vocabulary.chatTemplate(file.metadata());
    }
  }
}
