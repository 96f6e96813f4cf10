package dev.helixbg.daemon;

import picocli.CommandLine.IVersionProvider;

/** The program's version, as the build wrote it into the jar's manifest. */
final class Version implements IVersionProvider {
  static String text() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"helix-bg " + text() + " (Java " + Runtime.version() + ")"};
  }
}
