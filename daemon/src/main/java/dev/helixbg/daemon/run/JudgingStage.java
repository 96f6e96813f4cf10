package dev.helixbg.daemon.run;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.judge.AnswerStore;
import dev.helixbg.insight.judge.Judge;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeRun;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.label.LabelClassifier;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.insight.lessons.LessonRun;
import dev.helixbg.insight.lessons.SentenceVectors;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.tokenizer.TokenizerException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Asks the language model, if there is one, about a KB's entries and findings.
 *
 * @param warnings receives a sentence for each problem
 */
public record JudgingStage(Settings settings, Progress.Display display, Consumer<String> warnings) {
  /** Returns a stage that uses stored answers only, for callers that must be quick. */
  public static JudgingStage withoutAsking(Settings settings) {
    return new JudgingStage(
        settings.with(settings.llm().withoutAsking(Files::isRegularFile)),
        Progress.Display.SILENT,
        warning -> {});
  }

  /** Whether the stage may ask a language model: there is one, and time for it. */
  boolean mayAsk() {
    return settings.llm().seconds() > 0 && LanguageModelFile.locate(settings).isPresent();
  }

  /**
   * Returns all judgements; without a model, labels come from the classifier.
   *
   * @param vectors vectors of the entries, in their order
   * @throws InterruptedException when interrupted; answers so far are saved
   */
  Judgements run(KbStore store, Findings findings, List<float[]> vectors, EmbedderSource embedder)
      throws InterruptedException {
    Judgements judgements =
        withAgents(ask(store, findings, vectors, embedder), store, findings, vectors, embedder);
    boolean unlabelled =
        findings.entries().stream()
            .anyMatch(entry -> !judgements.guesses().containsKey(entry.key()));
    return unlabelled
        ? judgements.orElse(LabelClassifier.guesses(findings.entries(), vectors))
        : judgements;
  }

  /**
   * Adds the coding agents' answers: their verdicts on pairs, and labels, summaries and lessons
   * where the language model gave none.
   */
  private static Judgements withAgents(
      Judgements judged,
      KbStore store,
      Findings findings,
      List<float[]> vectors,
      EmbedderSource embedder)
      throws InterruptedException {
    AgentAnswers said = new AgentAnswers(store.agentAnswers().all(), judged.trust());
    if (said.clients().isEmpty()) {
      return judged;
    }
    QuestionSession known = new QuestionSession(said.known(Optional.empty()));
    Optional<String> reader = said.readers(QuestionKind.LESSON);
    JudgeRun recalled = new JudgeRun(known, "", findings, vectors);
    Judgements all =
        judged.with(
            said.on(findings), recalled.labels(LabelGuess.Origin.AGENT), recalled.summaries());
    Judgements.Lessons lessons = judged.lessons();
    if (reader.isPresent() && (lessons.reader().isEmpty() || lessons.areGuesses())) {
      List<Judgements.Lesson> found =
          new LessonRun(known, findings.entries(), sentences(store, embedder)).ask();
      if (!found.isEmpty()) {
        return all.with(new Judgements.Lessons(reader, found, Optional.empty()), Map.of());
      }
    }
    return all;
  }

  private Judgements ask(
      KbStore store, Findings findings, List<float[]> vectors, EmbedderSource embedder)
      throws InterruptedException {
    Optional<LanguageModelFile> model = LanguageModelFile.locate(settings);
    if (findings.entries().isEmpty() || model.isEmpty()) {
      return Judgements.NONE;
    }
    LanguageModelFile chosen = model.get();
    LanguageModelFile.skipped(settings)
        .forEach(reason -> warnings.accept("not taken as the language model: " + reason));
    try {
      Duration time = measure(chosen);
      try (QuestionSession asking = asking(store.answers(), chosen, time)) {
        return judge(asking, chosen.name(), findings, vectors, sentences(store, embedder))
            .trusted(
                ModelTrial.ofJudge(settings, chosen).known(),
                ModelTrial.ofReader(settings, chosen, embedder).known());
      }
    } catch (GgufException | TokenizerException e) {
      if (chosen.named()) {
        throw e;
      }
      warnings.accept(
          "the language model was left out: " + e.getMessage() + ". --model FILE names another");
      return Judgements.NONE;
    }
  }

  /**
   * Returns the measured trust in the language model; empty if there is no model or no measurement.
   */
  public Optional<JudgeTrust> trust() {
    return LanguageModelFile.locate(settings)
        .flatMap(model -> ModelTrial.ofJudge(settings, model).known());
  }

  /**
   * Measures the model once, before it is asked about a KB.
   *
   * @return the remaining time for questions
   */
  private Duration measure(LanguageModelFile model) throws InterruptedException {
    Duration time = Duration.ofSeconds(settings.llm().seconds());
    ModelTrial<JudgeTrust> trial = ModelTrial.ofJudge(settings, model);
    if (time.isZero() || trial.known().isPresent()) {
      return time;
    }
    long start = System.nanoTime();
    String hash = model.hash(settings);
    try {
      trial.run(
          () -> model.openWithHash(settings, hash),
          time,
          System::nanoTime,
          JudgeProgressBar.measuring(display),
          () -> Thread.currentThread().isInterrupted());
    } catch (IOException e) {
      warnings.accept(
          "what %s is worth as a judge cannot be kept: %s"
              .formatted(model.name(), Failure.reason(e)));
    }
    Duration left = time.minusNanos(System.nanoTime() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /**
   * Asks all questions about entries and findings; the most frequent kind of question comes last.
   *
   * @param name name of the model
   * @param vectors vectors of the entries, in their order
   */
  public static Judgements judge(
      QuestionSession asking,
      String name,
      Findings findings,
      List<float[]> vectors,
      SentenceVectors sentences)
      throws InterruptedException {
    Judgements judged = new JudgeRun(asking, name, findings, vectors).run();
    LessonRun lessons = new LessonRun(asking, findings.entries(), sentences);
    Judgements.Lessons found =
        new Judgements.Lessons(Optional.of(name), lessons.ask(), Optional.empty());
    asking.forgetOthers();
    return judged.with(found, lessons.left());
  }

  /** Returns the vectors of a knowledge base's lessons. */
  public static SentenceVectors sentences(KbStore store, EmbedderSource embedder) {
    return new LessonVectors(store.database(), embedder);
  }

  /**
   * Returns the part of a report's basis that depends on the model, for {@link Pipeline#basis}.
   *
   * @param embedder embedder that compares the model's lessons
   */
  String basis(EmbedderSource embedder) {
    return LanguageModelFile.locate(settings)
        .map(
            model ->
                model.name()
                    + " "
                    + model.hash(settings)
                    + ModelTrial.ofJudge(settings, model).known().map(JudgeTrust::words).orElse("")
                    + ModelTrial.ofReader(settings, model, embedder)
                        .known()
                        .map(Judgements.LessonTrust::words)
                        .orElse(""))
        .orElse("");
  }

  /** Returns a session whose model is opened at the first question without a stored answer. */
  private QuestionSession asking(AnswerStore answers, LanguageModelFile model, Duration time) {
    String hash = model.hash(settings);
    return new QuestionSession(
        answers,
        hash,
        () -> model.openWithHash(settings, hash),
        time,
        System::nanoTime,
        new JudgeProgressBar(display),
        () -> Thread.currentThread().isInterrupted());
  }

  /** Returns a session with an open model; answers are stored when they come. */
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
