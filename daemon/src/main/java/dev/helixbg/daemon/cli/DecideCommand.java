package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Settings;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.link.DaemonLink;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.daemon.server.PresentFindings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decision;
import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.insight.decisions.Decisions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

final class DecideCommand extends JsonCommand {
  private static final int LONGEST_LIST = 1 << 24;

  private final Outcome outcome;
  private final KbOption kb = new KbOption();
  private final FindingFilter selection = new FindingFilter();
  private List<String> ids = List.of();
  private boolean dryRun;

  DecideCommand(Outcome outcome) {
    this.outcome = outcome;
  }

  @Override
  protected void declare(Declaration to) {
    to.description(
        switch (outcome) {
          case DISMISSED ->
              "Dismiss findings that are wrong or unimportant: the report no longer shows them.";
          case DONE ->
              "Mark findings as done after you have acted on them: the report no longer shows"
                  + " them.";
          default ->
              "Take back decisions that 'dismiss' or 'done' has stored: the report shows the"
                  + " findings again.";
        });
    to.add(options, kb);
    if (outcome != Outcome.OPEN) {
      to.add(selection);
    }
    to.arguments(
        "0..*",
        "ID",
        "Ids of findings. 'helix-bg findings --all' lists the open findings, and 'helix-bg"
            + " findings --settled' lists the dismissed and done findings. '-' reads ids from"
            + " standard input: the first word of each line is an id.",
        String.class,
        given -> ids = given);
    to.flag("--dry-run", "Show the decisions, but do not store them.", given -> dryRun = given);
  }

  @Override
  protected void run() throws IOException, InterruptedException {
    ids = kb.withoutFolder(ids, word -> word.equals("-") || Decision.isId(word));
    Settings settings = options.load().settings();
    Kb chosen;
    List<Decision> made;
    try (KbStores stores = stores(settings)) {
      chosen = kb.locate(settings);
      kb.refresh();
      KbStore store = stores.of(chosen);
      made = decisions(store, settings);
      if (!dryRun && !made.isEmpty()) {
        store.decisions().add(made);
      }
    }
    show(
        () -> Json.array(made, DecideCommand::toJson),
        () -> {
          if (dryRun) {
            made.forEach(one -> console.say("%-22s %s", one.id(), one.about()));
          }
        });
    console.warn(
        "%s for %d %s%s",
        dryRun ? "decision would be stored" : "decision stored",
        made.size(),
        made.size() == 1 ? "finding" : "findings",
        dryRun || made.isEmpty() ? "" : "; " + whenItShows(chosen, kb));
  }

  private List<Decision> decisions(KbStore store, Settings settings)
      throws IOException, InterruptedException {
    boolean bySelection = !selection.isEmpty();
    if (ids.isEmpty() && !bySelection) {
      throw Failure.usage(
          outcome == Outcome.OPEN
              ? "name the decisions to take back: give ids, or - to read ids from standard input"
              : "name findings: give ids, or - to read ids from standard input, or --topic, --kind"
                  + " or --verdict");
    }
    List<String> named = named();
    Decisions before = store.decisions().read();
    Map<String, String> known = new LinkedHashMap<>();
    Map<String, ReportedFinding> reported = new HashMap<>();
    Set<String> wanted = new LinkedHashSet<>();
    if (outcome != Outcome.OPEN) {
      Predicate<ReportedFinding> selected = selection.chosen();
      List<ReportedFinding> found =
          bySelection ? store.report().list().findings() : store.report().findings(named);
      selection.requireTopic(store.kb(), found);
      for (ReportedFinding finding : found) {
        known.put(finding.id(), finding.about());
        reported.put(finding.id(), finding);
        if (bySelection && before.on(finding.id()).isEmpty() && selected.test(finding)) {
          wanted.add(finding.id());
        }
      }
    }
    before.settled().forEach(decision -> known.put(decision.id(), decision.about()));
    for (String id : named) {
      if (!known.containsKey(id)) {
        if (outcome == Outcome.OPEN) {
          throw Failure.usage(
              "there is no decision on "
                  + id
                  + NearestName.meant(id, known.keySet(), "; see: helix-bg findings --settled"));
        }
        List<String> names = new ArrayList<>(store.report().list().ids());
        names.addAll(known.keySet());
        throw FindingsCommand.unknown(id, names);
      }
      wanted.add(id);
    }
    Set<String> notDone = new LinkedHashSet<>();
    if (outcome == Outcome.DONE) {
      PresentFindings present =
          FindingRequests.of(store, settings, EmbeddingModel.locate(settings).id()).present();
      wanted.stream()
          .filter(id -> reported.containsKey(id) && present.notDone(reported.get(id)).isPresent())
          .forEach(notDone::add);
    }
    if (!notDone.isEmpty()) {
      console.warn(
          "dismissed instead of done, because the log does not show the edits that settle them: %s",
          String.join(", ", notDone));
    }
    Instant now = Instant.now();
    return wanted.stream()
        .map(
            id ->
                new Decision(
                    id, notDone.contains(id) ? Outcome.DISMISSED : outcome, now, known.get(id)))
        .toList();
  }

  private List<String> named() throws IOException {
    List<String> named = new ArrayList<>();
    for (String id : ids) {
      named.addAll(id.equals("-") ? readIds() : List.of(id));
    }
    return named;
  }

  private static List<String> readIds() throws IOException {
    byte[] list = System.in.readNBytes(LONGEST_LIST + 1);
    if (list.length > LONGEST_LIST) {
      throw Failure.usage(
          "standard input has more than 16 MiB, which is too long for a list of findings");
    }
    return new String(list, StandardCharsets.UTF_8)
        .lines()
        .filter(line -> !line.startsWith(" ")) // skips lines about a finding's entries
        .map(line -> line.strip().split("\\s", 2)[0])
        .filter(first -> !first.isEmpty())
        .toList();
  }

  private static ObjectNode toJson(Decision decision) {
    return FindingsCommand.toJson(decision).retain("id", "decision", "about");
  }

  /** Makes the daemon check the KB if it watches the KB. Returns how the report will be updated. */
  static String whenItShows(Kb chosen, KbOption kb) {
    DaemonLink link = GlobalOptions.daemon();
    if (!link.watches(chosen)) {
      return "the next run updates the report: helix-bg one-shot" + kb.again();
    }
    return link.hint(chosen)
        ? "the daemon is updating the report"
        : "the daemon updates the report at its next check";
  }
}
