package dev.helixbg.insight.pairs;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Relation;
import dev.helixbg.embed.store.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The memory of the pair judge: {@code readings.jsonl}, a pair a line, only ever appended to, until
 * most of it is stale and it is written anew in one step. A reading is found again by the two texts
 * and the model.
 */
public final class ReadingFile {
  /** Beside the answers of language models. */
  public static final String NAME = "readings.jsonl";

  private static final int LONGEST_LINE = 1 << 10;

  /** More than any model says. */
  private static final double LARGEST_LOGIT = 1_000;

  private static final int CLASSES = Relation.values().length;
  private static final JsonMapper JSON = new JsonMapper();

  private final JsonLines lines;
  private final String model;
  private final Optional<Runnable> permit;

  private record Line(String key, Reading reading) {}

  /**
   * @param file need not be there
   * @param model by its id
   * @param permit is run before each writing, and what it throws, the writer throws; empty where
   *     nothing is saved
   */
  public ReadingFile(Path file, String model, Optional<Runnable> permit) {
    this.lines = new JsonLines(file, LONGEST_LINE);
    this.model = model;
    this.permit = permit;
  }

  /** Those of the wanted readings that there are, by their keys; of two the later one. */
  Map<String, Reading> find(Set<String> wanted) throws IOException {
    Map<String, Reading> found = new HashMap<>();
    if (!wanted.isEmpty()) {
      lines.read(text -> parse(text, wanted), line -> found.put(line.key(), line.reading()));
    }
    return found;
  }

  /** Saves readings by their keys, on disk before this returns. */
  void add(Map<String, Reading> some) throws IOException {
    if (permit.isPresent() && !some.isEmpty()) {
      List<String> texts = new ArrayList<>();
      for (Map.Entry<String, Reading> one : some.entrySet()) {
        texts.add(text(one.getKey(), one.getValue()));
      }
      permit.get().run();
      lines.append(texts);
    }
  }

  /**
   * Forgets what nobody will read again, if that is most of the file.
   *
   * @param keys of all pairs that there are now
   */
  void compactIfMostlyStale(Set<String> keys) throws IOException {
    if (permit.isPresent()) {
      lines.forgetStale(text -> parse(text, keys).isPresent(), permit.get());
    }
  }

  private String text(String key, Reading reading) throws IOException {
    ObjectNode json = JSON.createObjectNode().put("model", model).put("key", key);
    for (float logit : reading.logits()) {
      json.withArray("logits").add(logit);
    }
    json.put("olderWhole", reading.olderWhole()).put("newerWhole", reading.newerWhole());
    return JSON.writeValueAsString(json);
  }

  /** Empty for what is no line of ours, is by another model, or has none of the keys. */
  private Optional<Line> parse(String text, Set<String> keys) {
    try {
      JsonNode json = JSON.readTree(text);
      String key = json.path("key").asText();
      JsonNode values = json.path("logits");
      if (!keys.contains(key)
          || !json.path("model").asText().equals(model)
          || values.size() != CLASSES) {
        return Optional.empty();
      }
      float[] logits = new float[CLASSES];
      for (int i = 0; i < CLASSES; i++) {
        logits[i] = values.get(i).isNumber() ? values.get(i).floatValue() : Float.NaN;
        if (!(Math.abs(logits[i]) <= LARGEST_LOGIT)) {
          return Optional.empty();
        }
      }
      return Optional.of(
          new Line(
              key,
              new Reading(
                  logits,
                  json.path("olderWhole").asBoolean(),
                  json.path("newerWhole").asBoolean())));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }
}
