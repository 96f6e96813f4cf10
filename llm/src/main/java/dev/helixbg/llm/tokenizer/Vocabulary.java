package dev.helixbg.llm.tokenizer;

import dev.helixbg.llm.gguf.GgufMetadata;
import dev.helixbg.llm.gguf.GgufStrings;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tokens of a model file, in order of their ids. */
public final class Vocabulary {

  /** What a token is for; the ids of ggml ({@code enum llama_token_type}) less one. */
  enum Kind {
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

  private static final Kind[] ALL_KINDS = Kind.values();

  /** {@link Kind#NORMAL} in {@link #kinds}. */
  static final byte NORMAL = 0;

  /** Written in the {@link ByteAlphabet}, but special ones as they are. */
  private final GgufStrings tokens;

  /** Of each token, its place in {@link Kind}. */
  private final byte[] kinds;

  /** The tokens of the single bytes. */
  private final int[] byteIds;

  private final BpeMerges merges;
  private final int endOfText;

  private Vocabulary(
      GgufStrings tokens, byte[] kinds, int[] byteIds, BpeMerges merges, int endOfText) {
    this.tokens = tokens;
    this.kinds = kinds;
    this.byteIds = byteIds;
    this.merges = merges;
    this.endOfText = endOfText;
  }

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
    GgufStrings tokens = metadata.array(TOKENS, MAX_TOKENS).strings();
    if (tokens.isEmpty() || tokens.size() > most) {
      throw metadata.error(
          TOKENS, "%d tokens, but the model has %d embeddings".formatted(tokens.size(), most));
    }
    byte[] kinds = kinds(metadata, tokens.size());
    TokenIndex index = index(metadata, tokens, kinds);
    return new Vocabulary(
        tokens,
        kinds,
        byteIds(metadata, index),
        merges(metadata, index),
        metadata.has(END) ? metadata.whole(END, 0, tokens.size() - 1) : -1);
  }

  private static void require(GgufMetadata metadata, String key, String wanted) {
    String value = metadata.text(key);
    if (!value.equals(wanted)) {
      throw metadata.error(
          key, "the tokenizer is \"%s\"; only \"%s\" is supported".formatted(value, wanted));
    }
  }

  private static byte[] kinds(GgufMetadata metadata, int count) {
    int[] ids = metadata.array(KINDS, MAX_TOKENS).ints();
    if (ids.length != count) {
      throw metadata.error(KINDS, "%d types for %d tokens".formatted(ids.length, count));
    }
    byte[] kinds = new byte[count];
    for (int i = 0; i < count; i++) {
      if (ids[i] < 1 || ids[i] > ALL_KINDS.length) {
        throw metadata.error(KINDS, "token %d has the unknown type %d".formatted(i, ids[i]));
      }
      kinds[i] = (byte) (ids[i] - 1);
    }
    return kinds;
  }

  /** Without all single bytes there would be text that has no tokens. */
  private static int[] byteIds(GgufMetadata metadata, TokenIndex index) {
    int[] ids = new int[ByteAlphabet.BYTES];
    for (int b = 0; b < ByteAlphabet.BYTES; b++) {
      byte[] text = String.valueOf(ByteAlphabet.charOf(b)).getBytes(StandardCharsets.UTF_8);
      ids[b] = index.find(text, 0, text.length);
      if (ids[b] < 0) {
        throw metadata.error(TOKENS, "no token stands for the single byte " + b);
      }
    }
    return ids;
  }

  private static TokenIndex index(GgufMetadata metadata, GgufStrings tokens, byte[] kinds) {
    try {
      return new TokenIndex(tokens, kinds);
    } catch (IllegalArgumentException e) {
      throw metadata.error(TOKENS, e.getMessage());
    }
  }

  private static BpeMerges merges(GgufMetadata metadata, TokenIndex index) {
    try {
      return new BpeMerges(metadata.array(MERGES, MAX_MERGES).strings(), index);
    } catch (IllegalArgumentException e) {
      throw metadata.error(MERGES, e.getMessage());
    }
  }

  /**
   * The part of this vocabulary that encodes given words as all of it would, as a definition for
   * the native library.
   *
   * @param words in the {@link ByteAlphabet}
   * @throws TokenizerException if a merge of them joins what is no token
   */
  String definition(List<String> words) {
    BitSet needed = new BitSet(); // merges
    BitSet used = new BitSet(); // tokens
    for (String word : words) {
      for (int i = 0; i < word.length(); i++) {
        used.set(byteIds[ByteAlphabet.byteOf(word.charAt(i))]);
      }
      merges.addPossible(word.getBytes(StandardCharsets.UTF_8), needed, used);
    }
    TokenizerJson json = TokenizerJson.ofWords();
    for (int id = used.nextSetBit(0); id >= 0; id = used.nextSetBit(id + 1)) {
      json.token(text(id), id);
    }
    for (int merge = needed.nextSetBit(0); merge >= 0; merge = needed.nextSetBit(merge + 1)) {
      json.merge(merges.text(merge));
    }
    return json.toString();
  }

  /** Number of ids. */
  int size() {
    return kinds.length;
  }

  /** How the file writes a token. */
  String text(int id) {
    return tokens.get(id);
  }

  /** What a token is for; an id behind the last, which only an embedding stands for, nothing. */
  Kind kind(int id) {
    return id < kinds.length ? ALL_KINDS[kinds[id]] : Kind.UNUSED;
  }

  /** What the file calls its end token, or −1. */
  int endOfText() {
    return endOfText;
  }

  /** The ids of the control and user-defined tokens, by their text, which is not empty. */
  Map<String, Integer> special() {
    Map<String, Integer> special = new HashMap<>();
    for (int id = 0; id < kinds.length; id++) {
      if (kinds[id] != NORMAL && (kind(id) == Kind.CONTROL || kind(id) == Kind.USER_DEFINED)) {
        special.putIfAbsent(text(id), id);
      }
    }
    special.remove("");
    return special;
  }
}
