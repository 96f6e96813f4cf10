package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.DaemonClock;
import dev.helixbg.daemon.host.DaemonMetrics;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.host.TextModelHost;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbIdentity;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.run.Reviews;
import dev.helixbg.daemon.run.Saving;
import dev.helixbg.daemon.run.ShownProgress;
import dev.helixbg.daemon.run.VectorUpdate;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.acts.HelixCall;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.LogReading;
import dev.helixbg.insight.review.History;
import dev.helixbg.insight.review.Review;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A review on demand: by the daemon when it runs, else here. */
abstract sealed class ReviewCommand implements Callable<Integer> {
  @Mixin private GlobalOptions options;
  @Mixin private KbOption kb;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  private ReviewCommand(Console console) {
    this.console = console;
  }

  abstract Reviews.Wanted wanted();

  /** What a session of writing brought. */
  @Command(
      name = "synthesize",
      description =
          "What was written since the last time: what changed, what it connects to, repeats or"
              + " contradicts.")
  static final class Synthesize extends ReviewCommand {
    Synthesize(Console console) {
      super(console);
    }

    @Override
    Reviews.Wanted wanted() {
      return new Reviews.Wanted(Review.Kind.SESSION, Optional.empty());
    }
  }

  /** Topics that overlap. */
  @Command(name = "drift", description = "Topics that overlap under different names.")
  static final class Drift extends ReviewCommand {
    Drift(Console console) {
      super(console);
    }

    @Override
    Reviews.Wanted wanted() {
      return new Reviews.Wanted(Review.Kind.DRIFT, Optional.empty());
    }
  }

  /** Entries that newer ones overtook. */
  @Command(name = "stale", description = "Entries that newer ones contradict or supersede.")
  static final class Stale extends ReviewCommand {
    @Parameters(arity = "0..1", paramLabel = "topic", description = "Only entries of this topic.")
    private String topic;

    Stale(Console console) {
      super(console);
    }

    @Override
    Reviews.Wanted wanted() {
      return new Reviews.Wanted(Review.Kind.STALE, Optional.ofNullable(topic));
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    DaemonLink link = new DaemonLink(DaemonHome.of(GlobalOptions.locations()));
    Review review = link.watches(chosen) ? ask(link, chosen) : run(chosen, settings);
    if (json) {
      Json.print(console.json(), History.toJson(review));
    } else {
      print(review);
    }
    return ExitCode.OK.number();
  }

  private Review ask(DaemonLink link, Kb chosen) throws IOException {
    ObjectNode request =
        DaemonLink.request(
                switch (wanted().kind()) {
                  case SESSION -> "synthesize";
                  case DRIFT -> "drift";
                  case STALE -> "stale";
                })
            .put("kb", chosen.folder().toString());
    wanted().topic().ifPresent(topic -> request.put("topic", topic));
    return History.fromJson(link.ask(request, Duration.ofMinutes(30)).getFirst())
        .orElseThrow(() -> new Failure(ExitCode.NO_DAEMON, "the daemon sent no review"));
  }

  private Review run(Kb chosen, Settings settings) throws InterruptedException {
    EmbedderSource source = EmbedderSource.located(settings);
    try (KbLock lock = KbLock.take(chosen);
        TextModelHost model =
            new TextModelHost(
                settings, DaemonClock.SYSTEM, new DaemonMetrics(DaemonClock.SYSTEM))) {
      LogReading log = DataLog.readQuiet(chosen.dataLog());
      VectorUpdate.Result vectors =
          new VectorUpdate(
                  new EmbeddingCache(chosen.folder()),
                  source.id(),
                  source.maxTokens(),
                  source::open,
                  Progress.on(console))
              .run(log.entries(), Saving.PUBLISHED);
      Reviews reviews = new Reviews(settings, source.id());
      KbIdentity found = KbIdentity.of(chosen);
      return model.use(
          text ->
              reviews.run(
                  found,
                  wanted(),
                  reviews.subject(chosen, vectors.of(log)),
                  text,
                  new ShownProgress(Progress.on(console)),
                  Instant.now(),
                  Thread.currentThread()::isInterrupted));
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
      for (HelixCall edit : item.edits()) {
        console.say("       %s", edit.json());
      }
    }
  }
}
