package dev.helixbg.daemon.search;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.daemon.terminal.Json;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * An entry that a search found.
 *
 * @param name {@code topic:index}
 * @param text without metadata lines, its beginning
 * @param written local time, empty when unknown
 */
public record SearchHit(String name, double similarity, long offset, String written, String text) {
  static final int MAX_TEXT = 2_000;

  static String written(int timestampMin) {
    return timestampMin == 0
        ? ""
        : LocalDateTime.ofEpochSecond(timestampMin * 60L, 0, ZoneOffset.UTC).toString();
  }

  /** As the control socket carries it. */
  public ObjectNode toJson(ObjectMapper json) {
    return json.createObjectNode()
        .put("name", name)
        .put("similarity", Json.rounded(similarity))
        .put("offset", offset)
        .put("written", written)
        .put("text", text);
  }

  /** From what {@link #toJson} made. */
  public static SearchHit of(JsonNode json) {
    return new SearchHit(
        json.path("name").asText(),
        json.path("similarity").asDouble(),
        json.path("offset").asLong(),
        json.path("written").asText(),
        json.path("text").asText());
  }
}
