package dev.helixbg.daemon.kb;

import dev.helixbg.config.files.FileState;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The daemon's accesses to files and locks of a KB, one method each. Tests replace this interface.
 */
public interface KbFiles {

  /**
   * @throws java.nio.file.NoSuchFileException when there is no such file
   */
  FileState state(Path file) throws IOException;

  /** Returns the state of a file; empty if the file is missing or cannot be accessed. */
  default Optional<FileState> stateOrNone(Path file) {
    try {
      return Optional.of(state(file));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * @throws dev.helixbg.insight.log.DataLogException when the log cannot be read
   */
  LogReading read(Path dataLog);

  /**
   * @see KbStore#publish
   */
  void publish(KbStore store, Report report, ReportBasis basis, int questions, String summary);

  /**
   * @see KbStore#lock
   */
  ProcessLock lock(KbStore store);

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
        public void publish(
            KbStore store, Report report, ReportBasis basis, int questions, String summary) {
          store.publish(report, basis, questions, summary);
        }

        @Override
        public ProcessLock lock(KbStore store) {
          return store.lock();
        }
      };
}
