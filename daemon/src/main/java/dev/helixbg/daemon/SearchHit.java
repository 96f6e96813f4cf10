package dev.helixbg.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/**
 * An entry that a search found.
 *
 * @param name {@code topic:index}
 * @param text without metadata lines, its beginning
 * @param written local time, empty when unknown
 */
record SearchHit(String name, double similarity, long offset, String written, String text) {
  static final int MAX_TEXT = 2_000;

  static String written(int timestampMin) {
    return timestampMin == 0
        ? ""
        : LocalDateTime.ofEpochSecond(timestampMin * 60L, 0, ZoneOffset.UTC).toString();
  }

  ObjectNode toJson(ObjectMapper json) {
    return json.createObjectNode()
        .put("name", name)
        .put("similarity", Json.rounded(similarity))
        .put("offset", offset)
        .put("written", written)
        .put("text", text);
  }

  static SearchHit of(JsonNode json) {
    return new SearchHit(
        json.path("name").asText(),
        json.path("similarity").asDouble(),
        json.path("offset").asLong(),
        json.path("written").asText(),
        json.path("text").asText());
  }
}
