package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.Judge;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeRun;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.label.LabelClassifier;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.tokenizer.TokenizerException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Puts a KB's entries and findings before the language model, if there is one.
 *
 * @param warnings is told, in a sentence, what went not as it should
 */
public record JudgingStage(Settings settings, Progress.Display display, Consumer<String> warnings) {
  /** Shows what is remembered, and asks nothing: for whoever must not take long. */
  public static JudgingStage withoutAsking(Settings settings) {
    return new JudgingStage(
        settings.with(settings.llm().withoutAsking(Files::isRegularFile)),
        Progress.Display.SILENT,
        warning -> {});
  }

  /** Whether questions are put to the model, where there is one. */
  boolean mayAsk() {
    return settings.llm().seconds() > 0 && LanguageModelFile.locate(settings).isPresent();
  }

  /**
   * What could be found out; without a model, labels come from the classifier.
   *
   * @param vectors of the entries, in their order
   * @throws InterruptedException when interrupted; all answers until then are saved
   */
  Judgements run(AnswerStore answers, Findings findings, List<float[]> vectors)
      throws InterruptedException {
    Judgements judgements = ask(answers, findings, vectors);
    boolean unlabelled =
        findings.entries().stream()
            .anyMatch(entry -> !judgements.guesses().containsKey(entry.key()));
    return unlabelled
        ? judgements.orElse(LabelClassifier.guesses(findings.entries(), vectors))
        : judgements;
  }

  private Judgements ask(AnswerStore answers, Findings findings, List<float[]> vectors)
      throws InterruptedException {
    Optional<LanguageModelFile> model = LanguageModelFile.locate(settings);
    if (model.isEmpty() || findings.entries().isEmpty()) {
      return Judgements.NONE;
    }
    LanguageModelFile chosen = model.get();
    LanguageModelFile.skipped(settings)
        .forEach(reason -> warnings.accept("not taken as the language model: " + reason));
    try (QuestionSession asking = asking(answers, chosen)) {
      return new JudgeRun(asking, chosen.name(), findings, vectors)
          .run()
          .trusted(new JudgeTrialRun(settings, chosen).known());
    } catch (GgufException | TokenizerException e) {
      if (chosen.named()) {
        throw e;
      }
      warnings.accept(
          "the language model was left out: " + e.getMessage() + ". --model FILE names another");
      return Judgements.NONE;
    }
  }

  /** How far the model can be trusted, if there is one and it was measured. */
  public Optional<JudgeTrust> trust() {
    return LanguageModelFile.locate(settings)
        .flatMap(model -> new JudgeTrialRun(settings, model).known());
  }

  /** What the model has to do with a report, for {@link Pipeline#basis}. */
  String basis() {
    return LanguageModelFile.locate(settings)
        .map(
            model ->
                model.name()
                    + " "
                    + model.hash(settings)
                    + new JudgeTrialRun(settings, model).known().map(JudgeTrust::words).orElse(""))
        .orElse("");
  }

  /** Asks the model, opened for the first question whose answer is not known yet. */
  public QuestionSession asking(AnswerStore answers, LanguageModelFile model) {
    String hash = model.hash(settings);
    return new QuestionSession(
        answers,
        hash,
        () -> model.openWithHash(settings, hash),
        Duration.ofSeconds(settings.llm().seconds()),
        System::nanoTime,
        new JudgeProgressBar(display),
        () -> Thread.currentThread().isInterrupted());
  }

  /** Asks a model that is open already; answers are kept as they come. */
  public static QuestionSession asking(
      AnswerStore answers,
      Settings settings,
      TextModel model,
      LongSupplier nanoTime,
      JudgeProgress progress,
      BooleanSupplier cancelled) {
    return new QuestionSession(
        answers,
        LanguageModelFile.require(settings).hash(settings),
        () -> Judge.with(model),
        Duration.ofSeconds(settings.llm().seconds()),
        nanoTime,
        progress,
        cancelled);
  }
}
