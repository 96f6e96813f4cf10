package dev.helixbg.daemon.terminal;

import picocli.CommandLine.IVersionProvider;

/** The program's version, as the build wrote it into the jar's manifest. */
public final class Version implements IVersionProvider {
  /** As numbers and dots, or "development" for what is not packed in a jar. */
  public static String text() {
    String version = Version.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  @Override
  public String[] getVersion() {
    return new String[] {"helix-bg " + text() + " (Java " + Runtime.version() + ")"};
  }
}
