package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

public final class GlobalOptions implements Declaration.Shared {
  private Path config;
  private Map<String, String> set = new LinkedHashMap<>();

  @Override
  public void declare(Declaration to) {
    to.option(
        "--config=FILE",
        "Settings file (default: $HELIX_BG_CONFIG,%n" + "else ~/.helix/helix-bg.toml).",
        Path.class,
        given -> config = given);
    to.pairs(
        "--set=KEY=VALUE",
        "Value of a setting; overrides the environment and the settings file. May be repeated."
            + " 'helix-bg config' lists all settings.",
        given -> set = given);
  }

  public static UserDirectories locations() {
    return UserDirectories.of(
        System.getenv(), System.getProperty("user.home"), System.getProperty("os.name"));
  }

  public static DaemonLink daemon() {
    return new DaemonLink(DaemonHome.of(locations()));
  }

  public Optional<Path> config() {
    return Optional.ofNullable(config).map(file -> file.toAbsolutePath().normalize());
  }

  public Map<String, String> set() {
    return Map.copyOf(set);
  }

  public SettingsLoader.Loaded load() {
    return new SettingsLoader(locations(), System.getenv()).load(Optional.ofNullable(config), set);
  }

  /** Returns the settings; {@code threads} is the value of --threads, or null without that flag. */
  public Settings settings(String threads) {
    if (threads != null) {
      set.put("threads", threads);
    }
    return load().settings();
  }
}
