package dev.helixbg.daemon.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import java.util.List;

/** A finding as a client gets it: in a list what tells it from others, alone all of it. */
final class ShownFinding {
  /** Of an entry in a list, in characters. */
  private static final int EXCERPT = 200;

  /** Fields that are short and say what it is, in the order in which they are shown. */
  private static final List<String> HEAD =
      List.of(
          "id",
          "kind",
          "rank",
          "score",
          "similarity",
          "own",
          "nearer",
          "other",
          "entriesA",
          "entriesB",
          "verdict",
          "decision",
          "opinion");

  private ShownFinding() {}

  /**
   * @param finding as the daemon sends it
   */
  static ObjectNode brief(JsonNode finding) {
    ObjectNode shown = head(finding, EXCERPT);
    if (!finding.path("edit").isEmpty()) {
      ArrayNode ways = shown.putArray("edit");
      finding.path("edit").forEach(way -> ways.add(Shown.printable(way.path("do"))));
    }
    return shown;
  }

  /** With whole texts, as far as the report has them, the evidence, and the edit to carry out. */
  static ObjectNode whole(JsonNode finding) {
    ObjectNode shown = head(finding, Integer.MAX_VALUE);
    if (finding.has("proposedText")) {
      shown.set("text", Shown.printable(finding.path("proposedText")));
    }
    copy(finding, shown, "evidence");
    if (!finding.path("edit").isEmpty()) {
      ArrayNode ways = shown.putArray("edit");
      finding.path("edit").forEach(way -> ways.add(way(way)));
    }
    return shown;
  }

  /** What it is, and about which entries. */
  private static ObjectNode head(JsonNode finding, int characters) {
    ObjectNode shown = Json.object();
    HEAD.forEach(field -> copy(finding, shown, field));
    for (String side : List.of("a", "b", "entry")) {
      if (finding.has(side)) {
        shown.set(side, side(finding.path(side), characters));
      }
    }
    copy(finding, shown, "entries");
    return shown;
  }

  private static void copy(JsonNode from, ObjectNode to, String field) {
    if (from.hasNonNull(field)) {
      to.set(field, Shown.printable(from.path(field)));
    }
  }

  /** An entry; a topic is shown by its name. */
  private static JsonNode side(JsonNode side, int characters) {
    if (!side.isObject()) {
      return Shown.printable(side);
    }
    ObjectNode shown = Json.object();
    shown.set("entry", Shown.printable(side.path("name")));
    copy(side, shown, "written");
    if (characters > EXCERPT) {
      copy(side, shown, "tags");
      copy(side, shown, "source");
    }
    shown.put("text", Shown.excerpt(side.path("text").asText(), characters));
    if (side.path("textOmitted").asInt() > 0) {
      copy(side, shown, "textOmitted");
    }
    return shown;
  }

  /** One way to act on it. An edit that would not arrive as it has to be is none. */
  private static JsonNode way(JsonNode way) {
    JsonNode shown = Shown.printable(way);
    if (!shown.path("calls").equals(way.path("calls"))) {
      ((ObjectNode) shown)
          .put("calls", "left out: the entries contain control characters; edit them by hand");
    }
    return shown;
  }
}
