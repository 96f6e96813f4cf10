package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufMetadata;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The tokens of a model file, in order of their ids.
 *
 * @param tokens written in the {@link ByteAlphabet}, but special ones as they are
 * @param kinds one per token
 * @param merges pairs of tokens with a space between them, the first merged first
 * @param endOfText what the file calls its end token, or −1
 */
public record Vocabulary(List<String> tokens, Kind[] kinds, List<String> merges, int endOfText) {

  /** What a token is for; the ids of ggml ({@code enum llama_token_type}) less one. */
  public enum Kind {
    /** Stands for text. */
    NORMAL,
    UNKNOWN,
    /** Steers the model; never shown. */
    CONTROL,
    /** A marker that the model writes and a reader may see. */
    USER_DEFINED,
    UNUSED,
    BYTE
  }

  private static final String MODEL = "tokenizer.ggml.model";
  private static final String PATTERN = "tokenizer.ggml.pre";
  private static final String TOKENS = "tokenizer.ggml.tokens";
  private static final String KINDS = "tokenizer.ggml.token_type";
  private static final String MERGES = "tokenizer.ggml.merges";
  private static final String END = "tokenizer.ggml.eos_token_id";

  private static final int MAX_TOKENS = 1 << 20;
  private static final int MAX_MERGES = 1 << 21;
  private static final int BYTES = 256;

  /**
   * Reads the keys {@code tokenizer.ggml.*}.
   *
   * @param most tokens that the model has embeddings for
   * @throws dev.helixbg.llm.gguf.GgufException if a key is missing or impossible, or the vocabulary
   *     is not byte-level with Qwen2's pattern
   */
  public static Vocabulary from(GgufMetadata metadata, int most) {
    require(metadata, MODEL, "gpt2");
    require(metadata, PATTERN, "qwen2");
    List<String> tokens = metadata.array(TOKENS, MAX_TOKENS).strings();
    if (tokens.isEmpty() || tokens.size() > most) {
      throw metadata.error(
          TOKENS, "%d tokens, but the model has %d embeddings".formatted(tokens.size(), most));
    }
    Vocabulary vocabulary =
        new Vocabulary(
            tokens,
            kinds(metadata, tokens.size()),
            metadata.array(MERGES, MAX_MERGES).strings(),
            metadata.has(END) ? metadata.whole(END, 0, tokens.size() - 1) : -1);
    int missing = vocabulary.firstMissingByte();
    if (missing >= 0) {
      throw metadata.error(TOKENS, "no token stands for the single byte " + missing);
    }
    return vocabulary;
  }

  private static void require(GgufMetadata metadata, String key, String wanted) {
    String value = metadata.text(key);
    if (!value.equals(wanted)) {
      throw metadata.error(
          key, "the tokenizer is \"%s\"; only \"%s\" is supported".formatted(value, wanted));
    }
  }

  private static Kind[] kinds(GgufMetadata metadata, int count) {
    int[] ids = metadata.array(KINDS, MAX_TOKENS).ints();
    if (ids.length != count) {
      throw metadata.error(KINDS, "%d types for %d tokens".formatted(ids.length, count));
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

  /** Without all single bytes there would be text that has no tokens. */
  private int firstMissingByte() {
    boolean[] seen = new boolean[BYTES];
    for (int id = 0; id < tokens.size(); id++) {
      String token = tokens.get(id);
      if (kinds[id] == Kind.NORMAL && token.length() == 1) {
        int b = ByteAlphabet.byteOf(token.charAt(0));
        if (b >= 0) {
          seen[b] = true;
        }
      }
    }
    int b = 0;
    while (b < BYTES && seen[b]) {
      b++;
    }
    return b < BYTES ? b : -1;
  }

  /** The ids of the control and user-defined tokens, by their text. */
  Map<String, Integer> special() {
    Map<String, Integer> special = new HashMap<>();
    for (int id = 0; id < kinds.length; id++) {
      if (kinds[id] == Kind.CONTROL || kinds[id] == Kind.USER_DEFINED) {
        special.putIfAbsent(tokens.get(id), id);
      }
    }
    return special;
  }
}
