package dev.helixbg.config;

import dev.helixbg.config.Settings.DaemonSettings;
import dev.helixbg.config.Settings.DaemonSettings.Switch;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.LlmSettings;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Merges the values of the settings from four origins: defaults, settings file, environment
 * variables and flags. Each origin overrides the origins before it.
 */
public record SettingsLoader(UserDirectories locations, Map<String, String> environment) {
  /** Prefix of the environment variables of the launch script. They are not settings. */
  private static final String LAUNCHER_PREFIX = "HELIX_BG_LAUNCHER_";

  public static final String CONFIG_VARIABLE = "HELIX_BG_CONFIG";

  /**
   * Environment variable from which the program helix reads the KB's folder. The path may be
   * relative to the working folder.
   */
  private static final String HELIX_KB = "HELIX_KB";

  private static final String DEFAULT = "default";

  public static Collection<Setting<?>> catalog() {
    return SettingCatalog.all().values();
  }

  public record Loaded(Settings settings, List<EffectiveSetting> effective) {}

  /**
   * The effective value of a setting, and its origin.
   *
   * @param text the value as the user wrote it
   * @param toml the value as it is written in a settings file
   * @param origin {@code default}, the settings file's path, the environment variable's name, or
   *     {@code flag}
   */
  public record EffectiveSetting(
      String name, String text, String toml, String origin, String meaning) {

    public boolean isSet() {
      return !text.isEmpty();
    }
  }

  /**
   * Reads and checks all settings.
   *
   * @param configFile the settings file that the user named, which must exist; if empty, the file
   *     that {@code $HELIX_BG_CONFIG} names or, without that variable, the default file
   * @param flags values from the command line's flags, as texts, by the setting's name
   * @throws ConfigException for an unknown name, an invalid value or an unreadable file
   */
  public Loaded load(Optional<Path> configFile, Map<String, String> flags) {
    Map<String, Written> written = new HashMap<>();
    catalog().forEach(one -> written.put(one.name(), new Written(one.defaultText(), DEFAULT)));
    written.put(
        SettingCatalog.CACHE.name(), new Written(locations.defaultCache().toString(), DEFAULT));
    written.put(
        SettingCatalog.STATE.name(), new Written(locations.defaultState().toString(), DEFAULT));
    locateFile(configFile).ifPresent(file -> addFile(file, written));
    addEnvironment(written);
    flags.forEach((name, text) -> written.put(known(name), new Written(text, "flag")));
    return new Loaded(
        assemble(written),
        catalog().stream().map(one -> effective(one, written.get(one.name()))).toList());
  }

  private record Written(String text, String origin) {}

  private Optional<Path> locateFile(Optional<Path> named) {
    String text = environment.getOrDefault(CONFIG_VARIABLE, "");
    Optional<Path> required =
        text.isEmpty()
            ? named
            : named.or(() -> Optional.of(UserDirectories.path(text, locations.home())));
    if (required.isPresent() && !Files.exists(required.get())) {
      throw new ConfigException("configuration file not found: " + required.get());
    }
    // A link to a missing file is returned too: reading it fails, and the user learns of the error.
    return required.or(
        () ->
            Optional.of(locations.defaultConfigFile())
                .filter(file -> Files.exists(file, LinkOption.NOFOLLOW_LINKS)));
  }

  private void addFile(Path file, Map<String, Written> written) {
    TomlFile.read(file)
        .forEach((name, text) -> written.put(name, new Written(text, file.toString())));
  }

