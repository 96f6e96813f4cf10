package dev.helixbg.daemon.run;

import dev.helixbg.config.Progress;
import dev.helixbg.config.Settings;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.insight.agents.AgentAnswers;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Judge;
import dev.helixbg.insight.judge.JudgeException;
import dev.helixbg.insight.judge.JudgeProgress;
import dev.helixbg.insight.judge.JudgeRun;
import dev.helixbg.insight.judge.JudgeTrust;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Judgements.LessonTrust;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.label.LabelClassifier;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.insight.lessons.LessonRun;
import dev.helixbg.insight.lessons.SentenceVectors;
import dev.helixbg.llm.GpuRetry;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.gguf.GgufException;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Asks the language model, if there is one, about a KB's entries and findings. */
public record JudgingStage(Settings settings, Asking asking, Consumer<String> warnings) {
  /**
   * Settings and callbacks for asking a language model.
   *
   * @param gpu repeats the questions after a failure of the GPU, and finally asks them on the CPU
   * @param measuring receives the progress of measuring a new model
   * @param measuresWriter whether to measure also how well the model writes lessons
   */
  public record Asking(
      int threads,
      GpuRetry gpu,
      LongSupplier nanoTime,
      JudgeProgress measuring,
      JudgeProgress progress,
      BooleanSupplier cancelled,
      boolean measuresWriter) {}

  /** Findings to judge, with their entries' vectors; {@code embedder} embeds entries' lessons. */
  public record Subject(
      KbStore store, Findings findings, List<float[]> vectors, EmbedderSource embedder) {
    private SentenceVectors sentences() {
      return TextVectors.ofLessons(store.database(), embedder);
    }
  }

  /** Makes a stage that asks until the calling thread is interrupted. */
  public JudgingStage(Settings settings, Progress.Display display, Consumer<String> warnings) {
    this(
        settings,
        new Asking(
            settings.threads(),
            new GpuRetry(warnings),
            System::nanoTime,
            (_, questions) -> display.begin("Measuring the model", questions),
            (job, questions) -> display.begin(title(job), questions),
            () -> Thread.currentThread().isInterrupted(),
            false),
        warnings);
  }

  private static String title(QuestionKind job) {
    return switch (job) {
      case LABEL -> "Labelling";
      case PAIR, OVERTAKEN -> "Comparing";
      case SUMMARY -> "Summarising";
      case MERGE -> "Merging";
      case LESSON -> "Writing lessons";
      case RULE -> "Comparing lessons";
    };
  }

  /** Returns a stage that only uses stored answers, which is quick. */
  public static JudgingStage withoutAsking(Settings settings) {
    return new JudgingStage(
        settings.with(settings.llm().withoutAsking(Files::isRegularFile)),
        Progress.Display.SILENT,
        warning -> {});
  }

  boolean mayAsk() {
    return settings.llm().seconds() > 0 && LanguageModelFile.locate(settings).isPresent();
  }

  /**
   * Returns all judgements; entries without a label get one from the label classifier. If
   * interrupted, the answers given so far are saved.
   */
  Judgements run(Subject subject) throws InterruptedException {
    Judgements judgements = withAgents(asked(subject), subject);
    List<NamedEntry> entries = subject.findings().entries();
    boolean unlabelled =
        entries.stream().anyMatch(entry -> !judgements.guesses().containsKey(entry.key()));
    return unlabelled
        ? judgements.orElse(LabelClassifier.guesses(entries, subject.vectors(), settings.threads()))
        : judgements;
  }

  /**
   * Adds the coding agents' verdicts, and their labels and summaries where the language model gave
   * none. Uses the agents' lessons if the model wrote none, or writes lessons unreliably.
   */
  private static Judgements withAgents(Judgements judged, Subject subject)
      throws InterruptedException {
    Findings findings = subject.findings();
    AgentAnswers said = new AgentAnswers(subject.store().agentAnswers().all(), judged.trust());
    if (said.clients().isEmpty()) {
      return judged;
    }
    QuestionSession known = new QuestionSession(said.known(Optional.empty()));
    Optional<String> reader = said.readers(QuestionKind.LESSON);
    JudgeRun recalled = new JudgeRun(known, "", findings, subject.vectors());
    Judgements all =
        judged.with(
            said.on(findings), recalled.labels(LabelGuess.Origin.AGENT), recalled.summaries());
    Judgements.Lessons lessons = judged.lessons();
    if (reader.isPresent() && (lessons.reader().isEmpty() || lessons.areGuesses())) {
      List<Judgements.Lesson> found =
          new LessonRun(known, findings.entries(), subject.sentences()).ask();
      if (!found.isEmpty()) {
        return all.with(new Judgements.Lessons(reader, found, Optional.empty()), Map.of());
      }
    }
    return all;
  }

