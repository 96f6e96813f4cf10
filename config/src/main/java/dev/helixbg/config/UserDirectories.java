package dev.helixbg.config;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Folders of this user: {@code $HOME}, {@code $XDG_CACHE_HOME/helix-bg} and {@code
 * $XDG_STATE_HOME/helix-bg}. Without {@code $HOME}, the home folder of the account is used. Without
 * {@code $XDG_CACHE_HOME} or {@code $XDG_STATE_HOME}, the platform's usual cache or state folder is
 * used, which is in the home folder.
 */
public record UserDirectories(Path home, Path defaultCache, Path defaultState) {
  /**
   * @param accountHome home folder of the user's account: Java's property {@code user.home}, which
   *     ignores {@code $HOME}
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
                        "this user has no home folder: set HOME to a writable folder"));
    boolean isMac = osName.startsWith("Mac");
    Path caches =
        absolute(environment.get("XDG_CACHE_HOME"))
            .orElse(home.resolve(isMac ? "Library/Caches" : ".cache"));
    Path states =
        absolute(environment.get("XDG_STATE_HOME"))
            .orElse(home.resolve(isMac ? "Library/Application Support" : ".local/state"));
    return new UserDirectories(home, caches.resolve("helix-bg"), states.resolve("helix-bg"));
  }

  /** Returns the path that a text names; a leading {@code ~} stands for the home folder. */
  public static Path path(String text, Path home) {
    return text.equals("~") || text.startsWith("~/")
        ? home.resolve(text.substring(Math.min(2, text.length())))
        : Path.of(text);
  }

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
