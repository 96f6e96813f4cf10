package dev.helixbg.daemon.kb;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Reasons;
import dev.helixbg.embed.store.PrivateFiles;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A finding as the last report lists it.
 *
 * @param about which entries or topics, for people
 * @param json as report.json has it
 */
public record ReportedFinding(
    String id, String kind, double similarity, String about, JsonNode json) {

  /**
   * All findings of the last report, in its order.
   *
   * @throws Failure with {@link ExitCode#KB} when there is no report
   */
  public static List<ReportedFinding> of(Kb kb) {
    return of(report(kb));
  }

  /** Ids of those that a report leads with, in its order. */
  public static List<String> leading(JsonNode report) {
    List<String> ids = new ArrayList<>();
    report.path("leading").forEach(id -> ids.add(id.asText()));
    return ids;
  }

  /**
   * The last report.
   *
   * @throws Failure with {@link ExitCode#KB} when there is none
   */
  public static JsonNode report(Kb kb) {
    Path file = ReportFolder.of(kb).json();
    try {
      PrivateFiles.requireFile(file);
      return new ObjectMapper().readTree(file.toFile());
    } catch (NoSuchFileException | java.io.FileNotFoundException e) {
      throw new Failure(
          ExitCode.KB, "there is no report yet in " + kb.insights() + ": run helix-bg one-shot");
    } catch (JacksonException e) {
      throw new Failure(ExitCode.KB, file + " is damaged: run helix-bg one-shot to write it anew");
    } catch (IOException e) {
      throw new Failure(ExitCode.KB, "cannot read " + file + ": " + Reasons.of(e));
    }
  }

  /** All findings of a report, in its order. */
  public static List<ReportedFinding> of(JsonNode report) {
    List<ReportedFinding> findings = new ArrayList<>();
    report.path("nearDuplicates").forEach(pair -> findings.add(pair(pair, "near-duplicate")));
    for (JsonNode overlap : report.path("topicOverlaps")) {
      findings.add(
          new ReportedFinding(
              overlap.path("id").asText(),
              "topic overlap",
              overlap.path("similarity").asDouble(),
              overlap.path("a").asText() + " ~ " + overlap.path("b").asText(),
              overlap));
    }
    report.path("crossLinks").forEach(pair -> findings.add(pair(pair, "cross-link")));
    for (JsonNode misfiled : report.path("misfiled")) {
      findings.add(
          new ReportedFinding(
              misfiled.path("id").asText(),
              "misfiled",
              misfiled.path("other").asDouble(),
              misfiled.at("/entry/name").asText() + " > " + misfiled.path("nearer").asText(),
              misfiled));
    }
    report.path("relations").forEach(pair -> findings.add(pair(pair, "relation")));
    for (JsonNode merge : report.path("merges")) {
      List<String> names = new ArrayList<>();
      merge.path("entries").forEach(name -> names.add(name.asText()));
      findings.add(
          new ReportedFinding(
              merge.path("id").asText(), "merge", 1, String.join(" ~ ", names), merge));
    }
    findings.removeIf(finding -> !Decision.isId(finding.id()));
    return findings;
  }

  private static ReportedFinding pair(JsonNode pair, String kind) {
    return new ReportedFinding(
        pair.path("id").asText(),
        kind,
        pair.path("similarity").asDouble(),
        pair.at("/a/name").asText() + " ~ " + pair.at("/b/name").asText(),
        pair);
  }
}
