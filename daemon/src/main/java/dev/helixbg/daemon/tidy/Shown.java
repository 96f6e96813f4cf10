package dev.helixbg.daemon.tidy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.server.FindingRequests;
import dev.helixbg.insight.acts.ReportedFinding;
import dev.helixbg.insight.decisions.Decisions;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.report.EvidenceWords;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A finding as the user sees it: its fields as in report.json, and its present entries, which are
 * empty for a finding about topics.
 */
record Shown(ReportedFinding finding, JsonNode told, List<NamedEntry> entries) {
  static Shown of(FindingRequests findings, ReportedFinding finding, Decisions decisions) {
    List<ObjectNode> lines = findings.lines(List.of(finding), decisions, true);
    JsonNode told = // the finding is missing if a new report has replaced the last one
        lines.isEmpty() ? MissingNode.getInstance() : lines.getFirst();
    List<NamedEntry> entries =
        finding.section().equals("copies")
            ? findings.present().entries().allOf(finding.keys())
            : findings.present().entries().of(finding.keys()).orElse(List.of());
    return new Shown(findings.present().now(finding), told, entries);
  }

  String id() {
    return finding.id();
  }

  boolean isPair() {
    return told.path("a").isObject() && told.path("b").isObject() && entries.size() == 2;
  }

  Map<String, String> ways() {
    Map<String, String> ways = new LinkedHashMap<>();
    if (told.path("edit").isEmpty()) {
      return ways;
    }
    switch (finding.kind()) {
      case "copies", "merge" -> ways.put("s", "same");
      case "topic-overlap" -> ways.put("enter", "join them");
      case "lesson" -> ways.put("enter", "write it down");
      case "source" -> ways.put("enter", "correct it");
      default -> {
        ways.put("s", "same");
        ways.put("o", "overtaken");
        ways.put("l", "link");
      }
    }
    return ways;
  }

  String what() {
    return switch (finding.kind()) {
      case "copies" -> entries.size() + " notes say the same, word for word";
      case "merge" -> "Several notes say the same; a merged text is proposed";
      case "topic-overlap" -> "Two topics about the same things";
      case "source" -> "A note names source code that has changed";
      case "lesson" -> entries.size() + " notes teach one lesson: " + told.path("lesson").asText();
      case "secret" -> "A note that may contain a secret";
      default -> pair();
    };
  }

  private String pair() {
    JsonNode said = told.path("assessment");
    JsonNode verdict = told.path("verdict");
    if (verdict.isObject()) {
      return "The language model says: %s, %.0f %%"
          .formatted(
              verdict.path("verdict").asText(), 100 * verdict.path("probability").asDouble());
    }
    if (!said.isObject()) {
      return finding.kind().equals("near-duplicate")
          ? "Two notes in nearly the same words"
          : "Two notes about the same thing";
    }
    String words = said.path("words").asText("two notes about the same thing");
    return words.substring(0, 1).toUpperCase(Locale.ROOT) + words.substring(1);
  }

  /** Returns the finding's reason in the report; empty if the kind already tells the reason. */
  String why() {
    JsonNode said = told.path("assessment");
    String judged =
        said.isObject() && !told.path("verdict").isObject()
            ? EvidenceWords.canGo(said.path("act").asDouble()) + ", "
            : "";
    return judged + told.path("says").asText();
  }

  Optional<String> merged() {
    return Optional.ofNullable(told.path("proposedText").textValue());
  }

  /** Returns an entry's text without its title, if the title has a line of its own. */
  static String content(NamedEntry entry) {
    String content = entry.entry().text().content().strip();
    return hasHeading(entry) ? content.substring(content.indexOf('\n')).strip() : content;
  }

  static boolean hasHeading(NamedEntry entry) {
    String content = entry.entry().text().content().strip();
    String title = entry.title();
    int end = content.indexOf('\n');
    String first = content.substring(0, Math.max(0, end)).strip();
    return end > 0
        && first.endsWith(title)
        && first
            .substring(0, first.length() - title.length())
            .chars()
            .noneMatch(Character::isLetterOrDigit);
  }

  static String about(NamedEntry entry) {
    List<String> about = new ArrayList<>(List.of(entry.name()));
    if (entry.entry().timestampMin() != 0) {
      about.add(
          LocalDate.ofEpochDay(Math.floorDiv(entry.entry().timestampMin(), Entry.DAY)).toString());
    }
    about.addAll(entry.entry().text().tags());
    if (entry.entry().note().isEmpty()) {
      entry.entry().text().source().ifPresent(about::add);
    }
    return String.join("  ", about);
  }
}
