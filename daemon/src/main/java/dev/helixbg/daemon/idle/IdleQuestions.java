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
 * Asks the language model what a report has left open, as {@code one-shot} would: the same
 * questions in the same order, each answer kept in the same file. A run ends with the time that the
 * settings give it, and the next goes on.
 */
public final class IdleQuestions {
  private static final Logger LOG = LoggerFactory.getLogger(IdleQuestions.class);

  private final Settings settings;
  private final LanguageModelHost host;
  private final DaemonClock clock;
  private final EmbedderSource embedder;

  /**
   * How far a run is.
   *
   * @param job of which questions are being asked; empty before the first and between two
   * @param done questions of this job that were answered in this run
   * @param left questions of this job that are still to be asked
   * @param answered questions of all jobs that were answered in this run
   */
  public record RunProgress(Optional<QuestionKind> job, int done, int left, int answered) {
    static final RunProgress START = new RunProgress(Optional.empty(), 0, 0, 0);
  }

  private volatile RunProgress stand = RunProgress.START;

  /**
   * @param embedder with which lessons are compared
   */
  public IdleQuestions(
      Settings settings, LanguageModelHost host, DaemonClock clock, EmbedderSource embedder) {
    this.settings = settings;
    this.host = host;
    this.clock = clock;
    this.embedder = embedder;
  }

  /** Progress of the current run, else of the last one. */
  RunProgress stand() {
    return stand;
  }

  /** Whether the settings let the model be asked, and there is one. */
  boolean canAsk() {
    return settings.llm().seconds() > 0 && host.exists();
  }

  /**
   * Asks until everything is answered or the time is over.
   *
   * @param store of the KB
   * @param of what its report was made from
   * @return how many questions were answered
   * @throws InterruptedException when cancelled; the answers until then are saved
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

  /** Measures once, before the first question, how far to trust a model. */
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

  /** Says how far the run is. */
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
