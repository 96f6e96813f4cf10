package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.Interruption;

/** An interruption for commands in the tests' JVM; it does not delay the end of this JVM. */
final class NoInterruption {
  private NoInterruption() {}

  static Interruption make() {
    Interruption interruption = Interruption.watch();
    interruption.over();
    return interruption;
  }
}
