package dev.helixbg.daemon;

import dev.helixbg.config.DaemonSettings;
import dev.helixbg.config.Settings;
import dev.helixbg.insight.review.Oracle;
import dev.helixbg.insight.review.RememberingOracle;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.SessionReview;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done when nothing else is: the reviews that are due, with the language model where there
 * is one, on a thread of low priority. Whatever changes interrupts it; it then goes on another
 * time, with the answers that it has.
 *
 * <p>{@link #consider} is called by the loop's thread.
 */
final class IdleWork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdleWork.class);

  /** Asking a Mac for its battery starts a process. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

  /** What tells whether the machine has nothing better to do; a seam for tests. */
  interface Machine {
    boolean onBattery();

    /** Runnable threads per core. */
    double load();

    Machine THIS =
        new Machine() {
          @Override
          public boolean onBattery() {
            return Power.onBattery();
          }

          @Override
          public double load() {
            return Power.load();
          }
        };
  }

  /** What was done for a KB, so that the history need not be read at each step. */
  private static final class Known {
    private final Map<Review.Kind, Optional<Review>> last = new EnumMap<>(Review.Kind.class);

    /** The log for which it is known that no session is worth a synthesis. */
    private volatile String noSession = "";
  }

  /** A run, from the moment it is wanted. */
  private record Run(KbWatch watch, Review.Kind kind, long since) {}

  private final Settings settings;
  private final TextModelHost model;
  private final Reviews reviews;
  private final DaemonClock clock;
  private final Troubles troubles;
  private final Machine machine;
  private final RememberingOracle.Memory memory = new RememberingOracle.Memory();
  private final Map<Kb, Known> known = new ConcurrentHashMap<>();

  private Thread thread;
  private Run run;
  private volatile boolean stop;
  private volatile boolean finished;
  private boolean refused;
  private long refusedAt;

  IdleWork(
      Settings settings,
      TextModelHost model,
      Reviews reviews,
      DaemonClock clock,
      Troubles troubles,
      Machine machine) {
    this.settings = settings;
    this.model = model;
    this.reviews = reviews;
    this.clock = clock;
    this.troubles = troubles;
    this.machine = machine;
  }

  /**
   * Starts what is due, or interrupts what is running when its KB changed.
   *
   * @return whether something is running
   */
  boolean consider(List<KbWatch> watches, boolean paused) {
    collect();
    if (thread != null) {
      boolean changed =
          watches.stream()
              .anyMatch(
                  watch -> watch.upToDateWith().isEmpty() || watch.restsSince() - run.since() > 0);
      if (paused || changed) {
        stop = true;
      }
      return true;
    }
    if (paused || watches.stream().anyMatch(watch -> watch.upToDateWith().isEmpty())) {
      return false;
    }
    for (KbWatch watch : watches) {
      for (Review.Kind kind : Review.Kind.values()) {
        if (isDue(watch, kind) && mayRun()) {
          start(watch, kind);
          return true;
        }
      }
    }
    return false;
  }

  boolean isRunning() {
    return thread != null;
  }

  private boolean isDue(KbWatch watch, Review.Kind kind) {
    DaemonSettings daemon = settings.daemon();
    Known of = known.computeIfAbsent(watch.kb(), kb -> new Known());
    long rests = clock.nanos() - watch.restsSince();
    if (rests < daemon.modelQuiet().toNanos()) {
      return false;
    }
    Optional<Review> last = of.last.computeIfAbsent(kind, k -> lastOrNone(watch.kb(), k));
    boolean changed = last.filter(r -> r.logSha256().equals(watch.upToDateWith())).isEmpty();
    return changed
        && switch (kind) {
          case SESSION ->
              rests >= daemon.sessionGap().toNanos() && !of.noSession.equals(watch.upToDateWith());
          case DRIFT -> isOver(last, daemon.drift());
          case STALE -> isOver(last, daemon.stale());
        };
  }

  private static Optional<Review> lastOrNone(Kb kb, Review.Kind kind) {
    try {
      return Reviews.last(kb, kind);
    } catch (Failure e) {
      LOG.warn("{}", e.getMessage());
      return Optional.empty();
    }
  }

  /** Also when the clock was set back behind the last review. */
  private boolean isOver(Optional<Review> last, Duration period) {
    Instant now = clock.now();
    return last.isEmpty()
        || now.isBefore(last.get().at())
        || Duration.between(last.get().at(), now).compareTo(period) >= 0;
  }

  /** Without a model a review costs next to nothing, and may run at any time. */
  private boolean mayRun() {
    if (!model.exists()) {
      return true;
    }
    if (refused && clock.nanos() - refusedAt < ASK_AGAIN.toNanos()) {
      return false;
    }
    boolean may =
        (settings.daemon().modelOnBattery() || !machine.onBattery())
            && machine.load() <= settings.daemon().modelMaxLoad();
    refused = !may;
    refusedAt = clock.nanos();
    return may;
  }

  private void start(KbWatch watch, Review.Kind kind) {
    stop = false;
    finished = false;
    run = new Run(watch, kind, clock.nanos());
    Run mine = run;
    thread = Thread.ofPlatform().daemon().name("model").unstarted(() -> work(mine));
    thread.setPriority(Thread.MIN_PRIORITY);
    thread.start();
  }

  private void work(Run mine) {
    String about = mine.watch().kb().folder() + ", " + mine.kind();
    BooleanSupplier cancelled = () -> stop || model.isWanted();
    try {
      if (mine.kind() == Review.Kind.SESSION && !isSession(mine)) {
        return;
      }
      Review review =
          model.use(
              text -> {
                Optional<Oracle> oracle =
                    text.map(open -> new RememberingOracle(model.oracle(open), memory));
                Reviews.Wanted wanted = new Reviews.Wanted(mine.kind(), Optional.empty());
                return reviews.run(mine.watch().kb(), wanted, oracle, clock.now(), cancelled);
              });
      LOG.info("{}: {}", about, review.summary());
      troubles.over(about);
    } catch (CancellationException e) {
      LOG.debug("{}: interrupted, to be continued", about);
    } catch (InterruptedException e) {
      LOG.debug("{}: stopped", about);
    } catch (RuntimeException e) {
      if (Faults.isExpected(e)) {
        troubles.met(about, e.getMessage());
      } else {
        troubles.met(about, e);
      }
      sleep(); // lest it is tried again at once
    } finally {
      finished = true;
    }
  }

  private void sleep() {
    try {
      for (int i = 0; i < 600 && !stop; i++) {
        Thread.sleep(500);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isSession(Run mine) {
    Optional<Review> last = Reviews.last(mine.watch().kb(), Review.Kind.SESSION);
    int fresh = SessionReview.fresh(reviews.load(mine.watch().kb()).keys(), last).size();
    if (fresh < settings.daemon().sessionEntries()) {
      known.get(mine.watch().kb()).noSession = mine.watch().upToDateWith();
      return false;
    }
    return true;
  }

  private void collect() {
    if (thread != null && finished) {
      known.get(run.watch().kb()).last.remove(run.kind());
      thread = null;
      run = null;
    }
  }

  /** Stops what is running, which takes a pass over the model at most. */
  @Override
  public void close() {
    stop = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }
}
