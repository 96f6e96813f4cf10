package dev.helixbg.config;

import dev.helixbg.config.Setting.Kind;
import dev.helixbg.config.Settings.DaemonSettings.LogLevel;
import dev.helixbg.config.Settings.DaemonSettings.Switch;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Settings.LlmSettings.LlmBackend;
import dev.helixbg.config.text.NearestName;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** All settings there are, in the order in which they are documented and printed. */
final class SettingCatalog {
  private static final List<Setting<?>> ALL = new ArrayList<>();

  static final Setting<Path> KB =
      path("kb", "").means("The knowledge base. Not set: the usual places are searched.");
  static final Setting<List<Path>> SOURCES =
      paths("sources")
          .means(
              "Folders with git repositories that entries tell of: where their files moved, or"
                  + " changed, the report says so.");
  static final Setting<Path> HELIX =
      path("helix.command", "")
          .means(
              "The program helix, which act --run and tidy have carry out what they plan. Not set:"
                  + " the first helix on PATH.");
  static final Setting<Integer> THREADS =
      integer("threads", 0, 0, 256).means("Threads for embedding and comparing. 0: one per core.");
  static final Setting<Path> CACHE =
      path("cache", "")
          .means(
              "What can be made again: unpacked models, natives, verdicts on providers. Not set:"
                  + " ~/.cache/helix-bg, on macOS ~/Library/Caches/helix-bg.");
  static final Setting<Path> STATE =
      path("state", "")
          .means(
              "What is known of each knowledge base, your decisions among it; for you alone. Not"
                  + " set: ~/.local/state/helix-bg, on macOS"
                  + " ~/Library/Application Support/helix-bg.");
  static final Setting<Path> MODELS =
      path("embed.models", "~/.helix/models")
          .means(
              "Searched for model.onnx, without which the bundled model is used, and for a language"
                  + " model.");
  static final Setting<ExecutionProvider> PROVIDER =
      choice("embed.provider", ExecutionProvider.AUTO)
          .means(
              "Where the embedding model runs; auto: on the CPU, many texts on CoreML where that"
                  + " was measured to be faster.");
  static final Setting<Precision> PRECISION =
      choice("embed.precision", Precision.FP32)
          .means(
              "Of the embedding model's weights; with fp32, passages are embedded in int8 where"
                  + " that was measured to be faster.");
  static final Setting<Integer> MAX_TOKENS =
      integer("embed.max_tokens", 256, 8, 512)
          .means("A longer text is cut there before it is embedded.");
  static final Setting<Path> LLM_MODEL =
      path("llm.model", "")
          .means(
              "The language model, a GGUF file. Not set: the first usable .gguf in embed.models.");
  static final Setting<Integer> LLM_SECONDS =
      integer("llm.seconds", 600, 0, 86_400)
          .means("How long a run may ask the language model; the next run goes on. 0: do not ask.");
  static final Setting<LlmBackend> LLM_BACKEND =
      choice("llm.backend", LlmBackend.AUTO)
          .means(
              "Where the language model runs: a GPU (Metal, CUDA) or the CPU; auto: a GPU where one"
                  + " can be used.");
  static final Setting<Double> POLL =
      number("daemon.poll_seconds", 30, 0.05, 3600)
          .means(
              "Pause between two looks at a log that rests; at most 2 where the system reports no"
                  + " changes, such as on macOS.");
  static final Setting<Double> QUIET =
      number("daemon.quiet_seconds", 2, 0, 600)
          .means("How long a log must not have changed before it is read.");
  static final Setting<Integer> EMBEDDER_IDLE =
      integer("daemon.embedder_idle_minutes", 10, -1, 1440)
          .means(
              "The embedding model is unloaded after so long without work. 0: at once, -1: never.");
  static final Setting<Integer> MODEL_IDLE =
      integer("daemon.model_idle_minutes", 5, -1, 1440)
          .means(
              "The language model is unloaded after so long without work. 0: at once, -1: never.");
  static final Setting<Double> MODEL_QUIET =
      number("daemon.model_quiet_minutes", 2, 0, 1440)
          .means(
              "How long the knowledge base must have been quiet before the language model runs.");
  static final Setting<Double> MODEL_MAX_LOAD =
      number("daemon.model_max_load", 0.5, 0, 1000)
          .means("Idle work runs while the load per core is at most this.");
  static final Setting<Switch> MODEL_ON_BATTERY =
      choice("daemon.model_on_battery", Switch.OFF)
          .means("Whether idle work, reviews and language model, runs on battery.");
  static final Setting<Integer> MODEL_THREADS =
      integer("daemon.model_threads", 0, 0, 256)
          .means("Threads of the language model at idle. 0: half of threads.");
  static final Setting<Double> SESSION_GAP =
      number("daemon.session_gap_minutes", 20, 0, 1440)
          .means("A session is over when nothing was written for so long.");
  static final Setting<LogLevel> LOG_LEVEL =
      choice("daemon.log_level", LogLevel.INFO).means("How much the daemon logs.");

