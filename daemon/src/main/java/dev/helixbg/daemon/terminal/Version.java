package dev.helixbg.daemon.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.IVersionProvider;

public final class Version implements IVersionProvider {
  /** Returns the version with the commit, such as 0.1.0+1f2be34f0a; in tests "development". */
  public static String text() {
    String version = Version.class.getPackage().getImplementationVersion();
    if (version == null) {
      return "development";
    }
    try (InputStream build = Version.class.getResourceAsStream("build-version")) {
      return build == null
          ? version
          : new String(build.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static String line() {
    return "helix-bg " + text() + " (Java " + Runtime.version() + ")";
  }

  @Override
  public String[] getVersion() {
    return new String[] {line()};
  }
}
