package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.ValueCommand;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.ReportFile;
import dev.helixbg.daemon.kb.ReportedFinding;
import dev.helixbg.daemon.kb.Seal;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.daemon.run.Pipeline;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decisions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists findings with their ids, for dismiss, done and undo. */
@Command(
    name = "findings",
    description = "List the findings of the last report, or those that were dealt with.")
final class FindingsCommand extends ValueCommand {
  @Mixin private GlobalOptions options;

  @Parameters(arity = "0..1", paramLabel = "kb", description = "Folder of the knowledge base.")
  private Path kb;

  @Option(
      names = "--settled",
      description = "List those that were dismissed or are done: by whom, and why, if they said.")
  private boolean settled;

  @Override
  public Integer call() throws IOException {
    Settings settings = options.load().settings();
    Kb chosen = Kb.find(Optional.ofNullable(kb), settings, GlobalOptions.locations());
    Decisions decisions = Pipeline.decisions(chosen);
    if (decisions.unreadable() > 0) {
      console.warn("%d damaged lines were passed over", decisions.unreadable());
    }
    if (settled) {
      Collection<Decision> made = decisions.settled();
      show(() -> Json.array(made, FindingsCommand::toJson), () -> made.forEach(this::print));
    } else {
      SealedReports reports = new SealedReports(new Seal(settings.cache()));
      List<ReportedFinding> open =
          ReportFile.findings(chosen, reports).stream()
              .filter(finding -> !decisions.isSettled(finding.aliases()))
              .toList();
      show(() -> Json.array(open, FindingsCommand::toJson), () -> open.forEach(this::print));
    }
    return ExitCode.OK.number();
  }

  private void print(ReportedFinding finding) {
    console.say(
        "%-22s %-14s %5s  %5.3f  %s",
        finding.id(),
        finding.kind(),
        finding.rank().isPresent() ? finding.rank().getAsInt() : "",
        finding.similarity(),
        finding.about());
  }

  private static ObjectNode toJson(ReportedFinding finding) {
    ObjectNode json = Json.object().put("id", finding.id()).put("kind", finding.kind());
    finding.rank().ifPresentOrElse(rank -> json.put("rank", rank), () -> json.putNull("rank"));
    return json.put("similarity", finding.similarity()).put("about", finding.about());
  }

  private void print(Decision decision) {
    console.say(
        "%-22s %-10s %-7s %s%s",
        decision.id(),
        Json.word(decision.verdict()),
        Json.word(decision.by()),
        decision.about(),
        decision.reason().isEmpty() ? "" : ": " + decision.reason());
  }

  private static ObjectNode toJson(Decision decision) {
    return Json.object()
        .put("id", decision.id())
        .put("decision", Json.word(decision.verdict()))
        .put("at", decision.at().toString())
        .put("by", Json.word(decision.by()))
        .put("reason", decision.reason())
        .put("about", decision.about());
  }
}
