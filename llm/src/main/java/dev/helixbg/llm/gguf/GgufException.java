package dev.helixbg.llm.gguf;

import dev.helixbg.config.text.PrintableText;

/** A model file that cannot be used. The message says what is wrong, in which file, and where. */
public final class GgufException extends RuntimeException {
  /** The offset of errors that have no place in the file. */
  public static final long NO_OFFSET = -1;

  /** Characters of a key, name or value that a message quotes; a file may have 64 KiB in each. */
  private static final int QUOTED = 300;

  /**
   * @param file as the user named it
   * @param offset in bytes, or {@link #NO_OFFSET}
   * @param name of the key or tensor concerned, else empty
   */
  public GgufException(String file, String what, long offset, String name) {
    super(message(file, what, offset, name));
  }

  private static String message(String file, String what, long offset, String name) {
    String place = offset == NO_OFFSET ? "" : "at byte " + offset;
    String owner = name.isEmpty() ? "" : "in '" + cut(name) + "'";
    String where = (owner + " " + place).strip();
    String said = cut(what) + (where.isEmpty() ? "" : " (" + where + ")");
    // Keys, names and values come from the file, and may hold anything.
    return file + ": " + PrintableText.line(said);
  }

  private static String cut(String text) {
    return text.length() <= QUOTED ? text : text.substring(0, QUOTED) + "…";
  }
}
