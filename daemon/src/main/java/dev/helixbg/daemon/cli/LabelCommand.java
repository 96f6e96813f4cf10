package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.cli.flags.JudgeFlags;
import dev.helixbg.daemon.cli.flags.KbArgument;
import dev.helixbg.daemon.host.LanguageModelFile;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.LabelRun;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.QuestionSession;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import dev.helixbg.insight.log.DataLog;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Labels the entries of a knowledge base, and does nothing else. */
@Command(
    name = "label",
    description =
        "Have the language model label every entry: decision, gotcha, how-to and so on. Its"
            + " answers are kept.")
final class LabelCommand extends JsonCommand {
  @Mixin private GlobalOptions options;
  @Mixin private JudgeFlags judge;

  @Mixin private KbArgument kb;

  private record Labelled(
      List<NamedEntry> entries,
      Map<String, LabelGuess> guesses,
      String model,
      int asked,
      int left) {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = judge.settings(options);
    Kb chosen = kb.find(settings);
    Labelled labelled;
    try (KbStores stores = stores(settings);
        KbLock lock = stores.of(chosen).lock()) {
      labelled = run(stores.of(chosen), settings);
    }
    show(() -> toJson(labelled), () -> print(labelled));
    return ExitCode.OK.number();
  }

  private Labelled run(KbStore store, Settings settings) throws InterruptedException {
    LanguageModelFile model = LanguageModelFile.require(settings);
    String embedding = EmbeddingModel.locate(settings.embed(), settings.cache()).id();
    List<NamedEntry> entries =
        NamedEntry.all(
            DataLog.readQuiet(store.kb().dataLog()).entries(),
            entry -> TextKey.of(embedding, entry.embeddedText()).hex());
    JudgingStage judging = new JudgingStage(settings, Progress.on(console), warning -> {});
    try (QuestionSession asking = judging.asking(store.answers(), model)) {
      LabelRun run = new LabelRun(asking, entries);
      int left = run.ask();
      return new Labelled(entries, run.guesses(), model.name(), asking.asked(), left);
    }
  }

  private void print(Labelled labelled) {
    for (NamedEntry named : labelled.entries()) {
      LabelGuess guess = labelled.guesses().get(named.key());
      String tags =
          String.join(
              ", ", Label.among(named.entry().text().tags()).stream().map(Label::title).toList());
      console.say(
          "%-13s %5s  %-13s %5s  %s  %s%s",
          guess == null ? "-" : guess.label().title(),
          guess == null ? "" : percent(guess.score()),
          guess == null ? "" : guess.runnerUp().title(),
          guess == null ? "" : percent(guess.runnerUpScore()),
          PrintableText.line(named.title()),
          named.name(),
          tags.isEmpty() ? "" : "  (tagged " + tags + ")");
    }
    console.warn(
        "%,d entries labelled by %s, %,d of them now; %,d left for the next run",
        labelled.entries().stream()
            .filter(named -> labelled.guesses().containsKey(named.key()))
            .count(),
        labelled.model(),
        labelled.asked(),
        labelled.left());
  }

  private static String percent(double share) {
    return Math.round(100 * share) + " %";
  }

  private static ObjectNode toJson(Labelled labelled) {
    return Json.object()
        .put("model", labelled.model())
        .put("asked", labelled.asked())
        .put("left", labelled.left())
        .set(
            "entries",
            Json.array(
                labelled.entries(), named -> toJson(named, labelled.guesses().get(named.key()))));
  }

  private static ObjectNode toJson(NamedEntry named, LabelGuess guess) {
    List<Label> tagged = Label.among(named.entry().text().tags());
    ObjectNode entry = Json.object().put("title", named.title()).put("name", named.name());
    entry.set("tagged", Json.texts(tagged.stream().map(Label::title).toList()));
    return guess == null
        ? entry
        : entry
            .put(QuestionKind.LABEL.title(), guess.label().title())
            .put("probability", Json.sixDecimals(guess.score()))
            .put("runnerUp", guess.runnerUp().title())
            .put("runnerUpProbability", Json.sixDecimals(guess.runnerUpScore()))
            .put("cut", guess.cut());
  }
}
