package dev.helixbg.daemon.service;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A helix-bg that no build changes: an unpacked archive, a package, or what {@code scripts/install}
 * made.
 *
 * @param root the folder of {@code bin}, {@code lib} and {@code runtime}, by the name that it keeps
 *     when it is updated
 */
public record Installation(Path root) {
  private static final String LAUNCHER = "bin/helix-bg";

  public static Path jar() {
    String classPath = System.getProperty("java.class.path");
    return Path.of(classPath.split(File.pathSeparator)[0]).toAbsolutePath().normalize();
  }

  /**
   * The one that a program belongs to; empty for one in a checkout.
   *
   * @param jar the program's, absolute
   */
  public static Optional<Installation> of(Path jar) {
    return Optional.ofNullable(jar.getParent().getParent())
        .filter(root -> Files.isExecutable(root.resolve(LAUNCHER)))
        .map(root -> new Installation(lasting(root)));
  }

  /** The one that {@code scripts/install} made for this user, if it did. */
  static Optional<Installation> ofUser(Path home) {
    Path current = home.resolve(".local/opt/helix-bg/current");
    return Optional.of(new Installation(current))
        .filter(installation -> Files.isExecutable(installation.launcher()));
  }

  /** The one that a service runs: the program's own, else the user's. */
  public static Optional<Installation> find(Path home) {
    return of(jar()).or(() -> ofUser(home));
  }

  public Path launcher() {
    return root.resolve(LAUNCHER);
  }

  /**
   * The name under which the next version will be, too: {@code current} beside it, or Homebrew's
   * {@code opt/NAME} for {@code Cellar/NAME/VERSION}.
   */
  private static Path lasting(Path root) {
    Path current = root.resolveSibling("current");
    if (Files.isExecutable(current.resolve(LAUNCHER))) {
      return current; // the version that was started
    }
    Path opt = Path.of(root.toString().replaceFirst("/Cellar/([^/]+)/[^/]+", "/opt/$1"));
    return isSame(opt, root) ? opt : root;
  }

  private static boolean isSame(Path a, Path b) {
    try {
      return Files.isSameFile(a, b);
    } catch (IOException e) { // one of them is not there
      return false;
    }
  }
}
