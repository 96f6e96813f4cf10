package dev.helixbg.llm.tokenizer;

/**
 * Writes part of a vocabulary in the form that the HuggingFace tokenizers library reads.
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

  /** Up to where the vocabulary begins. */
  private static final String START =
      """
      {"version":"1.0",
      "normalizer":{"type":"NFC"},
      "pre_tokenizer":{"type":"Sequence","pretokenizers":[
      {"type":"Split","pattern":{"Regex":"PATTERN"},"behavior":"Isolated","invert":false},
      {"type":"ByteLevel","add_prefix_space":false,"trim_offsets":false,"use_regex":false}]},
      "model":{"type":"BPE","vocab":{\
      """
          .replace("PATTERN", quoted(QWEN2_PATTERN));

  private final StringBuilder vocabulary = new StringBuilder(1 << 14).append(START);
  private final StringBuilder merges = new StringBuilder(1 << 12);

  /** Adds a token, each once. */
  TokenizerJson token(String text, int id) {
    if (vocabulary.length() > START.length()) {
      vocabulary.append(',');
    }
    vocabulary.append('"').append(quoted(text)).append("\":").append(id);
    return this;
  }

  /** Adds a merge of two tokens, in the order of their ranks. */
  TokenizerJson merge(String left, String right) {
    if (!merges.isEmpty()) {
      merges.append(',');
    }
    merges.append('"').append(quoted(left)).append(' ').append(quoted(right)).append('"');
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
