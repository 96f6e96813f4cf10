package dev.helixbg.config;

import dev.helixbg.config.DaemonSettings.Notify;
import dev.helixbg.config.DaemonSettings.Switch;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Merges defaults, file, environment and flags, each above the one before, into checked settings.
 */
public final class SettingsLoader {
  /** Variables with this prefix tell the program how it was started; they are no settings. */
  private static final String LAUNCHER_PREFIX = "HELIX_BG_LAUNCHER_";

  private static final String CONFIG_VARIABLE = "HELIX_BG_CONFIG";

  private final Locations locations;
  private final Map<String, String> environment;
  private final SettingCatalog catalog;

  public SettingsLoader(Locations locations, Map<String, String> environment) {
    this.locations = locations;
    this.environment = environment;
    this.catalog = new SettingCatalog(locations);
  }

  /** Settings with, for each, the text it has and where that came from. */
  public record Loaded(Settings settings, List<EffectiveSetting> effective) {}

  /**
   * @param text the value as written
   * @param origin {@code default}, the file's path, the variable's name or {@code flag}
   */
  public record EffectiveSetting(
      String name, String text, boolean quoted, String origin, String meaning) {

    /** False for a setting that has no default and was not written anywhere. */
    public boolean isSet() {
      return !text.isEmpty();
    }
  }

  /**
   * @param configFile named by the user, in which case it must exist; else {@code
   *     $HELIX_BG_CONFIG}, else the default place
   * @param flags setting names to text
   * @throws ConfigException for an unknown name, an invalid value or an unreadable file
   */
  public Loaded load(Optional<Path> configFile, Map<String, String> flags) {
    Map<String, Written> written = new HashMap<>();
    locateFile(configFile).ifPresent(file -> addFile(file, written));
    addEnvironment(written);
    flags.forEach(
        (name, text) -> written.put(known(name, "flag --set"), new Written(text, "flag")));
    return check(written);
  }

  private record Written(String text, String origin) {}

  private Optional<Path> locateFile(Optional<Path> named) {
    Optional<Path> required =
        named.or(() -> Optional.ofNullable(environment.get(CONFIG_VARIABLE)).map(Path::of));
    if (required.isPresent() && !Files.exists(required.get())) {
      throw new ConfigException("configuration file not found: " + required.get());
    }
    return required.or(() -> Optional.of(locations.defaultConfigFile()).filter(Files::exists));
  }

  private void addFile(Path file, Map<String, Written> written) {
    Map<String, Setting.Kind> kinds = new LinkedHashMap<>();
    catalog.all().forEach(setting -> kinds.put(setting.name(), setting.kind()));
    TomlFile.read(file, kinds)
        .forEach((name, text) -> written.put(name, new Written(text, file.toString())));
  }

  private void addEnvironment(Map<String, Written> written) {
    Map<String, String> names = new HashMap<>();
    catalog.all().forEach(setting -> names.put(setting.environmentName(), setting.name()));
    names.put("HELIX_KB", catalog.kb.name());
    environment.forEach(
        (variable, text) -> {
          String name = names.get(variable);
          if (name != null) {
            written.put(name, new Written(text, variable));
          } else if (variable.startsWith("HELIX_BG_")
              && !variable.startsWith(LAUNCHER_PREFIX)
              && !variable.equals(CONFIG_VARIABLE)) {
            throw new ConfigException(
                "unknown setting in the environment: " + variable + "; helix-bg config lists all");
          }
        });
  }

  private String known(String name, String origin) {
    if (catalog.all().stream().noneMatch(setting -> setting.name().equals(name))) {
      throw new ConfigException(
          "unknown setting " + name + " in " + origin + "; helix-bg config lists all");
    }
    return name;
  }

