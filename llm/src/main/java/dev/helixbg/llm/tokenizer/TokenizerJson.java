package dev.helixbg.llm.tokenizer;

/**
 * Writes definitions of tokenizers in the form that the HuggingFace tokenizers library reads.
 *
 * <p>The pattern, the normaliser and the byte-level steps are Qwen2's, as in the tokenizer.json
 * that Qwen publishes. Special tokens are left out on purpose: the library then cannot make them
 * from any text.
 */
final class TokenizerJson {
  /** Splits text before merging: contractions, words, single digits, punctuation, white space. */
  private static final String QWEN2_PATTERN =
      "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r"
          + "\\n"
          + "\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r"
          + "\\n"
          + "]*|\\s*[\\r"
          + "\\n"
          + "]+|\\s+(?!\\S)|\\s+";

  private static final String TEXTS =
      """
      {"version":"1.0",
      "normalizer":{"type":"NFC"},
      "pre_tokenizer":{"type":"Sequence","pretokenizers":[
      {"type":"Split","pattern":{"Regex":"PATTERN"},"behavior":"Isolated","invert":false},
      {"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false}]},
      "model":{"type":"BPE","vocab":{\
      """
          .replace("PATTERN", quoted(QWEN2_PATTERN));

  private static final String WORDS =
      "{\"version\":\"1.0\",\"model\":{\"type\":\"BPE\",\"vocab\":{";

  private final StringBuilder vocabulary;
  private final StringBuilder merges = new StringBuilder(1 << 10);
  private String separator = "";

  private TokenizerJson(String start) {
    vocabulary = new StringBuilder(1 << 12).append(start);
  }

  /** A tokenizer of texts. */
  static TokenizerJson ofTexts() {
    return new TokenizerJson(TEXTS);
  }

  /** A tokenizer of words, already split and written in the {@link ByteAlphabet}. */
  static TokenizerJson ofWords() {
    return new TokenizerJson(WORDS);
  }

  /** Adds a token, each once. */
  TokenizerJson token(String text, int id) {
    vocabulary.append(separator).append('"').append(quoted(text)).append("\":").append(id);
    separator = ",";
    return this;
  }

  /** Adds a merge, two tokens with a space between them; the first is merged first. */
  TokenizerJson merge(String text) {
    if (!merges.isEmpty()) {
      merges.append(',');
    }
    merges.append('"').append(quoted(text)).append('"');
    return this;
  }

  /** The {@link ByteAlphabet} has no control characters: two characters are left to escape. */
  private static String quoted(String text) {
    return text.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  @Override
  public String toString() {
    return new StringBuilder(vocabulary.length() + merges.length() + 32)
        .append(vocabulary)
        .append("},\"merges\":[")
        .append(merges)
        .append("]}}")
        .toString();
  }
}
