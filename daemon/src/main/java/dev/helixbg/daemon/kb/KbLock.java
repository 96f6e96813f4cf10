package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.ProcessLock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;

/** Keeps a second run over a knowledge base away while this one lasts. helix never waits for it. */
public record KbLock(ProcessLock held) implements AutoCloseable {
  private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

  /**
   * Waits a second for the lock, if need be.
   *
   * @param file in the folder of the store
   * @throws Failure {@link ExitCode#BUSY} when another process has it, {@link ExitCode#WRITE} when
   *     the file cannot be written
   */
  static KbLock take(Kb kb, Path file) {
    try {
      return ProcessLock.take(file, LOCK_WAIT)
          .map(KbLock::new)
          .orElseThrow(
              () ->
                  new Failure(
                      ExitCode.BUSY,
                      "another helix-bg is at work on "
                          + kb.folder()
                          + "; try again when it has finished"));
    } catch (IOException e) {
      throw Failure.io(ExitCode.WRITE, "write " + file, e, "Make it writable");
    }
  }

  @Override
  public void close() {
    held.close();
  }
}
