package dev.helixbg.insight.decisions;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.embed.store.JsonLines;
import dev.helixbg.insight.decisions.Decision.By;
import dev.helixbg.insight.decisions.Decision.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * {@code insights/decisions.jsonl}: one decision a line, only ever appended to, so that it outlasts
 * compactions, new models and lost caches.
 *
 * <pre>
 * {"at":"2026-03-14T09:30:00Z","id":"dup-3f9a01c2d4","decision":"dismissed","by":"person","about":"auth:1 ~ auth:7"}
 * </pre>
 *
 * Beside these there may be a {@code reason}. Lines from before there was {@code by} are a
 * person's. A line that is no decision, such as the torn end that a power cut leaves, is passed
 * over and counted; the next append begins on a line of its own.
 */
public final class DecisionFile {
  public static final String NAME = "decisions.jsonl";

  /** Nobody writes longer ones; what is longer is damage. */
  private static final int LONGEST_LINE = 1 << 16;

  /** Of what it is about, and of the reason, in characters. */
  public static final int MAX_TEXT = 500;

  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonLines lines;

  /**
   * @param insights the folder that the file is in
   */
  public DecisionFile(Path insights) {
    this.lines = new JsonLines(insights.resolve(NAME), LONGEST_LINE);
  }

  /**
   * Reads all of it; no file is no decisions.
   *
   * @throws IOException when there is a file that cannot be read
   */
  public Decisions read() throws IOException {
    List<Decision> decisions = new ArrayList<>();
    JsonLines.Count count = lines.read(DecisionFile::parse, decisions::add);
    return new Decisions(decisions, (int) Math.min(count.passedOver(), Integer.MAX_VALUE));
  }

  /**
   * Appends decisions and waits until they are on the disk. Two processes that append at once come
   * one after the other.
   *
   * @throws IOException when the file cannot be written
   */
  public void append(List<Decision> decisions) throws IOException {
    lines.append(decisions.stream().map(DecisionFile::text).toList());
  }

  private static Optional<Decision> parse(String line) {
    try {
      JsonNode json = JSON.readTree(line);
      String id = json.path("id").asText();
      String verdict = json.path("decision").asText();
      if (!Decision.isId(id) || !verdict.equals(verdict.toLowerCase(Locale.ROOT))) {
        return Optional.empty();
      }
      return Optional.of(
          new Decision(
              id,
              Verdict.valueOf(verdict.toUpperCase(Locale.ROOT)),
              Instant.parse(json.path("at").asText()),
              json.path("about").asText(),
              by(json.path("by").asText("person")),
              json.path("reason").asText()));
    } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
      return Optional.empty();
    }
  }

  /** What does not say that it is a person's is no truth. */
  private static By by(String text) {
    return text.equals(title(By.PERSON)) ? By.PERSON : By.AGENT;
  }

  private static String title(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  private static String text(Decision decision) {
    ObjectNode json =
        JSON.createObjectNode()
            .put("at", decision.at().toString())
            .put("id", decision.id())
            .put("decision", title(decision.verdict()))
            .put("by", title(decision.by()))
            .put("about", cut(decision.about()));
    if (!decision.reason().isEmpty()) {
      json.put("reason", cut(decision.reason()));
    }
    return json.toString();
  }

  private static String cut(String text) {
    return text.substring(0, Math.min(MAX_TEXT, text.length()));
  }
}
