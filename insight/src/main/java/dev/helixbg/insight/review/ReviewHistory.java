package dev.helixbg.insight.review;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.embed.store.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * {@code insights/history.jsonl}: one review a line, appended. A line that is no review, such as a
 * torn one, is passed over. A file that has grown too large keeps its newest lines.
 */
public final class ReviewHistory {
  public static final String NAME = "history.jsonl";
  private static final long MAX_BYTES = 8L << 20;
  private static final int KEPT = 200;
  private static final int LONGEST_LINE = 4 << 20;

  /** In UTF-16 units: topics, of which names and sentences are made, can be longer. */
  private static final int MAX_TEXT = 1_000;

  private static final int MAX_SUMMARY = 4_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonLines lines;

  /**
   * @param insights the folder that the file is in
   */
  public ReviewHistory(Path insights) {
    this.lines = new JsonLines(insights.resolve(NAME), LONGEST_LINE);
  }

  /** The newest reviews that looked at all topics, one of a kind. */
  public Map<Review.Kind, Review> latest() throws IOException {
    Map<Review.Kind, Review> latest = new EnumMap<>(Review.Kind.class);
    lines.read(
        ReviewHistory::parse,
        review -> {
          if (review.topic().isEmpty()) {
            latest.put(review.kind(), review);
          }
        });
    return latest;
  }

  /** Appends a review and waits until it is on the disk. */
  public void append(Review review) throws IOException {
    if (lines.size() > MAX_BYTES) {
      keepNewest();
    }
    lines.append(List.of(JSON.writeValueAsString(toJson(review))));
  }

  private void keepNewest() throws IOException {
    AtomicLong old = new AtomicLong(lines.read(Optional::of, line -> {}).taken() - KEPT);
    lines.rewrite(line -> old.getAndDecrement() <= 0);
  }

  /** A review as it stands in the file. */
  public static ObjectNode toJson(Review review) {
    ObjectNode json = JSON.createObjectNode();
    json.put("kind", review.kind().title());
    json.put("topic", review.topic().orElse(null));
    json.put("at", review.at().toString());
    json.put("logSha256", review.logSha256());
    json.put("judge", review.judge().orElse(null));
    json.put("summary", PrintableText.beginning(review.summary(), MAX_SUMMARY));
    for (Review.Item item : review.items()) {
      json.withArray("items")
          .addObject()
          .put("id", item.id())
          .put("relation", item.relation())
          .put("a", PrintableText.beginning(item.a(), MAX_TEXT))
          .put("b", PrintableText.beginning(item.b(), MAX_TEXT))
          .put("similarity", JsonLines.sixDecimals(item.similarity()))
          .put("verdict", item.verdict())
          .put("text", PrintableText.beginning(item.text(), MAX_TEXT));
    }
    json.withArray("items");
    review.marks().forEach(json.withArray("marks")::add);
    return json;
  }

  /** Empty for what is no review. */
  public static Optional<Review> fromJson(JsonNode json) {
    try {
      List<Review.Item> items = new ArrayList<>();
      for (JsonNode item : json.path("items")) {
        if (items.size() == Review.MAX_ITEMS) {
          break;
        }
        items.add(
            new Review.Item(
                item.path("id").asText(),
                item.path("relation").asText(),
                item.path("a").asText(),
                item.path("b").asText(),
                item.path("similarity").asDouble(),
                item.path("verdict").asText(),
                item.path("text").asText()));
      }
      List<String> marks = new ArrayList<>();
      json.path("marks").forEach(mark -> marks.add(mark.asText()));
      return Optional.of(
          new Review(
              Review.Kind.valueOf(json.path("kind").asText().toUpperCase(Locale.ROOT)),
              Optional.ofNullable(json.path("topic").textValue()),
              Instant.parse(json.path("at").asText()),
              json.path("logSha256").asText(),
              Optional.ofNullable(json.path("judge").textValue()),
              json.path("summary").asText(),
              List.copyOf(items),
              List.copyOf(marks)));
    } catch (IllegalArgumentException | DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Review> parse(String line) {
    try {
      return fromJson(JSON.readTree(line));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
