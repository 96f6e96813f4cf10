package dev.helixbg.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Folders of this user.
 *
 * @param home {@code $HOME}, else the account's home folder
 * @param defaultCache {@code $XDG_CACHE_HOME/helix-bg}, else a folder in the platform's place for
 *     caches
 * @param defaultState {@code $XDG_STATE_HOME/helix-bg}, else a folder in the platform's place for
 *     state
 */
public record UserDirectories(Path home, Path defaultCache, Path defaultState) {
  /**
   * @param environment environment variables of the process
   * @param accountHome Java's {@code user.home}, which ignores {@code $HOME}
   * @param osName Java's {@code os.name}
   * @throws ConfigException when neither {@code $HOME} nor the account names a home folder
   */
  public static UserDirectories of(
      Map<String, String> environment, String accountHome, String osName) {
    Path home =
        absolute(environment.get("HOME"))
            .or(() -> absolute(accountHome))
            .orElseThrow(
                () ->
                    new ConfigException(
                        "this user has no home folder: set HOME to one that can be written"));
    Path platformCache =
        osName.startsWith("Mac") ? home.resolve("Library/Caches") : home.resolve(".cache");
    Path caches = absolute(environment.get("XDG_CACHE_HOME")).orElse(platformCache);
    Path platformState =
        home.resolve(osName.startsWith("Mac") ? "Library/Application Support" : ".local/state");
    Path states = absolute(environment.get("XDG_STATE_HOME")).orElse(platformState);
    return new UserDirectories(home, caches.resolve("helix-bg"), states.resolve("helix-bg"));
  }

  /** Returns the settings file that is read if no other is named. */
  public Path defaultConfigFile() {
    return home.resolve(".helix/helix-bg.toml");
  }

  private static Optional<Path> absolute(String path) {
    return Optional.ofNullable(path)
        .filter(text -> !text.isEmpty() && text.indexOf('\0') < 0)
        .map(Path::of)
        .filter(Path::isAbsolute);
  }
}
