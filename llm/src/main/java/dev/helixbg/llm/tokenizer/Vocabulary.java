package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufMetadata;
import dev.helixbg.llm.gguf.GgufStrings;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;
import java.util.function.Supplier;

/**
 * The tokens of a model file, in order of their ids.
 *
 * @param tokens ordinary tokens in the {@link ByteAlphabet}, special tokens as plain text
 */
public record Vocabulary(
    GgufStrings tokens, Kind[] kinds, BpeMerges merges, List<Integer> ends, GgufMetadata metadata) {

  /** Kind of a token; the ordinal is ggml's id ({@code enum llama_token_type}) minus one. */
  enum Kind {
    NORMAL,
    UNKNOWN,
    /** A token that controls the model and is never shown. */
    CONTROL,
    /** A marker that the model writes and that users can see, such as {@code <think>}. */
    USER_DEFINED,
    UNUSED,
    BYTE
  }

  private static final String MODEL = "tokenizer.ggml.model";
  private static final String PATTERN = "tokenizer.ggml.pre";
  private static final String TOKENS = "tokenizer.ggml.tokens";
  private static final String KINDS = "tokenizer.ggml.token_type";
  private static final String TEMPLATE = "tokenizer.chat_template";
  private static final String MERGES = "tokenizer.ggml.merges";

  private static final List<String> ENDS =
      List.of("tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id");

  /** Names that model files use for Qwen2's pattern, which splits text into words. */
  private static final Set<String> PATTERNS = Set.of("qwen2", "deepseek-r1-qwen");

  /**
   * Tokens that count as special even if a file calls them ordinary. Otherwise, a text that
   * contains such a token could end a turn.
   */
  private static final Map<String, Kind> KNOWN_SPECIAL =
      Map.of(
          "<|im_start|>", Kind.CONTROL,
          "<|im_end|>", Kind.CONTROL,
          "<|endoftext|>", Kind.CONTROL,
          "<think>", Kind.USER_DEFINED,
          "</think>", Kind.USER_DEFINED);

  private static final int MAX_TOKENS = 1 << 20;
  private static final int MAX_MERGES = 1 << 21;

  /**
   * Reads the keys {@code tokenizer.ggml.*}.
   *
   * @param most maximum number of tokens: the number of embeddings that the model has
   * @throws dev.helixbg.llm.gguf.GgufException if a key is missing or invalid, or the vocabulary is
   *     not byte-level with Qwen2's pattern
   */
  public static Vocabulary from(GgufMetadata metadata, int most) {
    requireKnownForm(metadata);
    GgufStrings tokens = metadata.array(TOKENS, MAX_TOKENS).strings();
    if (tokens.isEmpty() || tokens.size() > most) {
      throw metadata.error(
          TOKENS, "there are %d tokens, but %d embeddings".formatted(tokens.size(), most));
    }
    Kind[] kinds = kinds(metadata, tokens.size());
    retype(tokens, kinds);
    TextIndex index =
        indexed(metadata, TOKENS, () -> new TextIndex(tokens, id -> kinds[id] == Kind.NORMAL));
    requireBytes(metadata, index);
    GgufStrings pairs = metadata.array(MERGES, MAX_MERGES).strings();
    BpeMerges merges = indexed(metadata, MERGES, () -> new BpeMerges(pairs, index));
    return new Vocabulary(tokens, kinds, merges, ends(metadata, tokens.size()), metadata);
  }

  /** Throws if the vocabulary is not byte-level, or does not split text by Qwen2's pattern. */
  public static void requireKnownForm(GgufMetadata metadata) {
    require(metadata, MODEL, Set.of("gpt2"));
    require(metadata, PATTERN, PATTERNS);
  }

  /**
   * Checks that a model uses Qwen's chat format, and returns the file's Jinja template, if any.
   *
   * @throws dev.helixbg.llm.gguf.GgufException if a token of {@link ChatTemplate} is missing, or
   *     the file's template has another format
   */
  public static Optional<String> chatTemplate(GgufMetadata metadata) {
    List<String> tokens = metadata.array(TOKENS, MAX_TOKENS).strings();
    if (!tokens.contains(ChatTemplate.START) || !tokens.contains(ChatTemplate.END)) {
      throw metadata.error(
          TOKENS,
          "the model is not in Qwen's chat format: it has no token %s or %s"
              .formatted(ChatTemplate.START, ChatTemplate.END));
    }
    if (!(metadata.values().get(TEMPLATE) instanceof String template) || template.isBlank()) {
      return Optional.empty();
    }
    if (!template.contains(ChatTemplate.START)) {
      throw metadata.error(
          TEMPLATE, "the model is not in Qwen's chat format: it has no " + ChatTemplate.START);
    }
    return Optional.of(template);
  }

  private static void require(GgufMetadata metadata, String key, Set<String> wanted) {
    String value = metadata.text(key);
    if (!wanted.contains(value)) {
      throw metadata.error(
          key,
          "the tokenizer is \"%s\"; only \"%s\" is supported"
              .formatted(value, String.join("\" or \"", new TreeSet<>(wanted))));
    }
  }

  private static void retype(GgufStrings tokens, Kind[] kinds) {
    for (int id = 0; id < kinds.length; id++) {
      // Compares the first byte before the text, so that few of over a hundred thousand tokens
      // become Strings.
      int start = tokens.start(id);
      if (kinds[id] == Kind.NORMAL && start < tokens.end(id) && tokens.utf8()[start] == '<') {
        kinds[id] = KNOWN_SPECIAL.getOrDefault(tokens.get(id), Kind.NORMAL);
      }
    }
  }

  private static List<Integer> ends(GgufMetadata metadata, int count) {
    return ENDS.stream()
        .map(key -> metadata.values().get(key) instanceof Long id ? id : -1L)
        .filter(id -> id >= 0 && id < count)
        .map(Long::intValue)
        .toList();
  }

  private static Kind[] kinds(GgufMetadata metadata, int count) {
    int[] ids = metadata.array(KINDS, MAX_TOKENS).ints();
    if (ids.length != count) {
      throw metadata.error(KINDS, "there are %d types for %d tokens".formatted(ids.length, count));
    }
    Kind[] all = Kind.values();
    Kind[] kinds = new Kind[count];
    for (int i = 0; i < count; i++) {
      if (ids[i] < 1 || ids[i] > all.length) {
        throw metadata.error(KINDS, "token %d has the unknown type %d".formatted(i, ids[i]));
      }
      kinds[i] = all[ids[i] - 1];
    }
    return kinds;
  }

  /** Checks that every single byte has a token, so that any text can be encoded. */
  private static void requireBytes(GgufMetadata metadata, TextIndex index) {
    for (int b = 0; b < ByteAlphabet.BYTES; b++) {
      byte[] text = String.valueOf(ByteAlphabet.charOf(b)).getBytes(StandardCharsets.UTF_8);
      if (index.find(text, 0, text.length) < 0) {
        throw metadata.error(TOKENS, "there is no token for the single byte " + b);
      }
    }
  }

  private static <T> T indexed(GgufMetadata metadata, String key, Supplier<T> index) {
    try {
      return index.get();
    } catch (IllegalArgumentException e) {
      throw metadata.error(key, e.getMessage());
    }
  }

  void encode(String word, IntConsumer ids) {
    byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
    StringBuilder written = new StringBuilder(bytes.length);
    for (byte b : bytes) {
      written.append(ByteAlphabet.charOf(b & 0xFF));
    }
    merges.encode(written.toString().getBytes(StandardCharsets.UTF_8), ids);
  }

  int size() {
    return kinds.length;
  }

  String text(int id) {
    return tokens.get(id);
  }

  /** Returns the kind of a token; UNUSED for an id that has an embedding but no token. */
  Kind kind(int id) {
    return id < kinds.length ? kinds[id] : Kind.UNUSED;
  }

  GgufException lacks(String token) {
    return metadata.error(TOKENS, "there is no special token \"%s\"".formatted(token));
  }

  /** Returns the ids of control and user-defined tokens by their text, except for empty texts. */
  Map<String, Integer> special() {
    Map<String, Integer> special = new HashMap<>();
    for (int id = 0; id < kinds.length; id++) {
      if (kinds[id] == Kind.CONTROL || kinds[id] == Kind.USER_DEFINED) {
        special.putIfAbsent(text(id), id);
      }
    }
    special.remove("");
    return special;
  }
}
