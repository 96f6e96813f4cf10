package dev.helixbg.daemon.server;

import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.NativeMemory;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.search.SearchService;
import dev.helixbg.daemon.service.ServiceErrorLog;
import dev.helixbg.daemon.watch.DaemonLoop;
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

  private final DaemonHome home;
  private final DaemonClock clock;
  private final DaemonMetrics metrics;
  private final TroubleLog troubles;
  private final DaemonLoop loop;
  private final SearchService searches;
  private long reportsSeen;

  /** Times that idle work has ended, which may leave much memory to give back. */
  private long timesWorked;

  private boolean worked;

  private long activitySeen = -1;
  private long activeAt;
  private boolean rested;

  DaemonChores(
      DaemonHome home,
      DaemonClock clock,
      DaemonMetrics metrics,
      TroubleLog troubles,
      DaemonLoop loop,
      SearchService searches) {
    this.home = home;
    this.clock = clock;
    this.metrics = metrics;
    this.troubles = troubles;
    this.loop = loop;
    this.searches = searches;
  }

  /**
   * Does what is due. Whatever goes wrong is a trouble; then it is done another time.
   *
   * @return nanoseconds after which to ask again
   */
  long run(Daemon.Parts parts) throws InterruptedException {
    try {
      long wait = doAll(parts);
      troubles.over(CHORE);
      return wait;
    } catch (InterruptedException e) {
      throw e;
    } catch (Throwable e) {
      troubles.met(CHORE, e);
      if (e instanceof Error) { // it may be what there is no memory for
        searches.forgetAll();
        parts.watches().forEach(watch -> watch.update().forget());
      }
      return CHORES.toNanos();
    }
  }

  private long doAll(Daemon.Parts parts) throws InterruptedException {
    long reports = metrics.reports.sum();
    if (reports != reportsSeen) {
      reportsSeen = reports;
      searches.forgetAll();
    }
    ServiceErrorLog.shorten(home.serviceErrors());
    boolean working = parts.idle().consider(parts.watches(), loop.isPaused());
    if (worked && !working) {
      timesWorked++;
    }
    worked = working;
    releaseModels(parts);
    if (working) {
      loop.lookNext(); // a change is to interrupt it within a second
    }
    return (working ? CHORES_WHILE_WORKING : CHORES).toNanos();
  }

  /** Once nothing was done for long enough, everything goes that only makes the next work fast. */
  private void releaseModels(Daemon.Parts parts) {
    Optional<Duration> idle = parts.settings().daemon().embedderIdle();
    boolean released = parts.embedder().releaseAfter(idle);
    released |= parts.pairs().filter(pairs -> pairs.releaseAfter(idle)).isPresent();
    released |= parts.model().releaseAfter(parts.settings().daemon().modelIdle());
    long activity =
        metrics.readings.sum() + metrics.searches.sum() + metrics.modelNanos.sum() + timesWorked;
    if (activity != activitySeen || parts.idle().isRunning()) {
      activitySeen = activity;
      activeAt = clock.nanos();
      rested = false;
    }
    boolean rests = !rested && idle.isPresent() && clock.nanos() - activeAt >= idle.get().toNanos();
    if (rests && !parts.embedder().isLoaded()) {
      rested = true;
      released = true;
      searches.forgetAll();
      parts.watches().forEach(watch -> watch.update().forget());
    }
    if (released) {
      NativeMemory.giveBack();
      LOG.debug("memory was given back");
    }
  }
}
