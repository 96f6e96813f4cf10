package dev.helixbg.insight.notes;

import java.util.List;
import java.util.Optional;

/**
 * A file in which agents keep what they learn, with the way in which it was cut and the size that
 * an agent must load.
 *
 * @param path the path relative to the folder
 * @param cut the way in which it became entries, in words
 * @param entries the number of entries that it became
 * @param characters the length in UTF-16 units
 * @param index its index lines that link a missing file, or a file that says something else
 */
public record MemoryFile(
    String path,
    String cut,
    int entries,
    int lines,
    int characters,
    int tokens,
    List<IndexLine> index) {
  /** Number of lines of a MEMORY.md that Claude Code loads when it starts. */
  private static final int LOADED_LINES = 200;

  /** Number of characters that Hermes keeps in its MEMORY.md, which has blocks between dividers. */
  private static final int BLOCK_CHARACTERS = 2_200;

  /** Approximate number of characters per token for English text. */
  private static final int LETTERS = 4;

  /**
   * A wrong line of an index.
   *
   * @param line the number of the line, from 1
   * @param target the path that the line links, as written
   * @param isGone whether that file is missing; otherwise the file has no word of the line
   */
  public record IndexLine(int line, String target, boolean isGone) {}

  static MemoryFile of(Note note, String text, List<IndexLine> index) {
    return new MemoryFile(
        note.path(),
        note.cut().why(),
        note.sections().size(),
        (int) text.lines().count(),
        text.length(),
        tokensOf(text),
        index);
  }

  /**
   * Returns approximately how many tokens a text has for a language model. A token has about four
   * letters; a Chinese character counts as one token.
   */
  public static int tokensOf(String text) {
    int ideographs = (int) text.codePoints().filter(Character::isIdeographic).count();
    return ideographs + Math.ceilDiv(text.length() - ideographs, LETTERS);
  }

  /**
   * Returns in words by how much the file exceeds what an agent loads; empty if it does not, or if
   * no limit is known.
   */
  public Optional<String> overBound() {
    if (!Items.name(path).equals("memory.md")) {
      return Optional.empty();
    }
    if (cut.equals(Items.BLOCKS)) {
      return characters > BLOCK_CHARACTERS
          ? Optional.of(
              "%,d characters over the %,d that its agent keeps"
                  .formatted(characters - BLOCK_CHARACTERS, BLOCK_CHARACTERS))
          : Optional.empty();
    }
    return lines > LOADED_LINES
        ? Optional.of(
            "%,d lines over the %,d that are loaded at start"
                .formatted(lines - LOADED_LINES, LOADED_LINES))
        : Optional.empty();
  }
}
