package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.search.SearchAnswer;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.Coverage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.PositionalParamSpec;

final class FindingsCommand extends JsonCommand {
  private static final int ENTRIES = 3;

  private final KbOption kb = new KbOption();
  private List<String> words = List.of();
  private boolean settled;
  private boolean all;
  private int limit = Integer.MAX_VALUE;
  private final FindingFilter selection = new FindingFilter();

  @Override
  protected void declare(Declaration to) {
    to.description(
        "List the leading findings, which the last report shows first. With --all or an option"
            + " that chooses findings (--topic, --kind, --verdict), list other findings, too.",
        "With an ID, show one finding: its texts, the reasons for it, and the possible edits.");
    to.add(options, kb);
    to.addAll(
        PositionalParamSpec.builder()
            .arity("0..2")
            .paramLabel("[kb] [ID]")
            .hideParamSyntax(true)
            .description("kb: folder of the knowledge base. ID: id of a finding to show."),
        String.class,
        given -> words = given);
    to.flag(
        "--settled",
        "List the findings that are dismissed or done. Each line tells who decided, and why.",
        given -> settled = given);
    to.flag(
        "--all", "List all open findings, not only the leading findings.", given -> all = given);
    to.option(
        "-n, --limit=NUMBER",
        "Maximum number of findings to list. Default: no limit.",
        int.class,
        given -> limit = given);
    to.add(selection);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    Settings settings = options.load().settings();
    List<String> ids = kb.withoutFolder(words, Decision::isId);
    if (ids.size() > 1) {
      throw Failure.usage(
          "only one finding can be shown at a time; " + ids.get(1) + " is one too many");
    }
    if (limit < 1) {
      throw Failure.usage("--limit must be 1 or more, not " + limit);
    }
    if ((all || !selection.isEmpty()) && (settled || !ids.isEmpty())) {
      throw Failure.usage(
          "leave out --all, --topic, --kind and --verdict: these options choose from the list of"
              + " open findings");
    }
    try (KbStores stores = stores(settings)) {
      Kb chosen = kb.locate(settings);
      kb.refresh();
      KbStore store = stores.of(chosen);
      Decisions decisions = store.decisions().read();
      if (settled && ids.isEmpty()) {
        Collection<Decision> made = decisions.settled();
        show(() -> Json.array(made, FindingsCommand::toJson), () -> made.forEach(this::print));
      } else {
        String modelId = EmbeddingModel.locate(settings).id();
        FindingRequests findings = FindingRequests.of(store, settings, modelId);
        if (ids.isEmpty()) {
          list(findings, decisions, store.report().list());
        } else {
          one(findings, ids.getFirst(), decisions);
        }
      }
    }
  }

  private void list(FindingRequests findings, Decisions decisions, LastReport.Listing listing)
      throws InterruptedException {
    selection.requireTopic(findings.store().kb(), listing.findings());
    List<ReportedFinding> open =
        new ArrayList<>(FindingRequests.open(listing, decisions, selection.chosen()));
    int known = open.size();
    open.removeIf(findings.present()::isStale);
    List<ReportedFinding> shown =
        open.stream()
            .filter(finding -> all || !selection.isEmpty() || finding.leads())
            .limit(limit)
            .map(findings.present()::now)
            .toList();
    List<ObjectNode> told = findings.lines(shown, decisions, false);
    Coverage coverage = findings.coverage(listing);
    show(
        () -> {
          ObjectNode answer = SearchAnswer.toJson(coverage).put("total", open.size());
          Map<String, String> about =
              shown.stream()
                  .collect(
                      Collectors.toMap(ReportedFinding::id, ReportedFinding::about, (a, b) -> a));
          answer.set(
              "findings",
              Json.array(
                  told, one -> listed(one).put("about", about.get(one.path("id").asText()))));
          return answer.set("agents", Json.texts(findings.agents()));
        },
        () -> told.forEach(this::print));
    if (selection.asksForVerdict()) {
      FindingRequests.unjudged(listing).ifPresent(note -> console.warn("%s", note));
    }
    if (!json) {
      findings.agents().forEach(words -> console.warn("%s", words));
    }
    if (!coverage.isWhole()) {
      console.warn("%s", coverage.words());
    }
    if (open.size() < known) {
      console.warn(
          "findings left out: %d; their entries have changed or were removed since the report was"
              + " made",
          known - open.size());
    }
    if (!json) {
      console.note("%s", goOn(shown.size(), open.size()));
    }
  }

