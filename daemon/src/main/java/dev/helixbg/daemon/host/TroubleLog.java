package dev.helixbg.daemon.host;

import dev.helixbg.daemon.terminal.ErrorReporter;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what goes wrong once, not at every tick, and once more when it is over. */
public final class TroubleLog {
  private static final Logger LOG = LoggerFactory.getLogger(TroubleLog.class);

  /** Temporary files have another name each time. */
  private static final Pattern RANDOM = Pattern.compile("\\.[0-9a-f]{1,16}\\.helix-bg\\.tmp");

  private final Map<String, String> current = new ConcurrentHashMap<>();
  private final DaemonMetrics metrics;

  public TroubleLog(DaemonMetrics metrics) {
    this.metrics = metrics;
  }

  /**
   * @param about what has the trouble, such as a KB's folder
   * @return whether it is news
   */
  public boolean met(String about, String message) {
    String steady = RANDOM.matcher(message).replaceAll("");
    boolean news = !steady.equals(current.put(about, steady));
    if (news) {
      LOG.warn("{}: {}", about, steady);
      metrics.error(about + ": " + steady);
    }
    return news;
  }

  /**
   * Notes what a thread's work threw: its message, or for a fault in helix-bg itself and for an
   * error of the JVM its stack trace, the first time. Throws nothing: there may be no memory to
   * tell it.
   */
  public void met(String about, Throwable fault) {
    try {
      if (ErrorReporter.isExpected(fault)) {
        met(about, fault.getMessage());
      } else if (fault instanceof OutOfMemoryError) {
        met(about, "not enough memory (" + fault.getMessage() + "); trying again later");
      } else if (met(about, "a fault in helix-bg: " + fault)) {
        LOG.error("{}", about, fault);
      }
    } catch (Throwable again) {
      metrics.troubles.increment();
    }
  }

  /** Ends the trouble about something, if there was one. */
  public void over(String about) {
    String message = current.remove(about);
    if (message != null) {
      LOG.info("{}: all is well again, after: {}", about, message);
    }
  }

  /** The trouble about something that is not over. */
  public Optional<String> on(String about) {
    return Optional.ofNullable(current.get(about));
  }
}
