package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.ProcessLock;
import java.io.IOException;
import java.time.Duration;

/**
 * Keeps a second helix-bg away from the files that this one is writing.
 *
 * <p>It is a lock among helix-bg processes only, on a file of their own: helix never waits for it.
 * helix's own {@code .lock} is left alone; a reader that tolerates torn tails does not need it.
 */
public record KbLock(ProcessLock held) implements AutoCloseable {
  /** Whoever only saves a few lines has soon done so. */
  private static final Duration LOCK_WAIT = Duration.ofSeconds(1);

  /**
   * Waits a second for it, if need be.
   *
   * @throws Failure {@link ExitCode#BUSY} when another process has it, {@link ExitCode#WRITE} when
   *     the folder cannot be written, {@link ExitCode#KB} when there is no KB any more
   */
  public static KbLock take(Kb kb) {
    try {
      kb.makeInsights();
      return ProcessLock.take(kb.insights().resolve(".helix-bg.lock"), LOCK_WAIT)
          .map(KbLock::new)
          .orElseThrow(
              () ->
                  new Failure(
                      ExitCode.BUSY,
                      "another helix-bg is at work on "
                          + kb.folder()
                          + "; try again when it has finished"));
    } catch (IOException e) {
      throw Failure.io(
          ExitCode.WRITE,
          "write " + kb.insights(),
          e,
          "helix-bg keeps its reports there; make it writable, or look without writing:"
              + " helix-bg one-shot --no-report");
    }
  }

  @Override
  public void close() {
    held.close();
  }
}
