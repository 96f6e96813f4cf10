package dev.helixbg.llm.tokenizer;

/** Text that has a UTF-8 form: lone surrogates have none, and the native library would fail. */
final class WellFormed {
  private static final char REPLACEMENT = '\uFFFD';

  private WellFormed() {}

  /** The text with U+FFFD in place of lone surrogates. */
  static String of(String text) {
    StringBuilder repaired = null;
    for (int i = 0; i < text.length(); i++) {
      if (!Character.isSurrogate(text.charAt(i))) {
        continue;
      }
      if (Character.isSupplementaryCodePoint(text.codePointAt(i))) {
        i++;
        continue;
      }
      if (repaired == null) {
        repaired = new StringBuilder(text);
      }
      repaired.setCharAt(i, REPLACEMENT);
    }
    return repaired == null ? text : repaired.toString();
  }
}
