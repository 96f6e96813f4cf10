package dev.helixbg.daemon.service;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A helix-bg that was installed from an archive, from a package, or by {@code scripts/install}. A
 * git checkout is not an installation, because each build changes it.
 *
 * @param root the folder with {@code bin}, {@code lib} and {@code runtime}, as a path that stays
 *     valid after updates
 */
public record Installation(Path root) {
  private static final String LAUNCHER = "bin/helix-bg";

  public static Path jar() {
    String classPath = System.getProperty("java.class.path");
    return Path.of(classPath.split(File.pathSeparator)[0]).toAbsolutePath().normalize();
  }

  /** Returns the installation that contains a jar (absolute path); empty for a git checkout. */
  public static Optional<Installation> of(Path jar) {
    return Optional.ofNullable(jar.getParent().getParent())
        .filter(root -> Files.isExecutable(root.resolve(LAUNCHER)))
        .map(root -> new Installation(lasting(root)));
  }

  /** Returns this user's installation by {@code scripts/install}, if there is one. */
  static Optional<Installation> ofUser(Path home) {
    return Optional.of(new Installation(home.resolve(".local/opt/helix-bg/current")))
        .filter(installation -> Files.isExecutable(installation.launcher()));
  }

  /** Returns the installation of this program or, for a git checkout, of this user. */
  public static Optional<Installation> find(Path home) {
    return of(jar()).or(() -> ofUser(home));
  }

  public Path launcher() {
    return root.resolve(LAUNCHER);
  }

  /** Returns a path that outlasts updates: {@code current}, or Homebrew's {@code opt/NAME}. */
  private static Path lasting(Path root) {
    Path current = root.resolveSibling("current");
    if (Files.isExecutable(current.resolve(LAUNCHER))) {
      return current; // the link to the installed version
    }
    Path opt = Path.of(root.toString().replaceFirst("/Cellar/([^/]+)/[^/]+", "/opt/$1"));
    try {
      return Files.isSameFile(opt, root) ? opt : root;
    } catch (IOException e) { // a path does not exist
      return root;
    }
  }
}
