package dev.helixbg.daemon.idle;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.ModelTrial;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.judge.Judge;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.llm.TextModel;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the language model the open questions of a report, as {@code one-shot} does. The questions,
 * their order and the database of answers are the same. A run ends after the time of the settings;
 * the next run continues.
 */
public final class IdleQuestions {
  private static final Logger LOG = LoggerFactory.getLogger(IdleQuestions.class);

  private final Settings settings;
  private final LanguageModelHost host;
  private final DaemonClock clock;
  private final EmbedderSource embedder;

  /**
   * Progress of a run.
   *
   * @param job job whose questions are being asked; empty before the first job and between jobs
   * @param done number of questions of this job that were answered in this run
   * @param left number of questions of this job that are still open
   * @param answered number of questions of all jobs that were answered in this run
   */
  public record RunProgress(Optional<QuestionKind> job, int done, int left, int answered) {
    static final RunProgress START = new RunProgress(Optional.empty(), 0, 0, 0);
  }

  private volatile RunProgress stand = RunProgress.START;

  /**
   * @param embedder embedder that compares lessons
   */
  public IdleQuestions(
      Settings settings, LanguageModelHost host, DaemonClock clock, EmbedderSource embedder) {
    this.settings = settings;
    this.host = host;
    this.clock = clock;
    this.embedder = embedder;
  }

  /** Returns the progress of the current run, else of the last run. */
  RunProgress stand() {
    return stand;
  }

  /** Whether there is a model and the settings allow questions. */
  boolean canAsk() {
    return settings.llm().seconds() > 0 && host.exists();
  }

  /**
   * Asks questions until all are answered or the time is over.
   *
   * @param store store of the KB
   * @param of outcome that the KB's report was made from
   * @return number of answered questions
   * @throws InterruptedException when cancelled; answers so far are saved
   */
  int ask(KbStore store, Pipeline.Outcome of, BooleanSupplier cancelled)
      throws InterruptedException {
    stand = RunProgress.START;
    return host.useAtIdle(model -> model.isEmpty() ? 0 : ask(store, of, model.get(), cancelled));
  }

  private int ask(KbStore store, Pipeline.Outcome of, TextModel model, BooleanSupplier cancelled)
      throws InterruptedException {
    LanguageModelFile file = LanguageModelFile.require(settings);
    measure(file, () -> Judge.with(model), cancelled);
    try (QuestionSession asking =
        JudgingStage.asking(
            store.answers(), settings, model, clock::nanos, new Stand(), cancelled)) {
      JudgingStage.judge(
          asking,
          file.name(),
          of.report().findings(),
          of.vectors().vectors(),
          JudgingStage.sentences(store, embedder));
      return asking.asked();
    }
  }

  /** Measures a model once, before the first question. */
  private void measure(LanguageModelFile file, Supplier<Judge> judge, BooleanSupplier cancelled)
      throws InterruptedException {
    Duration time = Duration.ofSeconds(settings.llm().seconds());
    try {
      ModelTrial.ofJudge(settings, file)
          .run(judge, time, clock::nanos, JudgeProgress.SILENT, cancelled)
          .ifPresent(trust -> LOG.debug("{}: {}", file.name(), trust.words()));
      ModelTrial.ofReader(settings, file, embedder)
          .run(judge, time, clock::nanos, JudgeProgress.SILENT, cancelled)
          .ifPresent(trust -> LOG.debug("{}: {}", file.name(), trust.words()));
    } catch (IOException e) {
      LOG.warn("what {} is worth as a judge cannot be kept: {}", file.name(), Failure.reason(e));
    }
  }

  /** Updates the progress of the run. */
  private final class Stand implements JudgeProgress {
    @Override
    public void begin(QuestionKind job, int questions) {
      stand = new RunProgress(Optional.of(job), 0, questions, stand.answered());
    }

    @Override
    public void answered(int questions) {
      RunProgress before = stand;
      stand =
          new RunProgress(
              before.job(),
              before.done() + questions,
              before.left() - questions,
              before.answered() + questions);
      host.answered(questions);
    }

    @Override
    public void end() {
      stand = new RunProgress(Optional.empty(), 0, 0, stand.answered());
    }
  }
}
