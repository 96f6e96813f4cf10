package dev.helixbg.daemon.kb;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.embed.store.ProcessLock;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.DataLogException;
import dev.helixbg.insight.report.Report;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Access to the disk with faults that a test switches on and off. */
public final class FaultyFiles implements KbFiles {
  public boolean noStat;
  public boolean noRead;
  public boolean fullDisk;
  public boolean locked;

  public int readings;

  public int published;

  public int looks;

  public Runnable duringRead = () -> {};

  @Override
  public FileState state(Path file) throws IOException {
    if (noStat) {
      throw new AccessDeniedException(file.toString());
    }
    looks++;
    return DISK.state(file);
  }

  @Override
  public Optional<FileState> stateOrNone(Path file) {
    if (Files.notExists(file)) { // the state of a missing file is not read
      looks++;
    }
    return KbFiles.super.stateOrNone(file);
  }

  @Override
  public LogReading read(Path dataLog) throws InterruptedException {
    if (noRead) {
      throw new DataLogException(dataLog + " may not be read by this user");
    }
    readings++;
    LogReading reading = DISK.read(dataLog);
    duringRead.run();
    return reading;
  }

  @Override
  public void publish(
      KbStore store, Report report, ReportBasis basis, int questions, String summary) {
    if (fullDisk) {
      throw new Failure(
          ExitCode.WRITE,
          "cannot write the report to x/.report.json."
              + Long.toHexString(System.nanoTime() & 0xffffff)
              + ".helix-bg.tmp: No space left on device");
    }
    published++;
    DISK.publish(store, report, basis, questions, summary);
  }

  @Override
  public ProcessLock lock(KbStore store) {
    if (locked) {
      throw new Failure(ExitCode.BUSY, "another helix-bg is at work");
    }
    return DISK.lock(store);
  }
}
