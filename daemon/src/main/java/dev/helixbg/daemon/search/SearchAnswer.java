package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.findings.Coverage;
import java.util.List;
import java.util.stream.Stream;

/** The hits of a search, best first, with the part of the KB that was searched. */
public record SearchAnswer(List<SearchHit> hits, Coverage coverage) {

  /** Returns lines for the control socket: one line per hit, then a line with the coverage. */
  public List<ObjectNode> toJson() {
    return Stream.concat(hits.stream().map(SearchHit::toJson), Stream.of(toJson(coverage)))
        .toList();
  }

  /** Returns the line with the coverage; answers to some other requests also have this line. */
  public static ObjectNode toJson(Coverage coverage) {
    ObjectNode line = Json.object();
    line.putObject("coverage").put("indexed", coverage.indexed()).put("total", coverage.total());
    return line;
  }

  /** Reads the coverage from a line of the control socket. */
  public static Coverage coverage(JsonNode line) {
    return new Coverage(line.at("/coverage/indexed").asInt(), line.at("/coverage/total").asInt());
  }
}
