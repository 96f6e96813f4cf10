package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.terminal.Interruption;

/** An interruption for commands in the JVM of the tests, which must not hold up its end. */
final class NoInterruption {
  private NoInterruption() {}

  static Interruption make() {
    Interruption interruption = Interruption.watch();
    interruption.over();
    return interruption;
  }
}
