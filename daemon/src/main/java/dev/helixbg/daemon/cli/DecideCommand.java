package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbLock;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.ReportedFinding;
import dev.helixbg.daemon.link.DaemonHome;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.run.Judging;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.run.Saving;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Progress;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decision.Verdict;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Analysis;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Writes down what the user says about findings, and brings the report up to date. */
@Command(mixinStandardHelpOptions = true)
final class DecideCommand implements Callable<Integer> {
  @Mixin private GlobalOptions options;
  @Mixin private KbOption kb;

  @Parameters(
      arity = "1..*",
      paramLabel = "ID",
      description = "Ids of findings, as 'helix-bg findings' lists them.")
  private List<String> ids;

  private final Console console;
  private final Verdict verdict;

  DecideCommand(Console console, Verdict verdict) {
    this.console = console;
    this.verdict = verdict;
  }

  static String description(Verdict verdict) {
    return switch (verdict) {
      case DISMISSED -> "Take findings out of the report because they are wrong or unimportant.";
      case DONE -> "Take findings out of the report because they have been acted on.";
      case OPEN -> "Take back an earlier dismiss or done.";
      case SAME, OVERTAKEN, RELATED, DIFFERENT ->
          throw new IllegalArgumentException("no command for " + verdict);
    };
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    Kb chosen = kb.find(settings);
    List<Decision> made = decisions(chosen);
    try {
      new DecisionFile(chosen.insights()).append(made);
    } catch (IOException e) {
      throw new Failure(
          ExitCode.WRITE,
          "cannot write " + chosen.insights().resolve(DecisionFile.NAME) + ": " + Reasons.of(e));
    }
    console.warn("noted for %d findings", made.size());
    refresh(chosen, settings);
    return ExitCode.OK.number();
  }

  private List<Decision> decisions(Kb chosen) {
    Decisions before = Pipeline.decisions(chosen);
    Map<String, String> known = new LinkedHashMap<>();
    if (verdict != Verdict.OPEN) {
      ReportedFinding.of(chosen).forEach(finding -> known.put(finding.id(), finding.about()));
    }
    before.settled().forEach(decision -> known.put(decision.id(), decision.about()));
    List<Decision> made = new ArrayList<>();
    for (String id : ids) {
      if (!known.containsKey(id)) {
        throw new Failure(
            ExitCode.USAGE,
            verdict == Verdict.OPEN
                ? "nothing was decided on " + id + "; see: helix-bg findings --settled"
                : "there is no finding " + id + "; see: helix-bg findings");
      }
      made.add(new Decision(id, verdict, Instant.now(), known.get(id)));
    }
    return made;
  }

  /** By the daemon when it watches this KB, else here. */
  private void refresh(Kb chosen, Settings settings) throws IOException, InterruptedException {
    DaemonLink link = new DaemonLink(DaemonHome.of(GlobalOptions.locations()));
    if (link.watches(chosen)) {
      link.ask(DaemonLink.request("look"), Duration.ofSeconds(10));
      return;
    }
    try (KbLock lock = KbLock.take(chosen)) {
      Pipeline pipeline =
          new Pipeline(
              settings,
              EmbedderSource.located(settings),
              Analysis::run,
              Judging.withoutAsking(settings),
              Progress.on(console));
      ReportFolder.of(chosen).write(pipeline.run(chosen, Saving.PUBLISHED).report());
    }
  }
}
