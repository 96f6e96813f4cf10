package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.findings.Coverage;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.search.SearchIndex;
import java.util.List;
import java.util.stream.Stream;

/** The hits of a search, best first, with the part of the KB that was searched. */
public record SearchAnswer(List<SearchIndex.Hit> hits, Coverage coverage) {
  /** Maximum length of a hit's text, in characters. */
  static final int MAX_TEXT = 2_000;

  /** Returns one line per hit, then a line with the coverage. */
  public List<ObjectNode> toJson() {
    return Stream.concat(hits.stream().map(SearchAnswer::toJson), Stream.of(toJson(coverage)))
        .toList();
  }

  private static ObjectNode toJson(SearchIndex.Hit hit) {
    NamedEntry found = hit.entry();
    ObjectNode line =
        Json.object()
            .put("name", found.name())
            .put("id", found.key())
            .put("title", found.title())
            .put("score", Json.sixDecimals(hit.score()))
            .put("similarity", Json.sixDecimals(hit.similarity()))
            .put("offset", found.entry().offset())
            .put("written", found.entry().written().orElse(""))
            .put("text", PrintableText.beginning(found.content(), MAX_TEXT));
    line.putObject("passage")
        .put("start", hit.passage().start())
        .put("end", hit.passage().end())
        .put("text", PrintableText.beginning(hit.passage().text(found.entry()), MAX_TEXT));
    return line;
  }

  /** Returns a line that tells how many entries could be searched; other answers use it, too. */
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
