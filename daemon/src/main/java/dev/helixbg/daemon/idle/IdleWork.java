package dev.helixbg.daemon.idle;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.host.LowPriority;
import dev.helixbg.daemon.host.MachineLoad;
import dev.helixbg.daemon.host.TroubleLog;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.watch.KbWatch;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of low priority that works while the daemon has nothing else to do. It embeds passages
 * and reads pairs that a first look left out, and asks the language model open questions. {@link
 * IdleSchedule} decides which work is due and whether the machine is free. Any change interrupts
 * the work, which continues later with the stored answers.
 *
 * <p>Only the loop's thread calls {@link #consider}; any thread may call {@link #current}.
 */
public final class IdleWork implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IdleWork.class);

  /**
   * Battery and load of the machine, which tests replace.
   *
   * @param load number of runnable threads per core
   */
  public record Machine(BooleanSupplier onBattery, DoubleSupplier load) {
    public static final Machine THIS = new Machine(MachineLoad::onBattery, MachineLoad::load);
  }

  /** Jobs for idle time, in order: urgent jobs first, then short ones. */
  public enum IdleJob {
    /** Embeds the passages that a first look left out. */
    PASSAGES,
    /** Reads the pairs that the pair judge has not read yet. */
    PAIRS,
    /** Asks the language model for labels, verdicts, sentences and merges. */
    QUESTIONS;

    /** Whether the report is incomplete without the job. */
    boolean isOfTheReport() {
      return this == PASSAGES || this == PAIRS;
    }

    /** Returns the name of the job in output. */
    public String title() {
      return Json.word(this);
    }
  }

  /** A run of a job. */
  private record Run(KbWatch watch, IdleJob work, long since, Instant at) {}

  /**
   * The current work.
   *
   * @param stand progress of the run, if the job asks questions
   */
  public record Current(
      Kb kb, IdleJob work, Instant since, Optional<IdleQuestions.RunProgress> stand) {}

  private final LanguageModelHost model;
  private final IdleQuestions questions;
  private final DaemonClock clock;
  private final TroubleLog troubles;
  private final IdleSchedule schedule;

  private Thread thread;
  private volatile Run run;
  private volatile boolean stop;
  private volatile boolean finished;

  /** Whether the run failed. */
  private volatile boolean failed;

  /** Whether the run has results that the report does not have yet. */
  private volatile boolean brought;

  /** Index of the KB that is checked first. */
  private int first;

  public IdleWork(
      Settings settings,
      LanguageModelHost model,
      IdleQuestions questions,
      DaemonClock clock,
      TroubleLog troubles,
      Machine machine) {
    this.model = model;
    this.questions = questions;
    this.clock = clock;
    this.troubles = troubles;
    this.schedule = new IdleSchedule(settings, model, questions, clock, machine);
  }

  /**
   * Starts the due job, or interrupts the running job if a KB changed or the machine is needed.
   *
   * @return whether a job is running or has just ended, so that the KBs must be checked soon
   */
  public boolean consider(List<KbWatch> all, boolean paused) {
    List<KbWatch> watches = all.stream().filter(watch -> !watch.isGone()).toList();
    if (thread != null) {
      if (finished) {
        end();
      } else if (paused
          || !watches.contains(run.watch())
          || isChanged(watches)
          || schedule.isMachineWanted(run.work())) {
        stop = true;
        if (run.work() != IdleJob.QUESTIONS) {
          thread.interrupt(); // embedding and reading pairs do not check for cancellation
        }
      }
      return true;
    }
    if (paused || watches.stream().anyMatch(watch -> watch.upToDateWith().isEmpty())) {
      return false;
    }
    for (int i = 0; i < watches.size(); i++) {
      KbWatch watch = watches.get((first + i) % watches.size());
      for (IdleJob work : IdleJob.values()) {
        if (schedule.isDue(watch, work) && schedule.mayRun(work)) {
          if (work == IdleJob.QUESTIONS && watch.update().outcome().isEmpty()) {
            watch.update().runAgain();
            return true;
          }
          first = (first + i + 1) % watches.size();
          start(watch, work);
          return true;
        }
      }
    }
    return false;
  }

  private boolean isChanged(List<KbWatch> watches) {
    return watches.stream()
        .anyMatch(watch -> watch.upToDateWith().isEmpty() || watch.restsSince() - run.since() > 0);
  }

  /** Whether a job is running, or has ended but was not handled yet. */
  public boolean isRunning() {
    return thread != null;
  }

  /** Returns the current work; empty as soon as the job has ended. */
  public Optional<Current> current() {
    Run now = run;
    return now == null || finished
        ? Optional.empty()
        : Optional.of(
            new Current(
                now.watch().kb(),
                now.work(),
                now.at(),
                now.work() == IdleJob.QUESTIONS
                    ? Optional.of(questions.stand())
                    : Optional.empty()));
  }

  private void start(KbWatch watch, IdleJob work) {
    stop = false;
    finished = false;
    failed = false;
    brought = work.isOfTheReport();
    run = new Run(watch, work, clock.nanos(), clock.now());
    Run mine = run;
    thread = Thread.ofPlatform().daemon().name("model").unstarted(() -> work(mine));
    try {
      thread.start();
    } catch (Throwable e) { // for example out of memory
      end();
      throw e;
    }
  }

  private void end() {
    Run ended = run;
    schedule.ended(ended.watch(), ended.work(), failed);
    if (brought) { // the report includes all results of a run at once
      ended.watch().update().runAgain();
    }
    thread = null;
    run = null;
  }

  /** Handles every error of the thread. */
  private void work(Run mine) {
    String about = mine.watch().kb().folder() + ", " + mine.work().title();
    try {
      LowPriority.take();
      switch (mine.work()) {
        case PASSAGES -> mine.watch().embedPassages();
        case PAIRS -> mine.watch().readPairs();
        case QUESTIONS -> ask(mine, about);
      }
      troubles.over(about);
    } catch (CancellationException e) {
      LOG.debug("{}: interrupted, to be continued", about);
    } catch (InterruptedException e) {
      LOG.debug("{}: stopped, to be continued", about);
    } catch (Throwable e) {
      if (stop || ErrorReporter.codeOf(e) == ExitCode.BUSY) {
        LOG.debug("{}: ended, to be continued: {}", about, e.getMessage());
      } else {
        troubles.met(about, e);
        failed = true;
      }
    } finally {
      finished = true;
    }
  }

  private boolean isCancelled() {
    return stop || model.isWanted();
  }

  private void ask(Run mine, String about) throws InterruptedException {
    KbWatch watch = mine.watch();
    String log = watch.upToDateWith();
    Optional<Pipeline.Outcome> outcome = watch.update().outcome();
    if (outcome.isEmpty()) {
      return;
    }
    int before = watch.update().questions();
    int version = watch.store().answers().version();
    int answered = 0;
    try {
      answered = questions.ask(watch.store(), outcome.get(), this::isCancelled);
    } finally {
      brought = watch.store().answers().version() != version;
    }
    if (answered == 0) {
      schedule.nothingToAsk(watch.kb(), log);
    }
    LOG.info("{}: {} of {} answered", about, answered, before);
  }

  /**
   * Stops the running job, which takes at most the time of one layer of the model, and waits for it
   * up to a second.
   */
  @Override
  public void close() {
    stop = true;
    Thread running = thread;
    if (running != null) {
      running.interrupt();
      try {
        running.join(1_000);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
