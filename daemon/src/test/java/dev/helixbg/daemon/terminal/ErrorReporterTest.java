package dev.helixbg.daemon.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.insight.log.DataLogException;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class ErrorReporterTest {
  /** The exit code must not be 3 with the message "check the disk". */
  @Test
  void whatCtrlCInterruptsIsNoFaultOfAFile() {
    IOException closed = new ClosedByInterruptException();
    for (Throwable e :
        List.of(
            new InterruptedException(),
            closed,
            new CancellationException(),
            new DataLogException("data.log cannot be read", closed))) {
      assertEquals(ExitCode.INTERRUPTED, ErrorReporter.codeOf(e), e.toString());
    }
    assertEquals(
        ExitCode.KB,
        ErrorReporter.codeOf(new DataLogException("data.log cannot be read", new IOException())));
    assertEquals(ExitCode.INTERNAL, ErrorReporter.codeOf(new IOException()));
  }

  /** No file with a stack trace is written, because it would help no user. */
  @Test
  void tooLittleMemoryIsNoFaultOfHelixBg() {
    assertEquals(
        "not enough memory (Java heap space). Free some memory, or give Java more memory:"
            + " HELIX_BG_LAUNCHER_JAVA_OPTIONS=-Xmx2g",
        ErrorReporter.words(new OutOfMemoryError("Java heap space")));
  }
}
