package dev.helixbg.daemon.host;

import dev.helixbg.daemon.terminal.ErrorReporter;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs each problem once, not at every check, and logs once when the problem is over. */
public final class TroubleLog {
  private static final Logger LOG = LoggerFactory.getLogger(TroubleLog.class);

  /** Random part of the names of temporary files, which is removed from messages. */
  private static final Pattern RANDOM = Pattern.compile("\\.[0-9a-f]{1,16}\\.helix-bg\\.tmp");

  private final Map<String, String> current = new ConcurrentHashMap<>();
  private final DaemonMetrics metrics;
  private final DaemonClock clock;
  private volatile Trouble last;

  public record Trouble(Instant at, String message) {}

  public TroubleLog(DaemonMetrics metrics, DaemonClock clock) {
    this.metrics = metrics;
    this.clock = clock;
  }

  /** Logs a problem of a subject, such as a KB's folder, if it is new; returns whether it is. */
  public boolean met(String about, String message) {
    String steady = RANDOM.matcher(message).replaceAll("");
    boolean news = !steady.equals(current.put(about, steady));
    if (news) {
      LOG.warn("{}: {}", about, steady);
      metrics.troubles.increment();
      last = new Trouble(clock.now(), about + ": " + steady);
    }
    return news;
  }

  /**
   * Logs an exception. Logs its stack trace, too, if it is a bug or an error of the JVM other than
   * a lack of memory. Never throws.
   */
  public void met(String about, Throwable fault) {
    try {
      if (ErrorReporter.isExpected(fault)) {
        met(about, fault.getMessage());
      } else if (met(about, ErrorReporter.summary(fault)) && !(fault instanceof OutOfMemoryError)) {
        LOG.error("{}", about, fault);
      }
    } catch (Throwable again) {
      metrics.troubles.increment();
    }
  }

  public void over(String about) {
    String message = current.remove(about);
    if (message != null) {
      LOG.info("{}: all is well again, after: {}", about, message);
    }
  }

  public Optional<String> on(String about) {
    return Optional.ofNullable(current.get(about));
  }

  /** Returns the latest problem, even if it is over. */
  public Optional<Trouble> last() {
    return Optional.ofNullable(last);
  }
}
