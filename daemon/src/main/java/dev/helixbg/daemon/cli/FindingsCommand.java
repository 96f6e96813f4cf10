package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFile;
import dev.helixbg.daemon.kb.ReportedFinding;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decisions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists findings with their ids, for dismiss, done and undo. */
@Command(
    name = "findings",
    description = "List the findings of the last report, or those that were dealt with.",
    mixinStandardHelpOptions = true)
final class FindingsCommand implements Callable<Integer> {
  @Mixin private GlobalOptions options;

  @Parameters(arity = "0..1", paramLabel = "kb", description = "Folder of the knowledge base.")
  private Path kb;

  @Option(names = "--settled", description = "List those that were dismissed or are done.")
  private boolean settled;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  FindingsCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    Settings settings = options.load().settings();
    Kb chosen = Kb.find(Optional.ofNullable(kb), settings, GlobalOptions.locations());
    Decisions decisions = Pipeline.decisions(chosen);
    if (decisions.unreadable() > 0) {
      console.warn("%d damaged lines were passed over", decisions.unreadable());
    }
    if (settled) {
      printSettled(decisions);
    } else {
      printOpen(
          ReportFile.findings(chosen).stream()
              .filter(finding -> !decisions.isSettled(finding.aliases()))
              .toList());
    }
    return ExitCode.OK.number();
  }

  private void printOpen(List<ReportedFinding> findings) throws IOException {
    if (json) {
      Json.print(console.json(), Json.array(findings, FindingsCommand::toJson));
      return;
    }
    for (ReportedFinding finding : findings) {
      console.say(
          "%-22s %-14s %5s  %s  %s",
          finding.id(),
          finding.kind(),
          finding.rank().isPresent() ? finding.rank().getAsInt() : "",
          String.format(Locale.ROOT, "%5.3f", finding.similarity()),
          finding.about());
    }
  }

  private static ObjectNode toJson(ReportedFinding finding) {
    ObjectNode json = Json.object().put("id", finding.id()).put("kind", finding.kind());
    finding.rank().ifPresentOrElse(rank -> json.put("rank", rank), () -> json.putNull("rank"));
    return json.put("similarity", finding.similarity()).put("about", finding.about());
  }

  private void printSettled(Decisions decisions) throws IOException {
    if (json) {
      Json.print(console.json(), Json.array(decisions.settled(), FindingsCommand::toJson));
      return;
    }
    for (Decision decision : decisions.settled()) {
      console.say("%-22s %-10s %s", decision.id(), word(decision), decision.about());
    }
  }

  private static ObjectNode toJson(Decision decision) {
    return Json.object()
        .put("id", decision.id())
        .put("decision", word(decision))
        .put("at", decision.at().toString())
        .put("about", decision.about());
  }

  static String word(Decision decision) {
    return decision.verdict().name().toLowerCase(Locale.ROOT);
  }
}
