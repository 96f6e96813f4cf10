package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Options that every command has, and the settings that they lead to. */
public final class GlobalOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = {"Settings file (default: $HELIX_BG_CONFIG,", "else ~/.helix/helix-bg.toml)."})
  private Path config;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description =
          "Value of a setting; overrides the environment and the settings file. May be"
              + " repeated. 'helix-bg config' lists all settings.")
  private Map<String, String> set = new LinkedHashMap<>();

  /** Where this user's files are. */
  public static UserDirectories locations() {
    return UserDirectories.of(
        System.getenv(), System.getProperty("user.home"), System.getProperty("os.name"));
  }

  /** To this user's daemon. */
  public static DaemonLink daemon() {
    return new DaemonLink(DaemonHome.of(locations()));
  }

  /** The settings file that was named, absolute. */
  public Optional<Path> config() {
    return Optional.ofNullable(config).map(file -> file.toAbsolutePath().normalize());
  }

  public Map<String, String> set() {
    return Map.copyOf(set);
  }

  /** The settings with the options in force, and where each comes from. */
  public SettingsLoader.Loaded load() {
    return load(set);
  }

  /**
   * @param threads what a command's own flag says; null: it was not given
   */
  public Settings settings(String threads) {
    Map<String, String> all = new HashMap<>(set);
    if (threads != null) {
      all.put("threads", threads);
    }
    return load(all).settings();
  }

  private SettingsLoader.Loaded load(Map<String, String> flags) {
    return new SettingsLoader(locations(), System.getenv())
        .load(Optional.ofNullable(config), flags);
  }
}
