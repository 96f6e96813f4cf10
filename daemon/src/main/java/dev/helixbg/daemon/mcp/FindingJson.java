package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.log.Passage;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Findings as JSON for MCP clients: few fields in a list, all fields for a single finding. */
final class FindingJson {
  private static final int EXCERPT = 200;

  /** Maximum characters of an entry's text; the tool {@code entry} returns the rest. */
  static final int TEXT = 4_000;

  private static final int LINE = 300;

  private static final int TAG = 100;

  private static final int TAGS = 20;
  private static final int NAMES = 20;

  private static final int PROPOSED = 8_000;

  private static final List<String> HEAD =
      List.of(
          "id",
          "kind",
          "rank",
          "score",
          "similarity",
          "change",
          "named",
          "path",
          "now",
          "says",
          "entriesA",
          "entriesB",
          "stale",
          "verdict",
          "agents",
          "assessment",
          "decision");

  private FindingJson() {}

  static ObjectNode of(JsonNode finding, boolean isWhole) {
    int characters = isWhole ? TEXT : EXCERPT;
    ObjectNode shown = Json.object();
    HEAD.forEach(field -> copy(finding, shown, field));
    for (String side : List.of("a", "b", "entry")) {
      if (finding.has(side)) {
        JsonNode entry = side(finding.path(side), isWhole);
        shown.set(side, entry);
        matched(finding, side, isWhole)
            .ifPresent(found -> ((ObjectNode) entry).set("matched", found));
      }
    }
    JsonNode entries = finding.path("entries");
    if (entries.path(0).isObject()) {
      shown.set("entries", lines(entries, NAMES, entry -> entry.path("name"), LINE));
      int omitted = Math.max(0, entries.size() - NAMES) + finding.path("entriesOmitted").asInt();
      if (omitted > 0) {
        shown.put("entriesOmitted", omitted);
      }
      shown.put("text", PrintableJson.excerpt(entries.at("/0/text").asText(), characters));
    } else {
      copy(finding, shown, "entries");
    }
    if (isWhole) {
      if (finding.has("proposedText")) {
        shown.set("text", PrintableJson.printable(finding.path("proposedText"), PROPOSED));
      }
      copy(finding, shown, "evidence");
    }
    if (!finding.path("edit").isEmpty()) {
      ArrayNode ways = shown.putArray("edit");
      finding.path("edit").forEach(way -> ways.add(PrintableJson.printable(way.path("do"), LINE)));
    }
    return shown;
  }

  private static ArrayNode lines(
      JsonNode list, int most, UnaryOperator<JsonNode> text, int characters) {
    return Json.texts(
        list.valueStream()
            .limit(most)
            .map(one -> PrintableJson.line(text.apply(one).asText(), characters))
            .toList());
  }

  /**
   * Returns a copy of an act (a planned edit). If its edits contain control or invisible
   * characters, leaves them out. If its calls contain such characters, leaves out all calls.
   */
  static ObjectNode act(JsonNode act) {
    ObjectNode shown = (ObjectNode) PrintableJson.printable(act);
    if (!shown.path("edits").equals(act.path("edits"))) {
      shown.remove("edits"); // the field byHand describes the edits
    }
    for (String part : List.of("checks", "calls", "undo")) {
      if (!shown.path(part).equals(act.path(part))) {
        shown.putArray("checks");
        shown.putArray("calls");
        shown.putArray("undo");
        return shown.put("byHand", "the entries contain control or invisible characters");
      }
    }
    return shown;
  }

  /**
   * Returns the passage that matches the other entry of the pair. If {@code isWhole}, adds the text
   * before and after it.
   */
  private static Optional<ObjectNode> matched(JsonNode finding, String side, boolean isWhole) {
    JsonNode passage = finding.at("/evidence/passages/" + side);
    String text = finding.path(side).path("text").asText();
    int start = passage.path("start").asInt();
    if (!passage.isObject() || start >= text.length() || isWhole && start == 0) {
      return Optional.empty();
    }
    Passage matching = new Passage(start, passage.path("end").asInt());
    Passage.InPlace found = isWhole ? matching.inPlace(text) : matching.inPlace(text, EXCERPT, 0);
    ObjectNode shown = Json.object().put("from", start);
    if (isWhole) {
      shown.put("before", PrintableJson.excerpt(found.before(), Passage.MOST_SHOWN));
    }
    shown.put("text", PrintableJson.excerpt(found.text(), Passage.MOST_SHOWN));
    if (isWhole) {
      shown.put("after", PrintableJson.excerpt(found.after(), Passage.MOST_SHOWN));
    }
    return Optional.of(shown);
  }

  private static void copy(JsonNode from, ObjectNode to, String field) {
    if (from.hasNonNull(field)) {
      to.set(field, PrintableJson.printable(from.path(field), LINE));
    }
  }

  private static JsonNode side(JsonNode side, boolean isWhole) {
    if (!side.isObject()) {
      return PrintableJson.printable(side, LINE);
    }
    int characters = isWhole ? TEXT : EXCERPT;
    ObjectNode shown = Json.object();
    shown.put("entry", PrintableJson.line(side.path("name").asText(), LINE));
    copy(side, shown, "written");
    if (isWhole) {
      shown.set("id", side.path("key"));
      if (!side.path("tags").isEmpty()) {
        shown.set("tags", lines(side.path("tags"), TAGS, UnaryOperator.identity(), TAG));
      }
      List.of("source", "heading", "part").forEach(field -> copy(side, shown, field));
    }
    String text = side.path("text").asText();
    shown.put("text", PrintableJson.excerpt(text, characters));
    int omitted = side.path("textOmitted").asInt() + Math.max(0, text.length() - characters);
    if (omitted > 0) {
      shown.put("textOmitted", omitted);
    }
    return shown;
  }
}
