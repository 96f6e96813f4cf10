package dev.helixbg.insight.notes;

import java.util.List;
import java.util.Optional;

/**
 * A file in which agents store what they learn, its size, and how it was cut into entries.
 *
 * @param cut how it was cut, in words
 * @param characters the length in UTF-16 units
 * @param index if the file is an index, its lines that link to a missing file or to a file about
 *     something else
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

  /** Number of characters that the agent Hermes keeps in its MEMORY.md, a file with lines of §. */
  private static final int BLOCK_CHARACTERS = 2_200;

  /** Approximate number of characters per token for English text. */
  private static final int LETTERS = 4;

  /**
   * A wrong line of an index, a file whose lines link to other files.
   *
   * @param line number of the line, from 1
   * @param isGone true if the linked file is missing; false if it has none of the line's words
   */
  public record IndexLine(int line, String target, boolean isGone) {}

  static MemoryFile of(Note note, String text, List<IndexLine> index) {
    return new MemoryFile(
        note.path(),
        note.cut(),
        note.sections().size(),
        (int) text.lines().count(),
        text.length(),
        tokensOf(text),
        index);
  }

  /** Estimates a text's tokens: one for a Chinese character, one for four other characters. */
  public static int tokensOf(String text) {
    int ideographs = (int) text.codePoints().filter(Character::isIdeographic).count();
    return ideographs + Math.ceilDiv(text.length() - ideographs, LETTERS);
  }

  /** Returns in words how far the file exceeds what its agent loads or stores; empty if it fits. */
  public Optional<String> overBound() {
    boolean isOfBlocks = cut.equals(Items.BLOCKS);
    int bound = isOfBlocks ? BLOCK_CHARACTERS : LOADED_LINES;
    int over = (isOfBlocks ? characters : lines) - bound;
    String words =
        isOfBlocks
            ? "%,d characters more than the %,d characters that the agent stores"
            : "%,d lines more than the %,d lines that the agent loads at its start";
    return Items.name(path).equals("memory.md") && over > 0
        ? Optional.of(words.formatted(over, bound))
        : Optional.empty();
  }
}
