package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.findings.Findings;
import dev.helixbg.insight.findings.SecretCheck;
import dev.helixbg.insight.judge.AgentSayings;
import dev.helixbg.insight.judge.Judgements;
import dev.helixbg.insight.judge.Verdict;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.report.Report;
import dev.helixbg.insight.sources.SourceCheck.SourceCheckResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** Writes reports into a store, for tests. */
public final class WrittenReport {
  private WrittenReport() {}

  /**
   * @param report report in the form of report.json, with {@code log.sha256}, {@code leading}, the
   *     sections of findings, and {@code entries} with keys
   */
  public static void write(KbStore store, ObjectNode report) {
    List<String> leading = new ArrayList<>();
    report.path("leading").forEach(id -> leading.add(id.asText()));
    Map<ReportedFinding, String> all = new LinkedHashMap<>();
    for (String section : ReportedFinding.SECTIONS) {
      report.path(section).forEach(one -> all.put(listed(section, one, leading), one.toString()));
    }
    List<ReportedFinding> inOrder = new ArrayList<>(all.keySet());
    inOrder.sort(
        Comparator.comparingInt(
            one -> Math.floorMod(leading.indexOf(one.id()), Integer.MAX_VALUE)));
    List<String> entries = new ArrayList<>();
    report.path("entries").forEach(one -> entries.add(one.path("key").asText()));
    store
        .report()
        .keep(
            new LastReport.Origin(
                report.at("/log/sha256").asText(),
                new ReportBasis("", ""),
                Optional.empty(),
                0,
                "",
                Optional.empty(),
                false),
            entries,
            sink -> {
              for (int i = 0; i < inOrder.size(); i++) {
                sink.take(i, inOrder.get(i), all.get(inOrder.get(i)));
              }
            });
  }

  /** Writes only the part of a report that commands read from the store, and no file. */
  public static void write(KbStore store, Report report) {
    store.report().keep(report, new ReportBasis("", ""), 0, "");
  }

  /** Does the same for a report with these findings and merges, without judgements of a model. */
  public static void write(
      KbStore store, String model, Findings findings, List<Judgements.Merge> merges) {
    Judgements none = Judgements.NONE;
    Judgements judged =
        new Judgements(
            none.model(),
            none.guesses(),
            none.verdicts(),
            none.summaries(),
            merges,
            none.left(),
            none.trust(),
            Judgements.Lessons.NONE,
            AgentSayings.NONE);
    write(
        store,
        new Report(
            findings,
            DataLog.read(store.kb().dataLog()).account(),
            new Report.Run("test", model),
            judged,
            Optional.empty(),
            new SourceCheckResult(List.of(), List.of()),
            SecretCheck.of(findings.entries()),
            Optional.empty()));
  }

  private static ReportedFinding listed(String section, JsonNode finding, List<String> leading) {
    List<JsonNode> entries = new ArrayList<>();
    finding.path("entries").forEach(entries::add);
    if (finding.has("a")) {
      entries.addAll(List.of(finding.path("a"), finding.path("b")));
    }
    String id = finding.path("id").asText();
    return new ReportedFinding(
        section,
        id,
        leading.contains(id),
        finding.has("rank") ? OptionalInt.of(finding.path("rank").asInt()) : OptionalInt.empty(),
        finding.path("similarity").asDouble(),
        ReportedFinding.about(all(entries, "name")),
        new LinkedHashSet<>(all(entries, "topic")),
        all(entries, "key"),
        Verdict.titled(finding.at("/verdict/verdict").asText()),
        Optional.empty(),
        Optional.empty());
  }

  private static List<String> all(List<JsonNode> entries, String field) {
    return entries.stream().map(entry -> entry.path(field).asText()).toList();
  }
}
