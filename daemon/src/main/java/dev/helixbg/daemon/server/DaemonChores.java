package dev.helixbg.daemon.server;

import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.NativeMemory;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.service.ServiceErrorLog;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work of the daemon beside watching, done whenever its loop asks: idle work, the release of unused
 * models, a short error file.
 */
final class DaemonChores {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonChores.class);

  /** Subject of troubles of the daemon itself. */
  private static final String CHORE = "the daemon";

  /** The chores are asked at least so often. */
  private static final Duration CHORES = Duration.ofSeconds(30);

  private static final Duration CHORES_WHILE_WORKING = Duration.ofMillis(250);

  private final Daemon daemon;
  private final DaemonHome home;
  private long reportsSeen;

  /** Times that idle work has ended, which may leave much memory to give back. */
  private long timesWorked;

  private boolean worked;

  private long activitySeen = -1;
  private long activeAt;
  private boolean rested;

  DaemonChores(Daemon daemon, DaemonHome home) {
    this.daemon = daemon;
    this.home = home;
  }

  /**
   * Does what is due. Whatever goes wrong is a trouble; then it is done another time.
   *
   * @return nanoseconds after which to ask again
   */
  long run() throws InterruptedException {
    try {
      long wait = doAll();
      daemon.troubles.over(CHORE);
      return wait;
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) {
      daemon.troubles.met(CHORE, e);
      if (e instanceof Error) { // it may be what there is no memory for
        forget();
      }
      return CHORES.toNanos();
    }
  }

  private long doAll() throws InterruptedException {
    long reports = daemon.host.metrics().reports.sum();
    if (reports != reportsSeen) {
      reportsSeen = reports;
      daemon.host.searches().forgetAll();
    }
    ServiceErrorLog.shorten(home.serviceErrors());
    boolean working = daemon.idle.consider(daemon.watches, daemon.loop.isPaused());
    if (worked && !working) {
      timesWorked++;
    }
    worked = working;
    releaseModels();
    if (working) {
      daemon.loop.lookNext(); // a change is to interrupt it within a second
    }
    return (working ? CHORES_WHILE_WORKING : CHORES).toNanos();
  }

  /** Once nothing was done for long enough, everything goes that only makes the next work fast. */
  private void releaseModels() {
    KbHost host = daemon.host;
    DaemonMetrics metrics = host.metrics();
    boolean released = host.releaseUnused();
    long activity =
        metrics.readings.sum() + metrics.searches.sum() + metrics.modelNanos.sum() + timesWorked;
    if (activity != activitySeen || daemon.idle.isRunning()) {
      activitySeen = activity;
      activeAt = host.clock().nanos();
      rested = false;
    }
    Optional<Duration> idle = host.settings().daemon().embedderIdle();
    boolean rests =
        !rested && idle.isPresent() && host.clock().nanos() - activeAt >= idle.get().toNanos();
    if (rests && !host.embedder().isLoaded()) {
      rested = true;
      released = true;
      forget();
    }
    if (released) {
      NativeMemory.giveBack();
      LOG.debug("memory was given back");
    }
  }

  private void forget() {
    daemon.host.searches().forgetAll();
    daemon.watches.forEach(watch -> watch.update().forget());
  }
}