  /**
   * Adds the values from environment variables. An empty variable is ignored, except that it sets a
   * list to the empty list.
   */
  private void addEnvironment(Map<String, Written> written) {
    Map<String, Setting<?>> names = new HashMap<>();
    catalog().forEach(setting -> names.put(setting.environmentName(), setting));
    if (environment.getOrDefault(SettingCatalog.KB.environmentName(), "").isEmpty()) {
      names.put(HELIX_KB, SettingCatalog.KB);
    }
    environment.forEach(
        (variable, text) -> {
          Setting<?> setting = names.get(variable);
          if (setting != null) {
            if (!text.isEmpty() || setting.kind() == Setting.Kind.LIST) {
              boolean isRelative = variable.equals(HELIX_KB) && !text.startsWith("~");
              String value = isRelative ? Path.of(text).toAbsolutePath().toString() : text;
              written.put(setting.name(), new Written(value, variable));
            }
          } else if (variable.startsWith("HELIX_BG_")
              && !variable.startsWith(LAUNCHER_PREFIX)
              && !variable.equals(CONFIG_VARIABLE)) {
            throw SettingCatalog.unknown(
                "in the environment: " + variable, variable, names.keySet());
          }
        });
  }

  private String known(String name) {
    if (!SettingCatalog.all().containsKey(name)) {
      throw SettingCatalog.unknown(name + " in flag --set", name, SettingCatalog.all().keySet());
    }
    return name;
  }

  private static EffectiveSetting effective(Setting<?> setting, Written source) {
    return new EffectiveSetting(
        setting.name(),
        source.text(),
        setting.kind().toml(source.text()),
        source.origin(),
        setting.meaning());
  }

  private Settings assemble(Map<String, Written> written) {
    Values v = new Values(written, locations.home());
    EmbedSettings embed =
        new EmbedSettings(
            v.get(SettingCatalog.MODELS),
            v.get(SettingCatalog.PROVIDER),
            v.get(SettingCatalog.PRECISION),
            v.get(SettingCatalog.MAX_TOKENS));
    LlmSettings llm =
        new LlmSettings(
            Optional.ofNullable(v.get(SettingCatalog.LLM_MODEL)),
            v.get(SettingCatalog.LLM_SECONDS),
            v.get(SettingCatalog.LLM_BACKEND));
    int wanted = v.get(SettingCatalog.THREADS);
    int threads = wanted > 0 ? wanted : Runtime.getRuntime().availableProcessors();
    return new Settings(
        Optional.ofNullable(v.get(SettingCatalog.KB)),
        Optional.ofNullable(v.get(SettingCatalog.SOURCES)).orElse(List.of()),
        Optional.ofNullable(v.get(SettingCatalog.HELIX)),
        threads,
        v.get(SettingCatalog.CACHE),
        v.get(SettingCatalog.STATE),
        embed,
        llm,
        daemon(v, threads),
        v.get(SettingCatalog.NOTES_ITEMS));
  }

  private DaemonSettings daemon(Values v, int threads) {
    int idle = v.get(SettingCatalog.EMBEDDER_IDLE);
    int modelThreads = v.get(SettingCatalog.MODEL_THREADS);
    return new DaemonSettings(
        seconds(v.get(SettingCatalog.POLL)),
        seconds(v.get(SettingCatalog.QUIET)),
        idle < 0 ? Optional.empty() : Optional.of(Duration.ofMinutes(idle)),
        seconds(60 * v.get(SettingCatalog.MODEL_QUIET)),
        v.get(SettingCatalog.MODEL_MAX_LOAD),
        v.get(SettingCatalog.MODEL_ON_BATTERY) == Switch.ON,
        modelThreads > 0 ? modelThreads : (threads + 1) / 2,
        v.get(SettingCatalog.LOG_LEVEL));
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.round(1000 * seconds));
  }

  private record Values(Map<String, Written> written, Path home) {
    /** Returns the value of a setting; null if it is not set and has no default. */
    <T> T get(Setting<T> setting) {
      Written source = written.get(setting.name());
      if (source.text().isEmpty() && source.origin().equals(DEFAULT)) {
        return null;
      }
      try {
        return setting.parser().apply(source.text(), home);
        // includes NumberFormatException and InvalidPathException
      } catch (IllegalArgumentException e) {
        throw new ConfigException(
            "%s = %s (%s) is not valid: it must be %s"
                .formatted(setting.name(), source.text(), source.origin(), setting.valid()));
      }
    }
  }
}
