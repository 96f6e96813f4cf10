package dev.helixbg.daemon.idle;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.idle.IdleWork.IdleJob;
import dev.helixbg.daemon.idle.IdleWork.Machine;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.watch.KbWatch;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Decides which idle work is due for which KB, and whether the machine is free for it. {@link
 * IdleWork} runs the work.
 */
final class IdleSchedule {
  /** Time between checks of battery and load, since a check on a Mac starts a process. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

  private static final Duration FIRST_RETRY = Duration.ofMinutes(5);
  private static final Duration LONGEST_RETRY = Duration.ofHours(4);

  /** The state of one KB, kept between steps. */
  private static final class KbState {
    /** Jobs whose last run failed. */
    private final Map<IdleJob, Failed> failed = new EnumMap<>(IdleJob.class);

    /**
     * Hash of the log for which a run found no questions, even if the report has open questions.
     */
    private volatile String noQuestions = "";
  }

  /**
   * @param changes value of {@link KbWatch#changes} at the failure; a later change may solve the
   *     problem
   * @param pause time from the failure to the next try, in nanoseconds
   */
  private record Failed(int changes, long at, long pause) {}

  private final Settings settings;
  private final LanguageModelHost model;
  private final IdleQuestions questions;
  private final DaemonClock clock;
  private final Machine machine;
  private final Map<Kb, KbState> known = new ConcurrentHashMap<>();

  /** Whether others needed the machine at the last check. */
  private boolean wanted;

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
    this.machineAskedAt = clock.nanos() - ASK_AGAIN.toNanos();
  }

  private KbState known(KbWatch watch) {
    return known.computeIfAbsent(watch.kb(), kb -> new KbState());
  }

  /** Whether a job is due for a KB, if the machine is free. */
  boolean isDue(KbWatch watch, IdleJob work) {
    KbState of = known(watch);
    Failed broken = of.failed.get(work);
    if (broken != null
        && broken.changes() == watch.changes()
        && clock.nanos() - broken.at() < broken.pause()) {
      return false;
    }
    if (work == IdleJob.PASSAGES) {
      return watch.update().passagesLeft() > 0;
    }
    if (work == IdleJob.PAIRS) {
      return watch.update().passagesLeft() == 0 && watch.update().pairsLeft() > 0;
    }
    long rests = clock.nanos() - watch.restsSince();
    if (rests < settings.daemon().modelQuiet().toNanos()) {
      return false;
    }
    return watch.update().questions() > 0
        && !of.noQuestions.equals(watch.upToDateWith())
        && questions.canAsk();
  }

  /** Whether a job may start. A job that completes the report never waits. */
  boolean mayRun(IdleJob work) {
    return work.isOfTheReport()
        || (!model.isForPeople(settings.daemon().modelQuiet()) && !isMachineWanted(0));
  }

  /**
   * Whether others need the machine during a run. The run's own threads are subtracted from the
   * load.
   */
  boolean isMachineWanted(IdleJob running) {
    double own =
        (double) settings.daemon().modelThreads() / Runtime.getRuntime().availableProcessors();
    return !running.isOfTheReport() && isMachineWanted(own);
  }

  /**
   * @param own the load of the run's own threads, which is subtracted
   */
  private boolean isMachineWanted(double own) {
    if (clock.nanos() - machineAskedAt >= ASK_AGAIN.toNanos()) {
      machineAskedAt = clock.nanos();
      wanted =
          (!settings.daemon().modelOnBattery() && machine.onBattery().getAsBoolean())
              || machine.load().getAsDouble() - own > settings.daemon().modelMaxLoad();
    }
    return wanted;
  }

  /** Records that a run for a log had no questions, even if the report has open questions. */
  void nothingToAsk(Kb kb, String log) {
    known.get(kb).noQuestions = log;
  }

  /**
   * Records the end of a job. A failed job waits, twice as long each time, or until its KB changes.
   */
  void ended(KbWatch watch, IdleJob work, boolean failed) {
    KbState of = known.get(watch.kb());
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
