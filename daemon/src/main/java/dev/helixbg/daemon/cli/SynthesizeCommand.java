package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.cli.flags.KbArgument;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.host.PairSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.run.JudgeProgressBar;
import dev.helixbg.daemon.run.JudgingStage;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.RerankingStage;
import dev.helixbg.daemon.run.Reviews;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.watch.OneShotRun;
import dev.helixbg.insight.findings.Analysis;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.review.Review;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** A review of a session on demand: by the daemon when it runs, else here. */
@Command(
    name = "synthesize",
    description =
        "Review the entries written since the last review: what they change, repeat,"
            + " contradict or belong to.")
final class SynthesizeCommand extends JsonCommand {
  @Mixin private GlobalOptions options;

  @Mixin private KbArgument kb;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    DaemonLink link = GlobalOptions.daemon();
    CoveredReview answer = link.watches(chosen) ? ask(link, chosen) : run(chosen, settings);
    ObjectNode json = answer.review().toJson();
    json.setAll(SearchAnswer.toJson(answer.coverage()));
    show(() -> json, () -> print(answer.review()));
    if (!answer.coverage().isWhole()) {
      console.warn("%s", answer.coverage().words());
    }
    return ExitCode.OK.number();
  }

  /** A review, and how much of the log it is about. */
  private record CoveredReview(Review review, Coverage coverage) {}

  private CoveredReview ask(DaemonLink link, Kb chosen) throws IOException {
    ObjectNode request = DaemonLink.request("synthesize").put("kb", chosen.folder().toString());
    JsonNode line = link.ask(request, Duration.ofMinutes(30)).getFirst();
    return new CoveredReview(
        Review.fromJson(line)
            .orElseThrow(() -> new Failure(ExitCode.NO_DAEMON, "the daemon sent no review")),
        SearchAnswer.coverage(line));
  }

  /** Brings the report up to date first, without asking a language model. */
  private CoveredReview run(Kb chosen, Settings settings) throws InterruptedException {
    EmbedderSource source = EmbedderSource.located(settings);
    Pipeline pipeline =
        new Pipeline(
            settings,
            source,
            Analysis::run,
            new RerankingStage(
                Optional.of(PairSource.located(settings)),
                Progress.on(console),
                warning -> console.warn("%s", warning)),
            JudgingStage.withoutAsking(settings),
            Progress.on(console));
    try (KbStores stores = stores(settings);
        LanguageModelHost model =
            new LanguageModelHost(
                settings, DaemonClock.SYSTEM, new DaemonMetrics(DaemonClock.SYSTEM))) {
      KbStore store = stores.of(chosen);
      OneShotRun.Enough enough =
          (last, now) ->
              last.basis().made().equals(now.made())
                  && last.basis().decided().equals(now.decided());
      OneShotRun run = new OneShotRun(pipeline);
      if (!run.isDone(store, enough)) {
        try (KbLock lock = store.lock()) {
          run.run(store, enough, Optional.empty());
        }
      }
      Reviews reviews = new Reviews(settings, source.ids());
      LogReading log = DataLog.readQuiet(chosen.dataLog());
      Review review =
          reviews.onDemand(
              store,
              reviews.subject(store, log),
              model,
              _ -> new JudgeProgressBar(Progress.on(console)),
              Instant.now(),
              true);
      return new CoveredReview(review, new Coverage(log.entries().size(), log.entries().size()));
    }
  }

  private void print(Review review) {
    console.say("%s", review.summary());
    review.judge().ifPresent(judge -> console.say("Judged by %s.", judge));
    for (Review.Item item : review.items()) {
      console.say(
          "%.3f  %s%s%s",
          item.similarity(),
          item.relation(),
          item.verdict().isEmpty() ? "" : " (" + item.verdict() + ")",
          item.id().isEmpty() ? "" : "  " + item.id());
      for (Review.Named entry : List.of(item.a(), item.b())) {
        if (!entry.name().isEmpty()) {
          console.say("       %s  %s", entry.title(), entry.name());
        }
      }
      if (!item.text().isEmpty()) {
        console.say("         %s", item.text());
      }
    }
  }
}