  private Judgements asked(Subject subject) throws InterruptedException {
    try {
      return ask(subject);
    } catch (GgufException | JudgeException e) {
      if (settings.llm().model().isPresent()) {
        throw e;
      }
      warnings.accept(
          "the language model is not used: "
              + e.getMessage()
              + ". Name another model in the setting llm.model");
      return Judgements.NONE;
    }
  }

  /**
   * Asks all questions without a stored answer; labels and lessons, the most numerous, come last.
   *
   * @throws InterruptedException when interrupted or cancelled; the answers until then are saved
   * @throws GgufException when the file is not a usable model
   */
  public Judgements ask(Subject subject) throws InterruptedException {
    if (subject.findings().entries().isEmpty()) {
      return Judgements.NONE;
    }
    LanguageModelFile.skipped(settings)
        .forEach(reason -> warnings.accept("not used as the language model: " + reason));
    Optional<LanguageModelFile> model = LanguageModelFile.locate(settings);
    if (model.isEmpty()) {
      return Judgements.NONE;
    }
    Device device = LanguageModelFile.device(settings);
    return asking
        .gpu()
        .run(
            device == Device.AUTO, onCpu -> ask(model.get(), onCpu ? Device.CPU : device, subject));
  }

  private Judgements ask(LanguageModelFile model, Device device, Subject subject)
      throws InterruptedException {
    String hash = model.hash(settings);
    Supplier<Judge> opener = () -> model.openWithHash(settings, hash, device, asking.threads());
    ModelTrial<JudgeTrust> asJudge = ModelTrial.ofJudge(settings, model);
    ModelTrial<LessonTrust> asReader = ModelTrial.ofReader(settings, model, subject.embedder());
    Duration all = Duration.ofSeconds(settings.llm().seconds());
    Duration time = measure(asJudge, opener, all);
    if (asking.measuresWriter()) {
      measure(asReader, opener, all);
      time = all; // so that a slow model has time for questions, too
    }
    try (QuestionSession session =
        new QuestionSession(
            subject.store().answers(),
            hash,
            opener,
            time,
            asking.nanoTime(),
            asking.progress(),
            asking.cancelled())) {
      Findings findings = subject.findings();
      Judgements judged = new JudgeRun(session, model.name(), findings, subject.vectors()).run();
      LessonRun lessons = new LessonRun(session, findings.entries(), subject.sentences());
      Judgements.Lessons found =
          new Judgements.Lessons(Optional.of(model.name()), lessons.ask(), Optional.empty());
      session.forgetOthers();
      return judged.with(found, lessons.left()).trusted(asJudge.known(), asReader.known());
    }
  }

  /** Measures the model's reliability unless it is known; returns the time left for questions. */
  private Duration measure(ModelTrial<?> trial, Supplier<Judge> opener, Duration time)
      throws InterruptedException {
    if (time.isZero() || trial.known().isPresent()) {
      return time;
    }
    long start = asking.nanoTime().getAsLong();
    try {
      trial.run(opener, time, asking.nanoTime(), asking.measuring(), asking.cancelled());
    } catch (IOException e) {
      warnings.accept(
          "cannot store how reliable the language model %s is: %s"
              .formatted(trial.model().name(), PrivateFiles.reason(e)));
    }
    Duration left = time.minusNanos(asking.nanoTime().getAsLong() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** Returns the model's measured reliability as a judge of pairs, if known. */
  public Optional<JudgeTrust> trust() {
    return LanguageModelFile.locate(settings)
        .flatMap(model -> ModelTrial.ofJudge(settings, model).known());
  }

  /** Returns the name, hash and measured reliability of the model, for a {@link ReportBasis}. */
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
                        .map(LessonTrust::words)
                        .orElse(""))
        .orElse("");
  }
}
