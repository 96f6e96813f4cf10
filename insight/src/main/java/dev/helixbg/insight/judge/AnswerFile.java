package dev.helixbg.insight.judge;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.embed.store.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The memory of what models said: {@code answers.jsonl}, an answer a line, only ever appended to,
 * until most of it is stale and it is written anew in one step.
 *
 * <p>An answer is found again by job, prompt version, model file and the whole text it is about.
 * The file is searched from its beginning for many answers at a time; none is held in memory.
 */
public final class AnswerFile {
  private static final int MAX_TEXT = 20_000;
  private static final int LONGEST_LINE = 1 << 18;
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private static final String KEY_FIELD = "\"key\":\"";

  private final JsonLines lines;
  private final Optional<Runnable> permit;

  /**
   * @param file need not be there
   * @param writable whether answers are saved
   */
  public AnswerFile(Path file, boolean writable) {
    this(file, writable ? Optional.of(() -> {}) : Optional.empty());
  }

  /**
   * @param file need not be there
   * @param permit is run before each writing; what it throws, the writer throws, and nothing was
   *     written
   */
  public AnswerFile(Path file, Runnable permit) {
    this(file, Optional.of(permit));
  }

  private AnswerFile(Path file, Optional<Runnable> permit) {
    this.lines = new JsonLines(file, LONGEST_LINE);
    this.permit = permit;
  }

  /**
   * What is asked of whom.
   *
   * @param version of the prompt, budget included
   * @param model SHA-256 of the model file, in hexadecimal
   * @param key of the question
   */
  public record Id(QuestionKind job, String version, String model, String key) {}

  private record Line(Id id, Answer answer) {}

  /** Those of the wanted answers that there are; of two to the same question the later one. */
  public Map<Id, Answer> find(Set<Id> wanted) throws IOException {
    Map<Id, Answer> found = new HashMap<>();
    Set<String> keys = wanted.stream().map(Id::key).collect(Collectors.toSet());
    lines.read(
        text -> parse(text, keys).filter(line -> wanted.contains(line.id())),
        line -> found.put(line.id(), line.answer()));
    return found;
  }

  /** Saves answers, on disk before this returns. */
  public void add(Map<Id, Answer> some) throws IOException {
    if (permit.isPresent() && !some.isEmpty()) {
      List<String> texts = new ArrayList<>();
      for (Map.Entry<Id, Answer> one : some.entrySet()) {
        texts.add(text(one.getKey(), one.getValue()));
      }
      permit.get().run();
      lines.append(texts);
    }
  }

  /**
   * Forgets what nobody will ask again, if that is most of the file.
   *
   * @param keys of all questions that there are now; answers of other models to these stay
   * @param versions of the prompts in use
   * @return whether the file was written anew
   */
  public boolean compactIfMostlyStale(Set<String> keys, Collection<String> versions)
      throws IOException {
    if (permit.isEmpty()) {
      return false;
    }
    return lines.forgetStale(
        text ->
            parse(text, keys).filter(line -> versions.contains(line.id().version())).isPresent(),
        permit.get());
  }

  private static String text(Id id, Answer answer) throws IOException {
    ObjectNode json =
        JSON.createObjectNode()
            .put("job", id.job().title())
            .put("prompt", id.version())
            .put("model", id.model())
            .put("key", id.key())
            .put("answer", answer.text());
    if (!id.job().choices().isEmpty()) {
      json.put("p", answer.probability())
          .put("next", answer.runnerUp())
          .put("nextP", answer.runnerUpProbability());
      if (!answer.orders().isEmpty()) {
        answer.orders().forEach(json.withArray("orders")::add);
      }
    }
    json.put("cut", answer.cut());
    if (answer.cut() && answer.unread() != Answer.ANY) {
      json.put("unread", answer.unread());
    }
    return JSON.writeValueAsString(json);
  }

  /** Empty for what is no line of ours, or has none of the keys. */
  private static Optional<Line> parse(String text, Set<String> keys) {
    if (!keys.contains(key(text))) {
      return Optional.empty();
    }
    try {
      JsonNode json = JSON.readTree(text);
      Answer answer =
          new Answer(
              json.path("answer").asText(),
              number(json, "p", 1),
              json.path("next").asText(),
              number(json, "nextP", 0),
              json.path("cut").asBoolean() ? json.path("unread").asInt(Answer.ANY) : 0,
              orders(json.path("orders")));
      return QuestionKind.titled(json.path("job").asText())
          .filter(job -> isPossible(job, answer))
          .map(
              job ->
                  new Line(
                      new Id(
                          job,
                          json.path("prompt").asText(),
                          json.path("model").asText(),
                          json.path("key").asText()),
                      answer));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /**
   * As {@link #text} writes it; to look for it costs a twentieth of parsing the line. In a text of
   * the line each quote has a backslash before it.
   */
  private static String key(String text) {
    int begin = text.indexOf(KEY_FIELD) + KEY_FIELD.length();
    int end = text.indexOf('"', begin);
    return begin < KEY_FIELD.length() || end < 0 ? "" : text.substring(begin, end);
  }

  /** Two, or none. */
  private static List<String> orders(JsonNode json) {
    return json.size() == 2 ? List.of(json.path(0).asText(), json.path(1).asText()) : List.of();
  }

  /** NaN, which is no share, for what is no number. */
  private static double number(JsonNode json, String field, double absent) {
    JsonNode value = json.path(field);
    return value.isMissingNode() ? absent : value.isNumber() ? value.doubleValue() : Double.NaN;
  }

  /** Nobody can make the report say what no model could have said. */
  private static boolean isPossible(QuestionKind job, Answer answer) {
    List<String> choices = job.choices();
    return choices.isEmpty()
        ? answer.text().length() <= MAX_TEXT
        : choices.contains(answer.text())
            && choices.contains(answer.runnerUp())
            && choices.containsAll(answer.orders())
            && isShare(answer.probability())
            && isShare(answer.runnerUpProbability())
            && answer.probability() + answer.runnerUpProbability() <= 1 + 1e-6;
  }

  private static boolean isShare(double value) {
    return value >= 0 && value <= 1; // false for NaN
  }
}
