package dev.helixbg.daemon.idle;

import dev.helixbg.config.Settings;
import dev.helixbg.config.Settings.DaemonSettings;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.idle.IdleWork.Machine;
import dev.helixbg.daemon.idle.IdleWork.Work;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.run.Reviews;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.insight.review.Review;
import dev.helixbg.insight.review.SessionReview;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What idle work is due for which KB, by what was done and what failed before, and whether the
 * machine may have it. {@link IdleWork} does it.
 */
final class IdleSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(IdleSchedule.class);

  /** Asking a Mac for its battery starts a process. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

  private static final Duration FIRST_RETRY = Duration.ofMinutes(5);
  private static final Duration LONGEST_RETRY = Duration.ofHours(4);

  /** What was done for a KB, so that the history need not be read at each step. */
  private static final class Known {
    private final Map<Review.Kind, Optional<Review>> last = new EnumMap<>(Review.Kind.class);

    /** The log for which it is known that no session is worth a synthesis. */
    private volatile String noSession = "";

    /** What failed the last time. */
    private final Map<Work, Failed> failed = new EnumMap<>(Work.class);

    /** The log for which a run found nothing to ask, whatever the report says. */
    private volatile String noQuestions = "";
  }

  /**
   * @param changes of the KB, by {@link KbWatch#changes}: another number, and it may be mended
   * @param pause nanoseconds from the failure to the next try
   */
  private record Failed(int changes, long at, long pause) {}

  private final Settings settings;
  private final LanguageModelHost model;
  private final IdleQuestions questions;
  private final DaemonClock clock;
  private final Machine machine;
  private final Map<Kb, Known> known = new ConcurrentHashMap<>();

  private boolean refused;
  private long machineAskedAt;

  IdleSchedule(
      Settings settings,
      LanguageModelHost model,
      IdleQuestions questions,
      DaemonClock clock,
      Machine machine) {
    this.settings = settings;
    this.model = model;
    this.questions = questions;
    this.clock = clock;
    this.machine = machine;
  }

  private Known known(KbWatch watch) {
    return known.computeIfAbsent(watch.kb(), kb -> new Known());
  }

  /** Whether a KB wants it now, if the machine is free for it. */
  boolean isDue(KbWatch watch, Work work) {
    Known of = known(watch);
    Failed broken = of.failed.get(work);
    if (broken != null
        && broken.changes() == watch.changes()
        && clock.nanos() - broken.at() < broken.pause()) {
      return false;
    }
    if (work == Work.PASSAGES) {
      return watch.update().passagesLeft() > 0;
    }
    if (work == Work.PAIRS) {
      return watch.update().passagesLeft() == 0 && watch.update().pairsLeft() > 0;
    }
    long rests = clock.nanos() - watch.restsSince();
    if (rests < settings.daemon().modelQuiet().toNanos()) {
      return false;
    }
    return work.review.isPresent()
        ? isDue(watch, of, work.review.get(), rests)
        : watch.update().questions() > 0
            && !of.noQuestions.equals(watch.upToDateWith())
            && questions.canAsk();
  }

  private boolean isDue(KbWatch watch, Known of, Review.Kind kind, long rests) {
    DaemonSettings daemon = settings.daemon();
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

  /**
   * Whether the machine has nothing better to do. A review compares all pairs even where there is
   * no model to judge them; what the report is no whole one without waits for nobody.
   */
  boolean mayRun(Work work) {
    if (work.isOfTheReport()) {
      return true;
    }
    if (model.isForPeople(settings.daemon().modelQuiet())
        || (refused && clock.nanos() - machineAskedAt < ASK_AGAIN.toNanos())) {
      return false;
    }
    machineAskedAt = clock.nanos();
    refused =
        isOnForbiddenBattery() || machine.load().getAsDouble() > settings.daemon().modelMaxLoad();
    return !refused;
  }

  private boolean isOnForbiddenBattery() {
    return !settings.daemon().modelOnBattery() && machine.onBattery().getAsBoolean();
  }

  /**
   * Whether, during a run, others need the machine: its own threads are part of the load. Passages
   * and pairs belong to the report, and wait for nobody: the last in the queue of a processor is
   * enough.
   */
  boolean isMachineWanted(Work running) {
    if (running.isOfTheReport()) {
      return false;
    }
    if (clock.nanos() - machineAskedAt < ASK_AGAIN.toNanos()) {
      return false;
    }
    machineAskedAt = clock.nanos();
    int threads =
        running.review.isPresent() ? settings.threads() : settings.daemon().modelThreads();
    double own = (double) threads / Runtime.getRuntime().availableProcessors();
    return isOnForbiddenBattery()
        || machine.load().getAsDouble() - own > settings.daemon().modelMaxLoad();
  }

  /**
   * Whether there is enough that is new for a synthesis; if not, that is known of this log.
   *
   * @param keys of the entries
   */
  boolean isSession(KbWatch watch, List<String> keys) {
    Optional<Review> last = Reviews.last(watch.kb(), Review.Kind.SESSION);
    int fresh = SessionReview.fresh(keys, last).size();
    if (fresh < settings.daemon().sessionEntries()) {
      known.get(watch.kb()).noSession = watch.upToDateWith();
      return false;
    }
    return true;
  }

  /** After a run over a log had nothing to ask, whatever the report says. */
  void nothingToAsk(Kb kb, String log) {
    known.get(kb).noQuestions = log;
  }

  /** What failed waits, twice as long each time; until its KB changes, at most. */
  void ended(KbWatch watch, Work work, boolean failed) {
    Known of = known.get(watch.kb());
    work.review.ifPresent(of.last::remove);
    if (!failed) {
      of.failed.remove(work);
      return;
    }
    Failed before = of.failed.get(work);
    long pause = before == null ? FIRST_RETRY.toNanos() : 2 * before.pause();
    of.failed.put(
        work, new Failed(watch.changes(), clock.nanos(), Math.min(pause, LONGEST_RETRY.toNanos())));
  }
}
