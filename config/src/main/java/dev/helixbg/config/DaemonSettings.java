package dev.helixbg.config;

import java.time.Duration;
import java.util.Optional;

/**
 * How the daemon treats the machine.
 *
 * @param poll between two looks at a log that rests
 * @param unwatchedPoll the same where the system does not tell of changes
 * @param quiet how long a log must not have changed before it is read
 * @param embedderIdle how long the embedding model stays loaded without work; empty: for ever
 * @param across whether findings across knowledge bases get a report of their own
 * @param notifyOfFindings whether the user is told of new findings by the desktop
 * @param modelIdle how long the language model stays loaded without work; empty: for ever
 * @param modelQuiet how long the knowledge base must have been quiet before the model runs
 * @param modelMaxLoad the machine counts as quiet up to this load per core
 * @param modelOnBattery whether idle work may run on battery
 * @param modelThreads of the model at idle; at least 1
 * @param sessionGap how long nothing must have been written before a session counts as over
 * @param sessionEntries new entries that make a session worth a synthesis
 * @param drift between two looks for drift
 * @param stale between two looks for stale entries
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
