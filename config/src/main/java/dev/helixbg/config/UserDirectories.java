package dev.helixbg.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where things live on this machine.
 *
 * @param home {@code $HOME}, else the account's home
 * @param defaultCache {@code $XDG_CACHE_HOME/helix-bg}, else the platform's folder for caches
 */
public record UserDirectories(Path home, Path defaultCache) {
  /** The file in which helix keeps a knowledge base. */
  public static final String DATA_LOG = "data.log";

  /**
   * @param environment of the process
   * @param accountHome Java's {@code user.home}, which ignores {@code $HOME}
   * @param osName Java's {@code os.name}
   */
  public static UserDirectories of(
      Map<String, String> environment, String accountHome, String osName) {
    Path home = absolute(environment.get("HOME")).orElse(Path.of(accountHome));
    Path platformCache =
        osName.startsWith("Mac") ? home.resolve("Library/Caches") : home.resolve(".cache");
    Path caches = absolute(environment.get("XDG_CACHE_HOME")).orElse(platformCache);
    return new UserDirectories(home, caches.resolve("helix-bg"));
  }

  /** The configuration file that is read when no other is named. */
  public Path defaultConfigFile() {
    return home.resolve(".helix/helix-bg.toml");
  }

  /** Where a knowledge base is searched when none is named, in order. */
  public List<Path> usualKbs() {
    return List.of(
        home.resolve(".helix-kb"), home.resolve(".helix"), home.resolve(".local/share/helix"));
  }

  /** The first usual place that holds a data.log. */
  public Optional<Path> findKb() {
    return usualKbs().stream().filter(kb -> Files.exists(kb.resolve(DATA_LOG))).findFirst();
  }

  private static Optional<Path> absolute(String path) {
    return Optional.ofNullable(path)
        .filter(text -> !text.isEmpty() && text.indexOf('\0') < 0)
        .map(Path::of)
        .filter(Path::isAbsolute);
  }
}