  private String goOn(int shown, int open) {
    if (open == 0) {
      return "no open findings" + (selection.isEmpty() ? "" : " match these options");
    }
    boolean isAll = all || !selection.isEmpty();
    return (shown == open ? "%d in all" : isAll ? "%d of %d" : "%d of %d; --all lists them all")
            .formatted(shown, open)
        + ". To show a finding: helix-bg findings ID; to plan its edit: helix-bg act ID; to dismiss"
        + " it: helix-bg dismiss ID; to go through all findings: helix-bg tidy"
        + (kb.again().isEmpty() ? "" : ". Add" + kb.again() + " to these commands");
  }

  private void one(FindingRequests findings, String id, Decisions decisions) throws IOException {
    LastReport.Listing listing = findings.store().report().list();
    Optional<ReportedFinding> listed = listing.find(id);
    if (listed.isEmpty()) {
      Optional<Decision> over = decisions.on(id);
      if (over.isPresent()) { // a decided finding that the report no longer has
        show(() -> toJson(over.get()), () -> print(over.get()));
        return;
      }
      throw unknown(id, listing.ids());
    }
    ObjectNode found = findings.one(Json.object().put("id", id));
    show(
        () -> found,
        () -> {
          heading(found);
          new FindingText(console, found, kb.again()).print();
        });
  }

  static Failure unknown(String id, Collection<String> known) {
    return Failure.usage(
        "there is no finding " + id + NearestName.meant(id, known, "; see: helix-bg findings"));
  }

  private void print(ObjectNode finding) {
    heading(finding);
    for (String side : List.of("a", "b", "entry")) {
      entry(side.equals("entry") ? "" : side.toUpperCase(Locale.ROOT), finding.path(side));
    }
    JsonNode entries = finding.path("entries");
    for (int i = 0; i < Math.min(ENTRIES, entries.size()); i++) {
      entry("", entries.get(i));
    }
    if (entries.size() > ENTRIES) {
      console.say("    and %,d more", entries.size() - ENTRIES);
    }
    if (finding.has("says") && !finding.has("rank")) {
      console.say("    %s", finding.path("says").asText());
    }
  }

  private void heading(ObjectNode finding) {
    JsonNode verdict = finding.path("verdict");
    String said =
        verdict.isObject()
            ? verdict.path("verdict").asText()
            : verdict.asText(finding.at("/assessment/words").asText(""));
    JsonNode rank = finding.path("rank");
    console.say(
        "%-22s %s%s%s",
        finding.path("id").asText(),
        finding.path("kind").asText(),
        said.isEmpty() ? "" : ", " + said,
        rank.isInt() ? ", number %,d of the list".formatted(rank.asInt()) : "");
  }

  private void entry(String side, JsonNode entry) {
    String name = entry.path("place").asText(entry.path("name").asText(entry.asText()));
    if (!name.isEmpty()) {
      String title = entry.path("title").asText(name);
      console.say("    %-2s %s%s", side, title, title.equals(name) ? "" : "  " + name);
    }
  }

  private static ObjectNode listed(ObjectNode finding) {
    ObjectNode json = finding.deepCopy();
    json.remove(List.of("edit", "evidence", "proposedText"));
    for (JsonNode entry : json.findParents("textOmitted")) {
      ((ObjectNode) entry).retain("name", "place", "title", "topic", "key");
    }
    return json;
  }

  private void print(Decision decision) {
    console.say(
        "%-22s %-10s %-7s %s%s",
        decision.id(),
        Json.word(decision.outcome()),
        Json.word(decision.by()),
        decision.about(),
        decision.reason().isEmpty() ? "" : ": " + decision.reason());
  }

  static ObjectNode toJson(Decision decision) {
    return Json.object()
        .put("id", decision.id())
        .put("decision", Json.word(decision.outcome()))
        .put("at", decision.at().toString())
        .put("by", Json.word(decision.by()))
        .put("reason", decision.reason())
        .put("about", decision.about());
  }
}
