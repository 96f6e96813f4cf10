package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.LastReport;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decisions;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** The findings of a session in the report's order; a decided finding keeps its place. */
final class TidyList {
  private final ActRun acts;
  private final Set<String> order = new LinkedHashSet<>();
  private final Set<String> handled = new HashSet<>();
  private FindingRequests findings;
  private Optional<FileState> log = Optional.empty();
  private LastReport.Listing listing;
  private Decisions decisions;
  private Map<String, ReportedFinding> open = Map.of();
  private boolean hasAll;

  TidyList(ActRun acts) {
    this.acts = acts;
  }

  void look() throws IOException, InterruptedException {
    Optional<FileState> now = KbFiles.DISK.stateOrNone(acts.store().kb().dataLog());
    if (findings == null || !now.equals(log)) {
      findings = acts.findings();
      log = now;
    }
    LastReport report = acts.store().report();
    if (listing == null || !report.origin().equals(Optional.of(listing.origin()))) {
      listing = report.list();
    }
    decisions = acts.store().decisions().read();
    open = new LinkedHashMap<>();
    present(one -> hasAll || one.leads()).forEach(one -> open.put(one.id(), one));
    order.addAll(open.keySet());
    order.removeIf(id -> !open.containsKey(id) && !handled.contains(id));
  }

  private List<ReportedFinding> present(Predicate<ReportedFinding> wanted) {
    return FindingRequests.open(listing, decisions, wanted).stream()
        .filter(one -> !findings.present().isStale(one))
        .toList();
  }

  /**
   * Whether there are open findings besides the leads (findings that the report shows first), which
   * alone are in the list so far.
   */
  boolean hasMore() {
    return !hasAll && !present(one -> !one.leads()).isEmpty();
  }

  void addAll() throws IOException, InterruptedException {
    hasAll = true;
    look();
  }

  FindingRequests findings() {
    return findings;
  }

  ObjectNode act(ReportedFinding finding, ObjectNode request) {
    return findings.act(finding, decisions, request);
  }

  Shown shown(ReportedFinding finding) {
    return Shown.of(findings, finding, decisions);
  }

  Optional<ReportedFinding> open(String id) {
    return Optional.ofNullable(open.get(id));
  }

  List<String> order() {
    return List.copyOf(order);
  }

  int left() {
    return open.size();
  }

  void handled(String id) {
    handled.add(id);
  }

  /**
   * Returns the open finding after {@code from} (step 1) or before it (step −1). The first finding
   * follows the last.
   */
  Optional<String> next(String from, int step) {
    List<String> all = order();
    int start = all.indexOf(from);
    for (int i = 1; i <= all.size(); i++) {
      String id = all.get(Math.floorMod(start + step * i, all.size()));
      if (open.containsKey(id)) {
        return Optional.of(id);
      }
    }
    return Optional.empty();
  }
}
