package dev.helixbg.config;

import java.nio.file.Path;
import java.util.Locale;
import java.util.function.BiFunction;

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
record Setting<T>(
    String name,
    Kind kind,
    String defaultText,
    String valid,
    String meaning,
    BiFunction<String, Path, T> parser) {

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
}
