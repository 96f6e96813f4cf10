package dev.helixbg.insight.sources;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The lines around a place in a file. Blanks count for nothing, nor do lines without letters and
 * digits enough to tell them from others, such as closing brackets.
 *
 * @param middle the line itself; nothing where it tells nothing
 * @param around it and its neighbours that tell something
 */
record LineWindow(Optional<String> middle, List<String> around) {
  private static final int NEIGHBOURS = 3;

  /** Letters and digits that a line needs to tell something. */
  private static final int TELLING = 6;

  private static final int MIN_LINES = 2;

  /**
   * @param line from 1
   * @return empty where the file has no such line, or nothing around it tells anything
   */
  static Optional<LineWindow> of(byte[] file, int line) {
    List<String> lines = lines(file);
    if (line < 1 || line > lines.size()) {
      return Optional.empty();
    }
    List<String> around = new ArrayList<>();
    int from = Math.max(0, line - 1 - NEIGHBOURS);
    for (String one : lines.subList(from, Math.min(lines.size(), line + NEIGHBOURS))) {
      if (tells(one)) {
        around.add(one);
      }
    }
    return around.size() < MIN_LINES
        ? Optional.empty()
        : Optional.of(
            new LineWindow(
                Optional.of(lines.get(line - 1)).filter(LineWindow::tells), List.copyOf(around)));
  }

  private static boolean tells(String line) {
    return line.chars().filter(Character::isLetterOrDigit).count() >= TELLING;
  }

  /** Each without blanks. */
  private static List<String> lines(byte[] file) {
    return new String(file, StandardCharsets.UTF_8)
        .lines()
        .map(line -> line.replaceAll("\\s+", ""))
        .toList();
  }

  /** Whether a file still has the line itself, and at least half of what was around it. */
  boolean isIn(byte[] file) {
    Set<String> lines = new HashSet<>(lines(file));
    long left = around.stream().filter(lines::contains).count();
    return middle.map(lines::contains).orElse(true) && 2 * left >= around.size();
  }

  /** The one line of a file that is the line itself, from 1; empty where none or several are. */
  OptionalInt lineIn(byte[] file) {
    List<String> lines = lines(file);
    int found = middle.map(lines::indexOf).orElse(-1);
    return found < 0 || found != lines.lastIndexOf(middle.get())
        ? OptionalInt.empty()
        : OptionalInt.of(found + 1);
  }

  /** The share of the telling lines of a file that another one has, from 0 to 1. */
  static double share(byte[] of, byte[] in) {
    Set<String> lines = new HashSet<>(lines(in));
    List<String> telling = lines(of).stream().filter(LineWindow::tells).toList();
    return telling.isEmpty()
        ? 0
        : (double) telling.stream().filter(lines::contains).count() / telling.size();
  }
}
