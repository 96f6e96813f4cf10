package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.cli.flags.JudgeFlags;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.store.JsonLines;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.AnswerFile;
import dev.helixbg.insight.judge.PairVerdict;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Asks the language model about one pair. */
@Command(
    name = "ask-pair",
    description = {
      "Let the language model compare two entries, or two texts: same, related or different; of"
          + " entries, also whether the newer one has overtaken the older one.",
      "A and B are entries such as topic:3 when a folder is given or there is a knowledge base with"
          + " both; otherwise they are the texts themselves."
    })
final class AskPairCommand extends JsonCommand {
  @Mixin private GlobalOptions options;
  @Mixin private JudgeFlags judge;
  @Mixin private KbOption kb;

  @Parameters(
      arity = "0..*",
      paramLabel = "A B",
      hideParamSyntax = true,
      description = "Two entries, topic:index, or two texts; before them may stand a folder.")
  private List<String> words = List.of();

  private String a;
  private String b;

  /**
   * What is asked.
   *
   * @param holds whether the older one still holds, where one is older
   */
  private record Pair(Question.Compare both, Optional<Question.Overtaken> holds) {}

  /**
   * What was answered.
   *
   * @param remembered whether it was known already
   */
  private record Answered(PairVerdict verdict, boolean remembered) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<String> two = words.size() > 2 ? kb.afterFolder(words) : words;
    if (two.size() != 2) {
      throw Failure.usage("two are compared, A and B, not " + two.size());
    }
    a = two.get(0);
    b = two.get(1);
    if (a.isBlank() || b.isBlank()) {
      throw Failure.usage((a.isBlank() ? "A" : "B") + " is empty: nothing to compare");
    }
    Settings settings = judge.settings(options);
    Optional<Kb> chosen = kb(settings);
    Optional<Pair> entries = Optional.empty();
    if (chosen.isPresent()) {
      entries = entries(chosen.get());
    }
    Answered answered =
        entries.isPresent()
            ? ask(entries.get(), chosen.get(), settings)
            : ask(
                new Pair(new Question.Compare(a, b), Optional.empty()),
                new AnswerFile(Path.of("answers.jsonl"), false),
                settings);
    show(() -> toJson(answered), () -> print(answered));
    return ExitCode.OK.number();
  }

  /** Without --kb, a usual one if there is one. */
  private Optional<Kb> kb(Settings settings) {
    try {
      return Optional.of(kb.find(settings));
    } catch (Failure none) {
      if (kb.named().isPresent()) {
        throw none;
      }
      return Optional.empty();
    }
  }

  /** Empty when not both are entries, and nobody said that they are. */
  private Optional<Pair> entries(Kb chosen) throws InterruptedException {
    List<NamedEntry> all =
        NamedEntry.all(DataLog.readQuiet(chosen.dataLog()).entries(), entry -> "");
    Optional<NamedEntry> first = named(all, a);
    Optional<NamedEntry> second = named(all, b);
    if (kb.named().isPresent() && (first.isEmpty() || second.isEmpty())) {
      String missing = first.isEmpty() ? a : b;
      throw Failure.usage(
          "%s has no entry %s%s"
              .formatted(
                  chosen.folder(),
                  missing,
                  NearestName.meant(
                      missing,
                      all.stream().map(NamedEntry::name).toList(),
                      "; entries are named topic:index, as in the report")));
    }
    return first.isEmpty() || second.isEmpty()
        ? Optional.empty()
        : Optional.of(pair(first.get(), second.get()));
  }

  private static Pair pair(NamedEntry first, NamedEntry second) {
    String one = first.entry().text().content();
    String other = second.entry().text().content();
    Question.Overtaken holds =
        first.isOlderThan(second)
            ? new Question.Overtaken(one, other)
            : new Question.Overtaken(other, one);
    return new Pair(
        new Question.Compare(one, other), Optional.of(holds).filter(q -> !one.equals(other)));
  }

  private static Optional<NamedEntry> named(List<NamedEntry> all, String name) {
    return all.stream().filter(entry -> entry.name().equals(name)).findFirst();
  }

  private Answered ask(Pair question, Kb chosen, Settings settings) throws InterruptedException {
    boolean save = Files.isWritable(chosen.folder());
    try (KbLock lock = save ? KbLock.take(chosen) : null) {
      return ask(question, JudgingStage.answers(chosen, save), settings);
    } catch (IOException e) {
      throw JudgingStage.cannotSave(chosen, e);
    }
  }

  private Answered ask(Pair question, AnswerFile answers, Settings settings)
      throws InterruptedException, IOException {
    LanguageModelFile model = LanguageModelFile.require(settings);
    JudgingStage judging = new JudgingStage(settings, Progress.Display.SILENT, warning -> {});
    try (QuestionSession asking = judging.asking(answers, model)) {
      asking.ask(List.of(question.both()));
      Answer answer =
          asking
              .find(question.both())
              .orElseThrow(
                  () ->
                      Failure.usage(
                          "this pair was never asked, and --llm-seconds 0 forbids to ask it"));
      Optional<Question.Overtaken> holds =
          question.holds().filter(q -> !answer.text().equals(Verdict.DIFFERENT.title()));
      if (holds.isPresent()) {
        asking.ask(List.of(holds.get()));
      }
      return new Answered(
          PairVerdict.of(question.both(), answer, holds.flatMap(asking::find)),
          asking.asked() == 0);
    }
  }

  private static ObjectNode toJson(Answered answered) {
    PairVerdict verdict = answered.verdict();
    ObjectNode value =
        Json.object()
            .put("verdict", verdict.verdict().title())
            .put("probability", JsonLines.sixDecimals(verdict.probability()))
            .put("same", JsonLines.sixDecimals(verdict.same()))
            .put("related", JsonLines.sixDecimals(verdict.related()))
            .put("different", JsonLines.sixDecimals(different(verdict)));
    if (!Double.isNaN(verdict.overtaken())) {
      value.put("overtaken", JsonLines.sixDecimals(verdict.overtaken()));
    }
    return value.put("cut", verdict.cut()).put("remembered", answered.remembered());
  }

  private void print(Answered answered) {
    PairVerdict verdict = answered.verdict();
    console.say(
        "%s  (same %.1f %%, related %.1f %%, different %.1f %%%s)%s",
        verdict.verdict().title(),
        100 * verdict.same(),
        100 * verdict.related(),
        100 * different(verdict),
        Double.isNaN(verdict.overtaken())
            ? ""
            : "; overtaken %.1f %%".formatted(100 * verdict.overtaken()),
        verdict.cut() ? "  by the beginning of a long text" : "");
  }

  private static double different(PairVerdict verdict) {
    return Math.max(0, 1 - verdict.same() - verdict.related());
  }
}
