package dev.helixbg.config;

import dev.helixbg.config.Setting.Kind;
import dev.helixbg.config.Settings.DaemonSettings.LogLevel;
import dev.helixbg.config.Settings.DaemonSettings.Switch;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Settings.LlmSettings.LlmBackend;
import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.config.text.NearestName;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/** All settings, in the order in which they are documented and printed. */
final class SettingCatalog {
  private static final Map<String, Setting<?>> ALL = new LinkedHashMap<>();

  static final Setting<Path> KB =
      path("kb", "")
          .means(
              "Folder of the knowledge base. If not set: the first of ~/.helix-kb, ~/.helix and"
                  + " ~/.local/share/helix that has a data.log.");
  static final Setting<List<Path>> SOURCES =
      paths("sources")
          .means(
              "Folders of the git repositories whose files are named in entries. The report lists"
                  + " the named files that no longer exist, and the new paths of renamed files.");
  static final Setting<NotesItems> NOTES_ITEMS =
      choice("notes.items", NotesItems.AUTO)
          .means(
              "Whether each list item in a note becomes a separate entry. auto: only in memory"
                  + " files, in which coding agents list facts, such as MEMORY.md.");
  static final Setting<Path> HELIX =
      path("helix.command", "")
          .means(
              "Path of the program helix, which makes the edits of the commands 'tidy' and 'act"
                  + " --run'. If not set: the first helix on PATH.");
  static final Setting<Integer> THREADS =
      integer("threads", 0, 0, 256)
          .means(
              "Number of threads for embedding, comparing and the language model. 0: one per"
                  + " core.");
  static final Setting<Path> CACHE =
      path("cache", "")
          .means(
              "Folder for files that helix-bg can make again: unpacked models, native libraries,"
                  + " knowledge bases made from notes, results of speed trials. If not set:"
                  + " ~/.cache/helix-bg, on macOS ~/Library/Caches/helix-bg.");
  static final Setting<Path> STATE =
      path("state", "")
          .means(
              "Private folder for the store of each knowledge base: vectors, findings, your"
                  + " decisions. If not set: ~/.local/state/helix-bg, on macOS"
                  + " ~/Library/Application Support/helix-bg.");
  static final Setting<Path> MODELS =
      path("embed.models", "~/.helix/models")
          .means(
              "Folder of models. It may contain language models, and an embedding model"
                  + " (model.onnx) that replaces the bundled one.");
  static final Setting<ExecutionProvider> PROVIDER =
      choice("embed.provider", ExecutionProvider.AUTO)
          .means(
              "Device or library that runs the embedding model: the CPU, or Apple's CoreML. auto:"
                  + " CoreML for many texts at once, if CoreML was faster in a trial on this Mac;"
                  + " otherwise the CPU.");
  static final Setting<Precision> PRECISION =
      choice("embed.precision", Precision.AUTO)
          .means(
              "Precision of the embedding model's weights. auto: 8 or 16 bits, depending on the"
                  + " processor; but fp32 (32 bits) if fp32 was faster in a trial on this"
                  + " machine.");
  static final Setting<Integer> MAX_TOKENS =
      integer("embed.max_tokens", 256, 8, 512)
          .means(
              "Maximum number of tokens that are embedded as one text. The rest of a longer entry"
                  + " is divided into at most 32 passages, which are embedded one by one.");
  static final Setting<Path> LLM_MODEL =
      path("llm.model", "")
          .means(
              "Language model, a GGUF file. If not set: the first usable .gguf file in"
                  + " embed.models.");
  static final Setting<Integer> LLM_SECONDS =
      integer("llm.seconds", 600, 0, 86_400)
          .means(
              "Seconds that a run may spend on questions to the language model. The next run asks"
                  + " the remaining questions. 0: no questions.");
  static final Setting<LlmBackend> LLM_BACKEND =
      choice("llm.backend", LlmBackend.AUTO)
          .means(
              "Device that runs the language model: a GPU (Metal, CUDA) or the CPU. auto: a GPU if"
                  + " one can be used, else the CPU.");
  static final Setting<Double> POLL =
      number("daemon.poll_seconds", 2, 0.05, 3600)
          .means("Seconds between two checks of data.log for changes.");
  static final Setting<Double> QUIET =
      number("daemon.quiet_seconds", 2, 0, 600)
          .means("Seconds that data.log must stay unchanged before the daemon reads it.");
  static final Setting<Integer> EMBEDDER_IDLE =
      integer("daemon.embedder_idle_minutes", 10, -1, 1440)
          .means(
              "Minutes without work after which the embedding model and the pair judges are"
                  + " unloaded. 0: at once, -1: never.");
  static final Setting<Double> MODEL_QUIET =
      number("daemon.model_quiet_minutes", 2, 0, 1440)
          .means(
              "Minutes that a knowledge base must stay unchanged before the daemon asks the"
                  + " language model about it.");
  static final Setting<Double> MODEL_MAX_LOAD =
      number("daemon.model_max_load", 0.5, 0, 1000)
          .means("Maximum system load per core at which the daemon asks the language model.");
  static final Setting<Switch> MODEL_ON_BATTERY =
      choice("daemon.model_on_battery", Switch.OFF)
          .means(
              "Whether the daemon also asks the language model while the machine runs on battery.");
  static final Setting<Integer> MODEL_THREADS =
      integer("daemon.model_threads", 0, 0, 256)
          .means(
              "Number of threads of the language model in the daemon. 0: half of the value of the"
                  + " setting 'threads'.");
  static final Setting<LogLevel> LOG_LEVEL =
      choice("daemon.log_level", LogLevel.INFO)
          .means("Lowest severity of messages that the daemon logs.");

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
    Path path = UserDirectories.path(text, home);
    require(path.isAbsolute());
    return path.normalize();
  }

  private static Bare<List<Path>> paths(String name) {
    return new Bare<>(
        name,
        Kind.LIST,
        "",
        "paths, each absolute or beginning with ~/; in the environment and in flags, write "
            + Kind.SEPARATOR
            + " between them",
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

  private record Bare<T>(
      String name, Kind kind, String standard, String valid, BiFunction<String, Path, T> parser) {

    Setting<T> means(String meaning) {
      Setting<T> setting = new Setting<>(name, kind, standard, valid, meaning, parser);
      ALL.put(name, setting);
      return setting;
    }
  }

  static Map<String, Setting<?>> all() {
    return Collections.unmodifiableMap(ALL);
  }

  static ConfigException unknown(String where, String name, Collection<String> names) {
    return new ConfigException(
        "unknown setting "
            + where
            + NearestName.meant(name, names, "; 'helix-bg config' lists all settings"));
  }
}
