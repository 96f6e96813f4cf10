package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.search.SearchIndex;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * An entry that a search found.
 *
 * @param name {@code topic:index}
 * @param score what hits are ranked by: similarity and what the words add
 * @param similarity cosine with the nearest passage
 * @param text without metadata lines, its beginning
 * @param passage what matches, in the whole text without metadata lines
 * @param matched the text of the passage
 */
public record SearchHit(
    String name,
    double score,
    double similarity,
    long offset,
    String written,
    String text,
    Passage passage,
    String matched) {
  static final int MAX_TEXT = 2_000;

  public static SearchHit of(SearchIndex.Hit hit) {
    String text = hit.entry().text().content();
    return new SearchHit(
        hit.name(),
        hit.score(),
        hit.similarity(),
        hit.entry().offset(),
        written(hit.entry().timestampMin()),
        text.substring(0, Math.min(MAX_TEXT, text.length())),
        hit.passage(),
        hit.passage().text(hit.entry()));
  }

  private static String written(int timestampMin) {
    return timestampMin == 0
        ? ""
        : LocalDateTime.ofEpochSecond(timestampMin * 60L, 0, ZoneOffset.UTC).toString();
  }

  /** As the control socket carries it. */
  public ObjectNode toJson() {
    ObjectNode hit =
        Json.object()
            .put("name", name)
            .put("score", Json.rounded(score))
            .put("similarity", Json.rounded(similarity))
            .put("offset", offset)
            .put("written", written)
            .put("text", text);
    hit.putObject("passage")
        .put("start", passage.start())
        .put("end", passage.end())
        .put("text", matched);
    return hit;
  }

  /** From what {@link #toJson} made. */
  public static SearchHit of(JsonNode json) {
    JsonNode passage = json.path("passage");
    return new SearchHit(
        json.path("name").asText(),
        json.path("score").asDouble(),
        json.path("similarity").asDouble(),
        json.path("offset").asLong(),
        json.path("written").asText(),
        json.path("text").asText(),
        new Passage(passage.path("start").asInt(), passage.path("end").asInt()),
        passage.path("text").asText());
  }
}
