package dev.helixbg.config;

import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * One setting: its name, its default, its meaning, and how its text becomes a value.
 *
 * @param name dotted name, as in the settings file: {@code embed.provider}
 * @param defaultText the default as a user would write it; empty if there is none
 * @param valid the valid values, in words
 * @param parser turns a text and the home folder (for {@code ~}) into a value; throws
 *     IllegalArgumentException if the text is not valid
 */
public record Setting<T>(
    String name,
    Kind kind,
    String defaultText,
    String valid,
    String meaning,
    BiFunction<String, Path, T> parser) {

  public enum Kind {
    TEXT,
    INTEGER,
    NUMBER,
    LIST;

    /** Separator of list elements in environment variables and flags, but not in TOML. */
    static final String SEPARATOR = File.pathSeparator;

    String toml(String text) {
      return switch (this) {
        case TEXT -> '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
        case INTEGER, NUMBER -> text;
        case LIST -> {
          List<String> texts = text.isEmpty() ? List.of() : List.of(text.split(SEPARATOR));
          yield texts.stream().map(TEXT::toml).collect(Collectors.joining(", ", "[", "]"));
        }
      };
    }
  }

  /**
   * Returns the environment variable of this setting: {@code HELIX_BG_EMBED_MAX_TOKENS} for {@code
   * embed.max_tokens}.
   */
  String environmentName() {
    return "HELIX_BG_" + name.replace('.', '_').toUpperCase(Locale.ROOT);
  }
}
