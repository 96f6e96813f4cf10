package dev.helixbg.insight.notes;

import java.util.List;
import java.util.Optional;

/**
 * A file in which agents keep what they learn: how it was cut, and what an agent pays to load it.
 *
 * @param path from the folder
 * @param cut how it became entries, in words
 * @param entries that it made
 * @param characters in UTF-16 units
 * @param index lines of it that lead nowhere, or to a file that says something else
 */
public record MemoryFile(
    String path,
    String cut,
    int entries,
    int lines,
    int characters,
    int tokens,
    List<IndexLine> index) {
  /** The lines of a MEMORY.md that Claude Code loads when it starts. */
  private static final int LOADED_LINES = 200;

  /** The characters that Hermes keeps in its MEMORY.md, of blocks between dividers. */
  private static final int BLOCK_CHARACTERS = 2_200;

  /** Characters of a token, about, of English in the usual vocabularies. */
  private static final int LETTERS = 4;

  /**
   * A line of an index that is wrong.
   *
   * @param line from 1
   * @param target the path that it leads to, as written
   * @param isGone whether that file does not exist; else the file has no word of the line
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

  /** About how many tokens a text is for a language model: each is some four letters. */
  public static int tokensOf(String text) {
    int ideographs = (int) text.codePoints().filter(Character::isIdeographic).count();
    return ideographs + Math.ceilDiv(text.length() - ideographs, LETTERS);
  }

  /**
   * How far it is over what an agent loads, in words; empty where it is not, or no bound is known.
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
