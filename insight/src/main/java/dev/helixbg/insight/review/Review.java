package dev.helixbg.insight.review;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.text.PrintableText;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.JudgeTrust;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What the review of a session of writing found.
 *
 * @param logSha256 of the log it looked at
 * @param judge the language model that judged; empty: the vectors alone
 * @param summary in a sentence or a few
 * @param marks by which the next review finds where this one ended; may be empty
 */
public record Review(
    Instant at,
    String logSha256,
    Optional<String> judge,
    String summary,
    List<Item> items,
    List<String> marks) {

  /**
   * One thing found.
   *
   * @param id of the finding that it is, by which it can be dismissed or done
   * @param relation of b to a, such as {@code repeats}
   * @param a the newer entry
   * @param b the other one; its name is empty where there is none
   * @param similarity cosine; 0 when there is only one
   * @param verdict of the model; empty when nobody judged
   * @param text an excerpt, for people
   */
  public record Item(
      String id,
      String relation,
      Named a,
      Named b,
      double similarity,
      String verdict,
      String text) {}

  /** An entry as it was called then: by title and name. */
  public record Named(String title, String name) {
    public static Named of(NamedEntry entry) {
      return new Named(entry.title(), entry.name());
    }

    /** A review of an earlier version has the name alone. */
    private static Named of(JsonNode json) {
      String name = json.path("name").asText(json.asText());
      return new Named(json.path("title").asText(name), name);
    }

    private ObjectNode toJson() {
      return JSON.createObjectNode()
          .put("title", PrintableText.beginning(title, MAX_TEXT))
          .put("name", PrintableText.beginning(name, MAX_TEXT));
    }
  }

  /** As clients of the daemon, commands with --json and the store have it. */
  public ObjectNode toJson() {
    ObjectNode json = JSON.createObjectNode();
    json.put("at", at.toString());
    json.put("logSha256", logSha256);
    json.put("judge", judge.orElse(null));
    json.put("summary", PrintableText.beginning(summary, MAX_SUMMARY));
    ArrayNode all = json.putArray("items");
    for (Item item : items) {
      ObjectNode one = all.addObject().put("id", item.id()).put("relation", item.relation());
      one.set("a", item.a().toJson());
      one.set("b", item.b().toJson());
      one.put("similarity", Math.round(item.similarity() * 1e6) / 1e6)
          .put("verdict", item.verdict())
          .put("text", PrintableText.beginning(item.text(), MAX_TEXT));
    }
    marks.forEach(json.putArray("marks")::add);
    return json;
  }

  /** Empty for what {@link #toJson} does not give. */
  public static Optional<Review> fromJson(JsonNode json) {
    try {
      List<Item> items = new ArrayList<>();
      for (JsonNode item : json.path("items")) {
        items.add(
            new Item(
                item.path("id").asText(),
                item.path("relation").asText(),
                Named.of(item.path("a")),
                Named.of(item.path("b")),
                item.path("similarity").asDouble(),
                item.path("verdict").asText(),
                item.path("text").asText()));
      }
      List<String> marks = new ArrayList<>();
      json.path("marks").forEach(mark -> marks.add(mark.asText()));
      return Optional.of(
          new Review(
              Instant.parse(json.path("at").asText()),
              json.path("logSha256").asText(),
              Optional.ofNullable(json.path("judge").textValue()),
              json.path("summary").asText(),
              items,
              marks));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  /** The same with one more sentence, if there is one. */
  Review saying(String sentence) {
    String words = sentence.isEmpty() ? summary : summary + " " + sentence;
    return new Review(at, logSha256, judge, words, items, marks);
  }

  /** The same without what the user has settled. */
  public Review without(Predicate<String> settled) {
    List<Item> open = items.stream().filter(item -> !settled.test(item.id())).toList();
    return new Review(at, logSha256, judge, summary, open, marks);
  }

  /** Longest name and longest excerpt, in UTF-16 units: topics can be longer. */
  private static final int MAX_TEXT = 1_000;

  private static final int MAX_SUMMARY = 4_000;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Said at the end of a summary when there was no model. */
  static final String NOT_JUDGED =
      " No language model judged this: it rests on vectors, words and the pair judge.";

  /** Said there when the model was measured on pairs whose truth is known, and did no better. */
  static final String GUESSED =
      " The language model that judged this was measured. " + JudgeTrust.GUESSING;
}
