package dev.helixbg.config;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * A setting: its name, default, valid values and meaning.
 *
 * @param name dotted name, as in the settings file: {@code embed.provider}
 * @param kind kind of the value in TOML
 * @param defaultText the default as a user would write it; empty if there is no fixed default
 * @param valid the valid values, in words, for error messages and documentation
 * @param meaning a description for users
 * @param parser turns a text into a value, given the home folder; throws IllegalArgumentException
 *     for an invalid text
 */
public record Setting<T>(
    String name,
    Kind kind,
    String defaultText,
    String valid,
    String meaning,
    BiFunction<String, Path, T> parser) {

  /** Kinds of values in TOML. */
  public enum Kind {
    TEXT,
    INTEGER,
    NUMBER,
    /**
     * A list of texts, in brackets; in the environment and in flags the texts are joined by {@link
     * #SEPARATOR}.
     */
    LIST;

    /** Separator of the texts of a list in the environment and in flags. */
    static final String SEPARATOR = File.pathSeparator;

    /** Returns a value as it is written in a settings file. */
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

  /**
   * Returns the environment variable that overrides the setting, such as {@code
   * HELIX_BG_EMBED_MAX_TOKENS} for {@code embed.max_tokens}.
   */
  String environmentName() {
    return "HELIX_BG_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
