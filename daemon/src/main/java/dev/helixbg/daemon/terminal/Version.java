package dev.helixbg.daemon.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.IVersionProvider;

/** Which build this is, as the build wrote it down: scripts/lib/version.sh. */
public final class Version implements IVersionProvider {
  /**
   * The version with the commit, such as 0.1.0+1f2be34f0a, and a hash over the sources where they
   * were changed since: two builds that differ are not called the same. What is not packed in a jar
   * is "development".
   */
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

  @Override
  public String[] getVersion() {
    return new String[] {"helix-bg " + text() + " (Java " + Runtime.version() + ")"};
  }
}
