package dev.helixbg.config;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * One thing a user can set: its name, its default, what is valid, and what it means.
 *
 * @param name dotted, as in the file: {@code embed.provider}
 * @param kind how its value is written in TOML
 * @param defaultText in the form in which a user would write it; empty when there is no fixed
 *     default
 * @param valid the valid values, in words, for error messages and documentation
 * @param meaning one sentence
 * @param parser text to value; throws IllegalArgumentException for what is not valid
 */
record Setting<T>(
    String name,
    Kind kind,
    String defaultText,
    String valid,
    String meaning,
    Function<String, T> parser) {

  /** How a value is written in TOML. */
  enum Kind {
    TEXT,
    INTEGER,
    NUMBER
  }

  /** {@code embed.max_tokens} is overridden by {@code HELIX_BG_EMBED_MAX_TOKENS}. */
  String environmentName() {
    return "HELIX_BG_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
  }

  static Setting<Integer> integer(String name, int standard, int min, int max, String meaning) {
    return new Setting<>(
        name,
        Kind.INTEGER,
        Integer.toString(standard),
        "a whole number from " + min + " to " + max,
        meaning,
        text -> {
          int value = Integer.parseInt(text);
          require(value >= min && value <= max);
          return value;
        });
  }

  /** A number from {@code min} to 1: a cosine, or a difference of two. */
  static Setting<Double> cosine(String name, double standard, double min, String meaning) {
    return new Setting<>(
        name,
        Kind.NUMBER,
        Double.toString(standard),
        "a number from " + min + " to 1",
        meaning,
        text -> {
          double value = Double.parseDouble(text);
          require(value >= min && value <= 1); // false for NaN too
          return value;
        });
  }

  /** A number between bounds, such as seconds. */
  static Setting<Double> number(
      String name, double standard, double min, double max, String meaning) {
    return new Setting<>(
        name,
        Kind.NUMBER,
        Double.toString(standard),
        "a number from " + min + " to " + max,
        meaning,
        text -> {
          double value = Double.parseDouble(text);
          require(value >= min && value <= max); // false for NaN too
          return value;
        });
  }

  static <E extends Enum<E>> Setting<E> choice(String name, E standard, String meaning) {
    Class<E> type = standard.getDeclaringClass();
    String all =
        Arrays.stream(type.getEnumConstants())
            .map(e -> e.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    return new Setting<>(
        name,
        Kind.TEXT,
        standard.name().toLowerCase(Locale.ROOT),
        "one of " + all,
        meaning,
        text -> {
          require(text.equals(text.toLowerCase(Locale.ROOT)));
          return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
        });
  }

  /** A path; a leading {@code ~} is the home folder. */
  static Setting<Path> path(String name, String standard, Path home, String meaning) {
    return new Setting<>(
        name,
        Kind.TEXT,
        standard,
        "a path, absolute or beginning with ~/",
        meaning,
        text -> {
          require(!text.isEmpty());
          Path path =
              text.equals("~") || text.startsWith("~/")
                  ? home.resolve(text.substring(Math.min(2, text.length())))
                  : Path.of(text);
          require(path.isAbsolute());
          return path.normalize();
        });
  }

  private static void require(boolean valid) {
    if (!valid) {
      throw new IllegalArgumentException();
    }
  }
}
