package dev.helixbg.embed;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokenizerTest {

  private static final int CLS = 101;
  private static final int SEP = 102;

  @TempDir static Path folder;
  private static Path json;
  private static Path vocabulary;

  @BeforeAll
  static void prepare() throws IOException {
    NativeLibraries.load(TestModels.CACHE);
    json = TestModels.files().tokenizer();
    vocabulary = folder.resolve("vocab.txt");
    TestModels.writeVocabulary(vocabulary);
  }

  @Test
  void vocabularyFileGivesTheSameIdsAsTheDefinition() throws IOException {
    List<String> texts = new ArrayList<>(ProbeTexts.TEXTS);
    texts.add("Ünïcödé ACCENTS and [brackets] — dashes… 中文字 word\u00ADhyphen ##piece");
    try (Tokenizer fromJson = open(json, 256);
        Tokenizer fromVocabulary = open(vocabulary, 256)) {
      for (String text : texts) {
        assertArrayEquals(fromJson.ids(text), fromVocabulary.ids(text), text);
      }
    }
  }

  @Test
  void knownTextHasKnownIds() throws IOException {
    try (Tokenizer tokenizer = open(json, 256)) {
      assertArrayEquals(new int[] {CLS, 7592, 2088, SEP}, tokenizer.ids("hello world"));
      assertArrayEquals(new int[] {CLS, SEP}, tokenizer.ids(""));
    }
  }

  @Test
  void namesOfSpecialTokensInTextStayText() throws IOException {
    try (Tokenizer tokenizer = open(json, 256)) {
      for (String name : List.of("[SEP]", "[CLS]", "[MASK]", "[PAD]", "[UNK]")) {
        int[] ids = tokenizer.ids("before " + name + " after");
        int[] inner = Arrays.copyOfRange(ids, 1, ids.length - 1);
        assertTrue(Arrays.stream(inner).allMatch(id -> id > 103), Arrays.toString(ids));
      }
      assertArrayEquals(tokenizer.ids("a [ sep ] b"), tokenizer.ids("a [SEP] b"));
    }
  }

  @Test
  void cutsAtTheLimitAndKeepsTheEndToken() throws IOException {
    try (Tokenizer tokenizer = open(json, 8)) {
      int[] ids = tokenizer.ids("one two three four five six seven eight nine");
      assertEquals(8, ids.length);
      assertEquals(CLS, ids[0]);
      assertEquals(SEP, ids[7]);
    }
  }

  @Test
  void textReadOnlyInPartGivesTheIdsOfTheWhole() throws IOException {
    String text = "a word of text, ".repeat(5000);
    try (Tokenizer limited = open(json, 100);
        Tokenizer whole = open(json, 512)) {
      assertArrayEquals(Arrays.copyOf(whole.ids(text), 99), Arrays.copyOf(limited.ids(text), 99));
      String sparse = " ".repeat(100_000) + "late words";
      assertArrayEquals(whole.ids("late words"), limited.ids(sparse));
    }
  }

  @Test
  void loneSurrogatesAndZerosAreDropped() throws IOException {
    try (Tokenizer tokenizer = open(json, 64)) {
      assertArrayEquals(tokenizer.ids("ab"), tokenizer.ids("a\uD83Db\uDE00\0"));
      assertArrayEquals(tokenizer.ids("🙂 b"), tokenizer.ids("🙂\uD83D b"));
    }
  }

  @Test
  void unusableDefinitionsAreNamed() throws IOException {
    assertRefused("t.json", "", "BERT's word pieces");
    assertRefused("t.json", "{", "not valid JSON");
    assertRefused("t.json", "[]", "BERT's word pieces");
    assertRefused("t.json", "{\"model\":{\"type\":\"BPE\"}}", "BERT's word pieces");
    String bert =
        "{\"normalizer\":{\"type\":\"BertNormalizer\"},"
            + "\"pre_tokenizer\":{\"type\":\"BertPreTokenizer\"},\"model\":{\"vocab\":%s}}";
    assertRefused("t.json", bert.formatted("[]"), "no vocabulary");
    assertRefused("t.json", bert.formatted("{}"), "no [UNK]");
    assertRefused("t.json", bert.formatted("{\"[UNK]\":-1}"), "is no number");
    assertRefused("t.json", bert.formatted("{\"[UNK]\":\"x\"}"), "is no number");
    assertRefused("t.json", bert.formatted("{\"[UNK]\":0,\"[CLS]\":1}"), "no [SEP]");
    assertRefused("vocab.txt", "hello\nworld\n", "no [UNK]");
  }

  private static void assertRefused(String name, String content, String reason) throws IOException {
    Path file = folder.resolve(name + ".case." + name.substring(name.indexOf('.') + 1));
    Files.writeString(file, content);
    EmbeddingException e =
        assertThrows(EmbeddingException.class, () -> TokenizerFile.prepare(file));
    assertTrue(e.getMessage().contains(reason), e.getMessage());
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
  }

  private static Tokenizer open(Path source, int maxTokens) throws IOException {
    Path prepared = folder.resolve("prepared.json");
    Files.write(prepared, TokenizerFile.prepare(source));
    return Tokenizer.open(prepared, maxTokens);
  }
}
