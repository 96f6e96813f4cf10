package dev.helixbg.daemon.idle;

import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.OperatingSystem;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.watch.KbWatch;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.llm.GpuRetry;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The low-priority thread that asks the language model the open questions while the daemon has no
 * other work and no other program needs the machine. Any change interrupts the work. The work later
 * continues from the stored answers.
 *
 * <p>The thread of the daemon's main loop calls {@link #consider}; any thread may call {@link
 * #current}.
 */
public final class IdleWork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdleWork.class);

  /** Time between checks of load and battery, each of which starts a process on a Mac. */
  private static final Duration ASK_AGAIN = Duration.ofSeconds(10);

  /** Time after which a failed job is tried again, unless its KB changes before. */
  private static final Duration RETRY = Duration.ofMinutes(30);

  /** Name under which problems with the language model are logged; all KBs share the model. */
  private static final String MODEL = "the language model";

  /** The machine's battery state, and its load per core; tests replace both. */
  public record Machine(BooleanSupplier onBattery, DoubleSupplier load) {
    public static final Machine THIS =
        new Machine(OperatingSystem::onBattery, OperatingSystem::load);
  }

  /**
   * The condition under which a job starts again.
   *
   * @param changes {@link KbWatch#changes} at the end of the job; a new value starts the job again
   * @param until time of the next try, in nanoseconds of the clock; empty if only a change restarts
   *     the job
   */
  private record Waiting(int changes, OptionalLong until) {}

  /** The current work, and how far it has come with its present kind of questions. */
  public record Current(
      Kb kb, Instant since, Optional<QuestionKind> job, int done, int left, int answered) {}

  private final Settings settings;
  private final EmbedderSource embedder;
  private final DaemonClock clock;
  private final TroubleLog troubles;
  private final DaemonMetrics metrics;
  private final Machine machine;
  private final GpuRetry gpu;
  private final Map<Kb, Waiting> waiting = new HashMap<>();

  /** The present job, or a job whose end was not handled yet; null if there is none. */
  private volatile Run run;

  /** Result of the last check of load and battery by {@link #isMachineWanted}. */
  private boolean wanted;

  private long machineAskedAt;

  public IdleWork(
      Settings settings,
      EmbedderSource embedder,
      DaemonClock clock,
      TroubleLog troubles,
      DaemonMetrics metrics,
      Machine machine) {
    this.settings = settings;
    this.embedder = embedder;
    this.clock = clock;
    this.troubles = troubles;
    this.metrics = metrics;
    this.machine = machine;
    this.gpu = new GpuRetry(failure -> troubles.met(MODEL, failure));
    this.machineAskedAt = clock.nanos() - ASK_AGAIN.toNanos();
  }

  /**
   * Starts a due job, or stops the running job if a KB changed or other programs need the machine.
   * Returns whether the KBs must be checked again soon.
   */
  public boolean consider(List<KbWatch> all) {
    // A KB that cannot be updated must not stop the work on the others.
    List<KbWatch> watches =
        all.stream().filter(watch -> !watch.isGone() && watch.trouble().isEmpty()).toList();
    if (run != null) {
      if (run.now == null) {
        end();
      } else if (!watches.contains(run.watch)
          || isChanged(watches)
          || isMachineWanted(settings.daemon().modelThreads())) {
        run.stopped = true;
      }
      return true;
    }
    if (watches.stream().anyMatch(watch -> watch.upToDateWith().isEmpty())) {
      return false;
    }
    for (KbWatch watch : watches) {
      if (isDue(watch) && !isMachineWanted(0)) {
        if (watch.update().outcome().isEmpty()) {
          watch.update().runAgain();
        } else {
          Run next = new Run(watch);
          next.thread.start(); // may fail for lack of memory; then there is no job
          run = next;
        }
        return true;
      }
    }
    return false;
  }

  private boolean isChanged(List<KbWatch> watches) {
    return watches.stream()
        .anyMatch(watch -> watch.upToDateWith().isEmpty() || watch.restsSince() - run.since > 0);
  }

  private boolean isDue(KbWatch watch) {
    Waiting waits = waiting.get(watch.kb());
    if (waits != null
        && waits.changes() == watch.changes()
        && (waits.until().isEmpty() || clock.nanos() - waits.until().getAsLong() < 0)) {
      return false;
    }
    return watch.update().questions() > 0
        && clock.nanos() - watch.restsSince() >= settings.daemon().modelQuiet().toNanos()
        && mayAsk();
  }

  private boolean mayAsk() {
    try {
      return settings.llm().seconds() > 0 && LanguageModelFile.locate(settings).isPresent();
    } catch (Failure e) {
      return false;
    }
  }

  /**
   * Whether other programs need the machine. Also true on battery, unless the settings permit work
   * on battery.
   *
   * @param ownThreads number of the job's own threads, whose load does not count
   */
  private boolean isMachineWanted(int ownThreads) {
    if (clock.nanos() - machineAskedAt >= ASK_AGAIN.toNanos()) {
      machineAskedAt = clock.nanos();
      double own = (double) ownThreads / Runtime.getRuntime().availableProcessors();
      wanted =
          (!settings.daemon().modelOnBattery() && machine.onBattery().getAsBoolean())
              || machine.load().getAsDouble() - own > settings.daemon().modelMaxLoad();
    }
    return wanted;
  }

  /** Whether a job is running, or has ended but was not handled yet. */
  public boolean isRunning() {
    return run != null;
  }

  /** Returns the current work; empty as soon as the job has ended. */
  public Optional<Current> current() {
    return Optional.ofNullable(run).map(one -> one.now);
  }

  /**
   * Handles the end of a job. A failed job runs again after a change of its KB, or after {@link
   * #RETRY}.
   */
  private void end() {
    Kb kb = run.watch.kb();
    if (run.failed || run.foundNothing) {
      OptionalLong until =
          run.foundNothing
              ? OptionalLong.empty()
              : OptionalLong.of(clock.nanos() + RETRY.toNanos());
      waiting.put(kb, new Waiting(run.watch.changes(), until));
    } else {
      waiting.remove(kb);
    }
    if (run.brought) { // the next report contains the new answers
      run.watch.update().runAgain();
    }
    run = null;
  }

  /** A job on its own thread. It asks questions in the order of the command {@code one-shot}. */
  private final class Run {
    private final KbWatch watch;
    private final long since = clock.nanos();
    private final Thread thread;

    /** Progress of the job; null after the job has ended. */
    private volatile Current now;

    private volatile boolean stopped;

    private volatile boolean failed;

    /** Whether the model has answered no question in this job; open questions may remain. */
    private volatile boolean foundNothing;

    /** Whether the job has answers that the report lacks. */
    private volatile boolean brought;

    Run(KbWatch watch) {
      this.watch = watch;
      this.now = new Current(watch.kb(), clock.now(), Optional.empty(), 0, 0, 0);
      this.thread = Thread.ofPlatform().daemon().name("model").unstarted(this::work);
    }

    private void work() {
      String about = watch.kb().folder() + ", questions";
      try {
        OperatingSystem.lowerPriority();
        ask(about);
        troubles.over(about);
      } catch (CancellationException | InterruptedException e) {
        LOG.debug("{}: interrupted, to be continued", about);
      } catch (Throwable e) {
        if (stopped) {
          LOG.debug("{}: ended, to be continued: {}", about, e.toString());
        } else {
          troubles.met(about, e);
          failed = true;
        }
      } finally {
        now = null;
      }
    }

    private void ask(String about) throws InterruptedException {
      Optional<Pipeline.Outcome> outcome = watch.update().outcome();
      if (outcome.isEmpty()) {
        return;
      }
      int before = watch.update().questions();
      int version = watch.store().answers().version();
      long start = System.nanoTime();
      JudgingStage.Asking asking =
          new JudgingStage.Asking(
              settings.daemon().modelThreads(),
              gpu,
              clock::nanos,
              JudgeProgress.SILENT,
              this::begin,
              () -> stopped,
              true);
      try {
        new JudgingStage(settings, asking, warning -> troubles.met(MODEL, warning))
            .ask(
                new JudgingStage.Subject(
                    watch.store(),
                    outcome.get().report().findings(),
                    outcome.get().vectors().entries().vectors().rows(),
                    embedder));
      } finally {
        metrics.modelNanos.add(System.nanoTime() - start);
        brought = watch.store().answers().version() != version;
      }
      foundNothing = now.answered() == 0;
      LOG.info("{}: {} of {} answered", about, now.answered(), before);
    }

    private Progress begin(QuestionKind job, int questions) {
      note(Optional.of(job), 0, questions, now.answered());
      return new Progress() {
        @Override
        public void step(long answered, long work) {
          int some = (int) answered;
          note(now.job(), now.done() + some, now.left() - some, now.answered() + some);
          metrics.answers.add(some);
        }

        @Override
        public void close() {
          note(Optional.empty(), 0, 0, now.answered());
        }
      };
    }

    private void note(Optional<QuestionKind> job, int done, int left, int answered) {
      now = new Current(now.kb(), now.since(), job, done, left, answered);
    }
  }

  /**
   * Stops the running job, and waits at most a second for the layer that the model is computing.
   */
  @Override
  public void close() {
    Run running = run;
    if (running != null) {
      running.stopped = true;
      running.thread.interrupt();
      try {
        running.thread.join(1_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
