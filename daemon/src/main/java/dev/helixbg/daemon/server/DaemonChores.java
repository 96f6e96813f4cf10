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
 * Work of the daemon besides watching, at each step of its loop: starts idle work, releases unused
 * models, and keeps the error file short.
 */
final class DaemonChores {
  private static final Logger LOG = LoggerFactory.getLogger(DaemonChores.class);

  /** Subject of the daemon's own problems. */
  private static final String CHORE = "the daemon";

  /** Longest time between two calls. */
  private static final Duration CHORES = Duration.ofSeconds(30);

  private static final Duration CHORES_WHILE_WORKING = Duration.ofMillis(250);

  private final Daemon daemon;
  private final DaemonHome home;
  private long reportsSeen;

  /** Number of times that idle work has ended, which may leave much unused memory. */
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
   * Does the due work. A failure is logged as a problem, and the work is done at a later call.
   *
   * @return nanoseconds until the next call
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
      if (e instanceof Error) { // the kept data may be what exhausts the memory
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
      daemon.loop.lookNext(); // so that a change interrupts the work within a second
    }
    return (working ? CHORES_WHILE_WORKING : CHORES).toNanos();
  }

  /**
   * Releases unused models. After a long time without work, also releases data that only makes the
   * next work faster.
   */
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
