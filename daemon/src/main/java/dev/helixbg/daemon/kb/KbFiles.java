package dev.helixbg.daemon.kb;

import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.FileState;
import dev.helixbg.insight.log.LogReading;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** What the daemon does to files and locks of a KB, one call each; a seam for tests. */
public interface KbFiles {

  /**
   * @throws java.nio.file.NoSuchFileException when there is no such file
   */
  FileState state(Path file) throws IOException;

  /** The same of a file that may be missing, or out of sight. */
  default Optional<FileState> stateOrNone(Path file) {
    try {
      return Optional.of(state(file));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * @throws dev.helixbg.insight.log.DataLogException when it cannot be read
   */
  LogReading read(Path dataLog);

  /**
   * @throws Failure with {@link ExitCode#WRITE}
   */
  void publish(Kb kb, Report report);

  /**
   * @throws Failure with {@link ExitCode#BUSY} or {@link ExitCode#WRITE}
   */
  KbLock lock(Kb kb);

  KbFiles DISK =
      new KbFiles() {
        @Override
        public FileState state(Path file) throws IOException {
          return FileState.of(file);
        }

        @Override
        public LogReading read(Path dataLog) {
          return DataLog.read(dataLog);
        }

        @Override
        public void publish(Kb kb, Report report) {
          ReportFolder.of(kb).write(report);
        }

        @Override
        public KbLock lock(Kb kb) {
          return KbLock.take(kb);
        }
      };
}
