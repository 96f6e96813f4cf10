package dev.helixbg.daemon.kb;

import dev.helixbg.config.files.FileState;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Access to a KB's files and lock. Tests of the daemon replace {@link #DISK}, its access. */
public interface KbFiles {
  KbFiles DISK = new KbFiles() {};

  /** Access that waits until a log has stopped changing before it is read. */
  KbFiles QUIET =
      new KbFiles() {
        @Override
        public LogReading read(Path dataLog) throws InterruptedException {
          return DataLog.readQuiet(dataLog);
        }
      };

  default FileState state(Path file) throws IOException {
    return FileState.of(file);
  }

  /** Returns the state of a file; empty if the file is missing or cannot be accessed. */
  default Optional<FileState> stateOrNone(Path file) {
    if (Files.notExists(file)) { // an exception takes longer, and the daemon asks every 2 s
      return Optional.empty();
    }
    try {
      return Optional.of(state(file));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  default LogReading read(Path dataLog) throws InterruptedException {
    return DataLog.read(dataLog);
  }

  default void publish(
      KbStore store, Report report, ReportBasis basis, int questions, String summary) {
    store.publish(report, basis, questions, summary);
  }

  default ProcessLock lock(KbStore store) {
    return store.lock();
  }
}
