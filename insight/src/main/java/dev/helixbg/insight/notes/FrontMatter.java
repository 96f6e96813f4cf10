package dev.helixbg.insight.notes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a note says about itself before its text: between a first line {@code ---} and the next one,
 * as Obsidian, Jekyll and Hugo write it.
 *
 * <p>Of YAML only what such lines use is read: {@code key: value}, {@code key: [a, b]}, a key with
 * {@code - item} lines under it, quotes, comments. Nested mappings and block texts are passed over.
 * What is none of that makes the front matter unsound, and is passed over, too.
 *
 * @param values of each key, in lower case
 * @param end where the text begins, in characters
 * @param sound whether every line was understood
 */
record FrontMatter(Map<String, List<String>> values, int end, boolean sound) {
  /** What is longer is no front matter, but a text between two rulers. */
  private static final int MAX_LINES = 500;

  private static final int MAX_VALUES = 100;
  private static final int MAX_VALUE = 200;

  private static final FrontMatter NONE = new FrontMatter(Map.of(), 0, true);

  static FrontMatter of(String text) {
    if (!text.startsWith("---\n") && !text.startsWith("--- \n")) {
      return NONE;
    }
    List<String> lines = new ArrayList<>();
    int start = text.indexOf('\n') + 1;
    while (start < text.length() && lines.size() < MAX_LINES) {
      int newline = text.indexOf('\n', start);
      int end = newline < 0 ? text.length() : newline;
      String line = text.substring(start, end).stripTrailing();
      start = Math.min(text.length(), end + 1);
      if (line.equals("---") || line.equals("...")) {
        return read(lines, start);
      }
      lines.add(line);
    }
    return new FrontMatter(Map.of(), 0, lines.stream().noneMatch(line -> key(line) > 0));
  }

  private static FrontMatter read(List<String> lines, int end) {
    if (lines.stream().noneMatch(line -> key(line) > 0)) {
      // A text between two rulers; nothing at all between them is an empty front matter.
      return lines.stream().allMatch(String::isBlank) ? new FrontMatter(Map.of(), end, true) : NONE;
    }
    Map<String, List<String>> values = new LinkedHashMap<>();
    List<String> open = null; // values of the key above
    boolean sound = true;
    for (String line : lines) {
      String stripped = line.strip();
      if (stripped.isEmpty() || stripped.startsWith("#")) {
        continue;
      }
      int key = key(line);
      if (stripped.startsWith("- ") || stripped.equals("-")) {
        sound &= open != null;
        add(open, stripped.substring(1));
      } else if (key > 0) {
        open = values.computeIfAbsent(name(line, key), _ -> new ArrayList<>());
        String value = line.substring(key + 1).strip();
        sound &= isWhole(value);
        addAll(open, value);
      } else {
        sound &= open != null && Character.isWhitespace(line.charAt(0));
      }
    }
    return new FrontMatter(values, end, sound);
  }

  /** The place of the colon in {@code key: value}; −1 in any other line. */
  private static int key(String line) {
    int colon = line.indexOf(':');
    if (colon <= 0
        || Character.isWhitespace(line.charAt(0))
        || "-#[{\"'".indexOf(line.charAt(0)) >= 0) {
      return -1;
    }
    boolean ends = colon + 1 == line.length() || Character.isWhitespace(line.charAt(colon + 1));
    return ends && colon <= 60 ? colon : -1;
  }

  private static String name(String line, int colon) {
    return line.substring(0, colon).strip().toLowerCase(Locale.ROOT);
  }

  /** Whether what was opened is closed on the line: of longer values nothing is taken. */
  private static boolean isWhole(String value) {
    if (value.isEmpty()) {
      return true;
    }
    char first = value.charAt(0);
    char last = value.charAt(value.length() - 1);
    return switch (first) {
      case '[' -> value.indexOf(']') > 0;
      case '{' -> last == '}';
      case '"', '\'' -> value.length() > 1 && value.indexOf(first, 1) > 0;
      default -> "@`%".indexOf(first) < 0;
    };
  }

  private static void addAll(List<String> values, String value) {
    if (!value.startsWith("[") || value.startsWith("[[")) {
      add(values, value);
      return;
    }
    int close = value.lastIndexOf(']');
    for (String item : value.substring(1, close < 0 ? value.length() : close).split(",")) {
      add(values, item);
    }
  }

  private static void add(List<String> values, String raw) {
    String value = raw.strip();
    if (value.startsWith("\"") || value.startsWith("'")) {
      int close = value.indexOf(value.charAt(0), 1);
      value = value.substring(1, close < 0 ? value.length() : close);
    } else {
      int comment = value.indexOf(" #");
      value = comment < 0 ? value : value.substring(0, comment).strip();
    }
    boolean isText = !value.isBlank() && !List.of("|", ">", "|-", ">-", "{}", "~").contains(value);
    if (values != null && isText && values.size() < MAX_VALUES) {
      values.add(value.length() > MAX_VALUE ? value.substring(0, MAX_VALUE) : value);
    }
  }

  /** All values of the first of these keys that has any. */
  List<String> all(String... keys) {
    for (String key : keys) {
      List<String> found = values.getOrDefault(key, List.of());
      if (!found.isEmpty()) {
        return found;
      }
    }
    return List.of();
  }

  Optional<String> first(String... keys) {
    return all(keys).stream().findFirst();
  }

  /** Tags may also stand on one line, between commas or blanks, with or without a #. */
  List<String> tags() {
    return all("tags", "tag", "keywords").stream()
        .flatMap(value -> List.of(value.split(value.contains(",") ? "," : "\\s")).stream())
        .map(tag -> tag.strip().replaceFirst("^#+", ""))
        .filter(tag -> !tag.isEmpty())
        .distinct()
        .toList();
  }
}
