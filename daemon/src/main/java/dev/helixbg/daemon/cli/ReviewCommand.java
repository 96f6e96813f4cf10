package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.LanguageModelHost;
import dev.helixbg.daemon.host.PairSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.KbTopics;
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
import picocli.CommandLine.Parameters;

/** A review on demand: by the daemon when it runs, else here. */
@Command
final class ReviewCommand extends JsonCommand {
  @Mixin private GlobalOptions options;

  private final Review.Kind kind;
  private final KbOption kb;
  private final Topic topic;

  /** An argument of reviews that can be about one topic. */
  static final class Topic {
    @Parameters(
        arity = "0..2",
        paramLabel = "[topic]",
        hideParamSyntax = true,
        description = "Only entries of this topic.")
    private List<String> words = List.of();
  }

  /**
   * @param kb options of this command, too
   * @param topic argument of this command, too, where the kind has one
   */
  ReviewCommand(Review.Kind kind, KbOption kb, Topic topic) {
    this.kind = kind;
    this.kb = kb;
    this.topic = topic;
  }

  static String description(Review.Kind kind) {
    return switch (kind) {
      case SESSION ->
          "What was written since the last review of this kind: what changed, what it connects to,"
              + " repeats or contradicts.";
      case DRIFT -> "Topics that overlap under different names.";
      case STALE -> "Entries that newer ones contradict or supersede.";
    };
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    List<String> words = kb.afterFolder(topic.words);
    if (words.size() > 1) {
      throw Failure.usage("one topic at a time, or none; a folder before it has a / in it");
    }
    Kb chosen = kb.find(settings);
    Optional<String> only =
        words.isEmpty()
            ? Optional.empty()
            : Optional.of(KbTopics.require(chosen, words.getFirst()));
    DaemonLink link = GlobalOptions.daemon();
    Answer answer = link.watches(chosen) ? ask(link, chosen, only) : run(chosen, settings, only);
    ObjectNode json = answer.review().toJson();
    json.setAll(SearchAnswer.toJson(answer.coverage()));
    show(() -> json, () -> print(answer.review()));
    if (!answer.coverage().isWhole()) {
      console.warn("%s", answer.coverage().words());
    }
    return ExitCode.OK.number();
  }

  /** A review, and how much of the log it is about. */
  private record Answer(Review review, Coverage coverage) {}

  private Answer ask(DaemonLink link, Kb chosen, Optional<String> only) throws IOException {
    ObjectNode request =
        DaemonLink.request(kind == Review.Kind.SESSION ? "synthesize" : kind.title())
            .put("kb", chosen.folder().toString());
    only.ifPresent(name -> request.put("topic", name));
    JsonNode line = link.ask(request, Duration.ofMinutes(30)).getFirst();
    return new Answer(
        Review.fromJson(line)
            .orElseThrow(() -> new Failure(ExitCode.NO_DAEMON, "the daemon sent no review")),
        SearchAnswer.coverage(line));
  }

  /** Brings the report up to date first, without asking a language model. */
  private Answer run(Kb chosen, Settings settings, Optional<String> only)
      throws InterruptedException {
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
      Reviews reviews = new Reviews(settings, source.id());
      LogReading log = DataLog.readQuiet(chosen.dataLog());
      Review review =
          reviews.onDemand(
              store,
              new Reviews.Wanted(kind, only),
              reviews.subject(store, log),
              model,
              _ -> new JudgeProgressBar(Progress.on(console)),
              Instant.now(),
              true);
      return new Answer(review, new Coverage(log.entries().size(), log.entries().size()));
    }
  }

  private void print(Review review) {
    console.say("%s", review.summary());
    for (Review.Item item : review.items()) {
      console.say(
          "%.3f  %s %s %s%s%s",
          item.similarity(),
          item.a(),
          item.relation(),
          item.b(),
          item.verdict().isEmpty() ? "" : " (" + item.verdict() + ")",
          item.id().isEmpty() ? "" : "  " + item.id());
      if (!item.text().isEmpty()) {
        console.say("       %s", item.text());
      }
    }
  }
}
