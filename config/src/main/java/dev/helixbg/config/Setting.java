package dev.helixbg.config;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
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
 * @param parser text to value, given the home folder; throws IllegalArgumentException for what is
 *     not valid
 */
public record Setting<T>(
    String name,
    Kind kind,
    String defaultText,
    String valid,
    String meaning,
    BiFunction<String, Path, T> parser) {

  /** How a value is written in TOML. */
  public enum Kind {
    TEXT,
    INTEGER,
    NUMBER,
    /** Texts in brackets; in the environment and in flags joined by {@link #SEPARATOR}. */
    LIST;

    /** Between the texts of a list where they are one text. */
    static final String SEPARATOR = File.pathSeparator;

    /** A value as a settings file has it. */
    String toml(String text) {
      return switch (this) {
        case TEXT -> '"' + text + '"';
        case INTEGER, NUMBER -> text;
        case LIST -> {
          List<String> texts = text.isEmpty() ? List.of() : List.of(text.split(SEPARATOR));
          yield texts.stream().map(TEXT::toml).collect(Collectors.joining(", ", "[", "]"));
        }
      };
    }
  }

  /** {@code embed.max_tokens} is overridden by {@code HELIX_BG_EMBED_MAX_TOKENS}. */
  String environmentName() {
    return "HELIX_BG_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