  private SettingCatalog() {}

  private static Bare<Integer> integer(String name, int standard, int min, int max) {
    return new Bare<>(
        name,
        Kind.INTEGER,
        Integer.toString(standard),
        "a whole number from " + min + " to " + max,
        (text, _) -> {
          int value = Integer.parseInt(text);
          require(value >= min && value <= max);
          return value;
        });
  }

  /** A number between bounds, such as seconds. */
  private static Bare<Double> number(String name, double standard, double min, double max) {
    return new Bare<>(
        name,
        Kind.NUMBER,
        Double.toString(standard),
        "a number from " + min + " to " + max,
        (text, _) -> {
          double value = Double.parseDouble(text);
          require(value >= min && value <= max); // false for NaN too
          return value;
        });
  }

  private static <E extends Enum<E>> Bare<E> choice(String name, E standard) {
    Class<E> type = standard.getDeclaringClass();
    String all =
        Arrays.stream(type.getEnumConstants())
            .map(e -> e.name().toLowerCase(Locale.ROOT))
            .collect(Collectors.joining(", "));
    return new Bare<>(
        name,
        Kind.TEXT,
        standard.name().toLowerCase(Locale.ROOT),
        "one of " + all,
        (text, _) -> {
          require(text.equals(text.toLowerCase(Locale.ROOT)));
          return Enum.valueOf(type, text.toUpperCase(Locale.ROOT));
        });
  }

  /** A path; a leading {@code ~} is the home folder. */
  private static Bare<Path> path(String name, String standard) {
    return new Bare<>(
        name,
        Kind.TEXT,
        standard,
        "a path, absolute or beginning with ~/",
        SettingCatalog::parsePath);
  }

  private static Path parsePath(String text, Path home) {
    require(!text.isEmpty());
    Path path =
        text.equals("~") || text.startsWith("~/")
            ? home.resolve(text.substring(Math.min(2, text.length())))
            : Path.of(text);
    require(path.isAbsolute());
    return path.normalize();
  }

  /** Paths like those of {@link #path}, none when not set. */
  private static Bare<List<Path>> paths(String name) {
    return new Bare<>(
        name,
        Kind.LIST,
        "",
        "paths, each absolute or beginning with ~/, with "
            + Kind.SEPARATOR
            + " between them in the environment and in flags",
        (text, home) ->
            Arrays.stream(text.split(Kind.SEPARATOR))
                .filter(part -> !part.isEmpty())
                .map(part -> parsePath(part, home))
                .distinct()
                .toList());
  }

  private static void require(boolean valid) {
    if (!valid) {
      throw new IllegalArgumentException();
    }
  }

  /** A setting but for its meaning. */
  private record Bare<T>(
      String name, Kind kind, String standard, String valid, BiFunction<String, Path, T> parser) {

    Setting<T> means(String meaning) {
      Setting<T> setting = new Setting<>(name, kind, standard, valid, meaning, parser);
      ALL.add(setting);
      return setting;
    }
  }

  static List<Setting<?>> all() {
    return Collections.unmodifiableList(ALL);
  }

  static List<String> names() {
    return ALL.stream().<String>map(Setting::name).toList();
  }

  /**
   * What is said to somebody who named one that there is not.
   *
   * @param where and what, such as {@code x.y in config.toml}
   * @param names of those that there are
   */
  static ConfigException unknown(String where, String name, Collection<String> names) {
    return new ConfigException(
        "unknown setting " + where + NearestName.meant(name, names, "; helix-bg config lists all"));
  }
}
