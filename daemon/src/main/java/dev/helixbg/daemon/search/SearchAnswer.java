package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.findings.Coverage;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a search found, and how much of the KB was searched.
 *
 * @param hits best first
 */
public record SearchAnswer(List<SearchHit> hits, Coverage coverage) {

  /** Lines for the control socket: one for each hit, then one with the coverage. */
  public List<ObjectNode> toJson() {
    return Stream.concat(hits.stream().map(SearchHit::toJson), Stream.of(toJson(coverage)))
        .toList();
  }

  /** The last line; other answers have the same field. */
  public static ObjectNode toJson(Coverage coverage) {
    ObjectNode line = Json.object();
    line.putObject("coverage").put("indexed", coverage.indexed()).put("total", coverage.total());
    return line;
  }

  /** The coverage in a line of the control socket. */
  public static Coverage coverage(JsonNode line) {
    return new Coverage(line.at("/coverage/indexed").asInt(), line.at("/coverage/total").asInt());
  }
}
