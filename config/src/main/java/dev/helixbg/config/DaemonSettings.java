package dev.helixbg.config;

import java.time.Duration;
import java.util.Optional;

/**
 * How the daemon treats the machine: the settings {@code daemon.*}, explained in {@link
 * SettingCatalog}.
 *
 * @param embedderIdle empty: loaded for ever
 * @param modelIdle empty: loaded for ever
 * @param modelMaxLoad per core
 * @param modelThreads at least 1
 */
public record DaemonSettings(
    Duration poll,
    Duration unwatchedPoll,
    Duration quiet,
    Optional<Duration> embedderIdle,
    boolean across,
    boolean notifyOfFindings,
    Optional<Duration> modelIdle,
    Duration modelQuiet,
    double modelMaxLoad,
    boolean modelOnBattery,
    int modelThreads,
    Duration sessionGap,
    int sessionEntries,
    Duration drift,
    Duration stale,
    LogLevel logLevel,
    LogFormat logFormat) {

  public enum LogLevel {
    ERROR,
    WARN,
    INFO,
    DEBUG
  }

  /** How a line of the log file looks. */
  public enum LogFormat {
    HUMAN,
    /** One JSON object a line. */
    JSON
  }

  /** What the user is told of. */
  enum Notify {
    OFF,
    FINDINGS
  }

  enum Switch {
    OFF,
    ON
  }
}
