package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.host.EmbedderSource;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Coverage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists findings with their ids, for dismiss, done and undo; or shows one of them. */
@Command(
    name = "findings",
    description = {
      "List the findings of the last report as it leads with them, or those that were dealt with.",
      "With an ID, show that one: its texts, what speaks for it, and what can be done."
    })
final class FindingsCommand extends JsonCommand {
  @Mixin private GlobalOptions options;
  @Mixin private KbOption kb;

  @Parameters(
      arity = "0..2",
      paramLabel = "[kb] [ID]",
      hideParamSyntax = true,
      description = "Folder of the knowledge base; the finding to show.")
  private List<String> words = List.of();

  @Option(
      names = "--settled",
      description = "List those that were dismissed or are done: by whom, and why, if they said.")
  private boolean settled;

  @Mixin private FindingFilter selection;

  @Override
  public Integer call() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    List<String> ids = kb.withoutFolder(words, Decision::isId);
    if (ids.size() > 1) {
      throw Failure.usage("one finding at a time; " + ids.get(1) + " is one too many");
    }
    if (!selection.isEmpty() && (settled || !ids.isEmpty())) {
      throw Failure.usage("options that choose findings go with the list of open ones only");
    }
    Kb chosen = kb.find(settings);
    try (KbStores stores = stores(settings)) {
      KbStore store = stores.of(chosen);
      Decisions decisions = store.decisions().read();
      if (settled && ids.isEmpty()) {
        Collection<Decision> made = decisions.settled();
        show(() -> Json.array(made, FindingsCommand::toJson), () -> made.forEach(this::print));
      } else {
        String modelId = EmbedderSource.located(settings).id();
        FindingRequests findings = FindingRequests.of(store, settings, modelId);
        if (ids.isEmpty()) {
          list(findings, decisions);
        } else {
          one(findings, ids.getFirst(), decisions);
        }
      }
    }
    return ExitCode.OK.number();
  }

  private void list(FindingRequests findings, Decisions decisions)
      throws IOException, InterruptedException {
    LastReport.Listing listing = findings.store().report().list();
    selection.requireTopic(findings.store().kb(), listing.findings());
    List<ReportedFinding> open =
        new ArrayList<>(FindingRequests.open(listing, decisions, selection.chosen()));
    int all = open.size();
    open.removeIf(findings.present()::isStale);
    open.replaceAll(findings.present()::named);
    Coverage coverage = findings.coverage(listing);
    show(
        () ->
            SearchAnswer.toJson(coverage)
                .<ObjectNode>set("findings", Json.array(open, FindingsCommand::toJson))
                .set("agents", Json.texts(findings.agents())),
        () -> open.forEach(this::print));
    if (!json) {
      findings.agents().forEach(words -> console.warn("%s", words));
    }
    if (!coverage.isWhole()) {
      console.warn("%s", coverage.words());
    }
    if (open.size() < all) {
      console.warn(
          "left out %d that tell of what is not there any more: the log has changed since the"
              + " report",
          all - open.size());
    }
  }

  private void one(FindingRequests findings, String id, Decisions decisions) throws IOException {
    LastReport.Listing listing = findings.store().report().list();
    Optional<ReportedFinding> listed = listing.find(id);
    if (listed.isEmpty()) {
      Optional<Decision> over = decisions.on(id);
      if (over.isPresent()) { // and the report has it no more
        show(() -> toJson(over.get()), () -> print(over.get()));
        return;
      }
      throw unknown(id, listing.ids());
    }
    List<ObjectNode> found = new ArrayList<>();
    findings.one(Json.object().put("id", id), found::add);
    show(
        found::getFirst,
        () -> {
          print(findings.present().named(listed.get()));
          new FindingText(console, found.getFirst(), kb.again()).print();
        });
  }

  /** That there is no such finding, and which was probably meant. */
  static Failure unknown(String id, Collection<String> known) {
    return Failure.usage(
        "there is no finding " + id + NearestName.meant(id, known, "; see: helix-bg findings"));
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