  private Loaded check(Map<String, Written> written) {
    Map<Setting<?>, Object> values = new HashMap<>();
    List<EffectiveSetting> effective = new ArrayList<>();
    for (Setting<?> setting : catalog.all()) {
      Written source =
          written.getOrDefault(setting.name(), new Written(setting.defaultText(), "default"));
      boolean unset = source.text().isEmpty() && source.origin().equals("default");
      if (!unset) {
        values.put(setting, parse(setting, source));
      }
      effective.add(
          new EffectiveSetting(
              setting.name(),
              source.text(),
              setting.kind() == Setting.Kind.TEXT,
              source.origin(),
              setting.meaning()));
    }
    return new Loaded(assemble(values), List.copyOf(effective));
  }

  private static Object parse(Setting<?> setting, Written source) {
    try {
      return setting.parser().apply(source.text());
    } catch (IllegalArgumentException e) { // also NumberFormatException and InvalidPathException
      throw new ConfigException(
          setting.name()
              + " = "
              + source.text()
              + " ("
              + source.origin()
              + ") is not valid: it must be "
              + setting.valid());
    }
  }

  private Settings assemble(Map<Setting<?>, Object> values) {
    Values v = new Values(values);
    InsightSettings insight =
        new InsightSettings(
            v.get(catalog.topicOverlap),
            v.get(catalog.nearDuplicate),
            v.get(catalog.maxNearDuplicates),
            v.get(catalog.crossLinkFrom),
            v.get(catalog.maxCrossLinks),
            v.get(catalog.misfiledMargin),
            v.get(catalog.maxMisfiled));
    if (insight.crossLinkFrom() > insight.nearDuplicate()) {
      throw new ConfigException(
          "insight.cross_link_from = %s is above insight.near_duplicate = %s: it must not be"
              .formatted(insight.crossLinkFrom(), insight.nearDuplicate()));
    }
    EmbedSettings embed =
        new EmbedSettings(
            v.get(catalog.models),
            v.get(catalog.provider),
            v.get(catalog.precision),
            v.get(catalog.maxTokens));
    LlmSettings llm =
        new LlmSettings(
            Optional.ofNullable(v.get(catalog.llmModel)),
            v.get(catalog.llmSeconds),
            v.get(catalog.llmEntryTokens),
            v.get(catalog.llmBackend));
    int wanted = v.get(catalog.threads);
    int threads = wanted > 0 ? wanted : Runtime.getRuntime().availableProcessors();
    return new Settings(
        Optional.ofNullable(v.get(catalog.kb)),
        threads,
        v.get(catalog.cache),
        embed,
        llm,
        insight,
        daemon(v, threads));
  }

  private DaemonSettings daemon(Values v, int threads) {
    int modelThreads = v.get(catalog.modelThreads);
    return new DaemonSettings(
        seconds(v.get(catalog.poll)),
        seconds(v.get(catalog.unwatchedPoll)),
        seconds(v.get(catalog.quiet)),
        idle(v.get(catalog.embedderIdle)),
        v.get(catalog.across) == Switch.ON,
        v.get(catalog.notify) == Notify.FINDINGS,
        idle(v.get(catalog.modelIdle)),
        seconds(60 * v.get(catalog.modelQuiet)),
        v.get(catalog.modelMaxLoad),
        v.get(catalog.modelOnBattery) == Switch.ON,
        modelThreads > 0 ? modelThreads : (threads + 1) / 2,
        seconds(60 * v.get(catalog.sessionGap)),
        v.get(catalog.sessionEntries),
        seconds(3600 * v.get(catalog.drift)),
        seconds(3600 * v.get(catalog.stale)),
        v.get(catalog.logLevel),
        v.get(catalog.logFormat));
  }

  private static Duration seconds(double seconds) {
    return Duration.ofMillis(Math.round(1000 * seconds));
  }

  private static Optional<Duration> idle(int minutes) {
    return minutes < 0 ? Optional.empty() : Optional.of(Duration.ofMinutes(minutes));
  }

  /** Values by setting, each of the setting's own type because its parser made it. */
  private record Values(Map<Setting<?>, Object> map) {
    @SuppressWarnings("unchecked")
    <T> T get(Setting<T> setting) {
      return (T) map.get(setting);
    }
  }
}
