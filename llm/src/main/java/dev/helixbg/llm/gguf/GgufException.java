package dev.helixbg.llm.gguf;

import dev.helixbg.config.text.PrintableText;

/**
 * Exception for a model file that cannot be used. The message names the file, the error, and the
 * error's position in the file.
 */
public final class GgufException extends RuntimeException {
  public static final long NO_OFFSET = -1;

  /** Maximum number of quoted characters of a key, name or value, which can be 64 KiB long. */
  private static final int QUOTED = 300;

  /**
   * @param file the file's name as the user wrote it
   * @param offset position in the file in bytes, or {@link #NO_OFFSET}
   * @param name name of the key or tensor concerned; empty if there is none
   */
  public GgufException(String file, String what, long offset, String name) {
    super(message(file, what, offset, name));
  }

  private static String message(String file, String what, long offset, String name) {
    String place = offset == NO_OFFSET ? "" : "at byte " + offset;
    String owner = name.isEmpty() ? "" : "in '" + cut(name) + "'";
    String where = (owner + " " + place).strip();
    String said = cut(what) + (where.isEmpty() ? "" : " (" + where + ")");
    // Keys, names and values come from the file and can have any characters.
    return file + ": " + PrintableText.line(said);
  }

  private static String cut(String text) {
    return text.length() <= QUOTED ? text : text.substring(0, QUOTED) + "…";
  }
}
