package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.LanguageModel;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.AnswerFile;
import dev.helixbg.insight.judge.Asking;
import dev.helixbg.insight.judge.JudgeRun;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.label.LabelClassifier;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.tokenizer.TokenizerException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Puts a KB's entries and findings before the language model, if there is one. */
public final class Judging {
  private final Settings settings;
  private final Progress.Display display;
  private final Consumer<String> warnings;

  /**
   * @param warnings is told, in a sentence, what went not as it should
   */
  public Judging(Settings settings, Progress.Display display, Consumer<String> warnings) {
    this.settings = settings;
    this.display = display;
    this.warnings = warnings;
  }

  /** Shows what is remembered, and asks nothing: for whoever must not take long. */
  public static Judging withoutAsking(Settings settings) {
    return new Judging(
        settings.with(settings.llm().withoutAsking(Files::isRegularFile)),
        (what, total) -> Progress.SILENT,
        warning -> {});
  }

  /**
   * What could be found out.
   *
   * @param model without one, labels come from the classifier
   * @param asked questions that were put to the model, not remembered
   */
  record Outcome(Judgements judgements, Optional<LanguageModel> model, int asked) {}

  /**
   * @param vectors of the entries, in their order
   * @param save whether answers may be saved in the KB
   * @throws InterruptedException when interrupted; all answers until then are saved
   */
  Outcome run(Kb kb, Findings findings, List<float[]> vectors, boolean save)
      throws InterruptedException {
    Outcome asked = ask(kb, findings, vectors, save);
    Judgements judgements = asked.judgements();
    boolean unlabelled =
        findings.entries().stream()
            .anyMatch(entry -> !judgements.guesses().containsKey(entry.key()));
    return unlabelled
        ? new Outcome(
            judgements.orElse(LabelClassifier.guesses(findings.entries(), vectors)),
            asked.model(),
            asked.asked())
        : asked;
  }

  private Outcome ask(Kb kb, Findings findings, List<float[]> vectors, boolean save)
      throws InterruptedException {
    Optional<LanguageModel> model = LanguageModel.locate(settings);
    if (model.isEmpty() || findings.entries().isEmpty()) {
      return new Outcome(Judgements.NONE, model, 0);
    }
    LanguageModel chosen = model.get();
    try (Asking asking = asking(answers(kb, save), chosen)) {
      Judgements judgements = new JudgeRun(asking, chosen.name(), findings, vectors).run();
      return new Outcome(
          judgements.trusted(new Trial(settings, chosen).known()), model, asking.asked());
    } catch (GgufException | TokenizerException e) {
      if (chosen.named()) {
        throw e;
      }
      warnings.accept(
          "the language model was left out: " + e.getMessage() + ". --model FILE names another");
      return new Outcome(Judgements.NONE, Optional.empty(), 0);
    } catch (IOException e) {
      throw cannotSave(kb, e);
    }
  }

  /** What the model has to do with a report, for {@link Pipeline#basis}. */
  String basis() {
    return LanguageModel.locate(settings)
        .map(
            model ->
                model.name()
                    + " "
                    + model.hash(settings)
                    + new Trial(settings, model).known().map(JudgeTrust::words).orElse(""))
        .orElse("");
  }

  /** Asks the model, opened for the first question whose answer is not known yet. */
  public Asking asking(AnswerFile answers, LanguageModel model) {
    return new Asking(
        answers,
        model.hash(settings),
        settings.llm().entryTokens(),
        () -> model.open(settings),
        Duration.ofSeconds(settings.llm().seconds()),
        System::nanoTime,
        new ShownProgress(display),
        () -> Thread.currentThread().isInterrupted());
  }

  /**
   * @param save whether answers may be saved in the KB
   */
  public static AnswerFile answers(Kb kb, boolean save) {
    return save
        ? new AnswerFile(kb.answers(), KbIdentity.of(kb)::check)
        : new AnswerFile(kb.answers(), false);
  }

  /** Says that the answers of a KB cannot be read or written. */
  public static Failure cannotSave(Kb kb, IOException e) {
    return new Failure(
        ExitCode.WRITE,
        "cannot read or write the answers in %s: %s. Mend that and run again"
            .formatted(kb.insights(), Reasons.of(e)));
  }
}
