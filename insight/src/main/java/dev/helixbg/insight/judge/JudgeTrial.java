package dev.helixbg.insight.judge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Measures how well a language model judges sixty pairs of notes with known answers. The pairs are
 * in {@code trial.jsonl} and come from the knowledge base of {@code bench findings}.
 */
public final class JudgeTrial {
  private static final String FILE = "trial.jsonl";

  /**
   * The known answer: both entries say the same, the older entry is overtaken, or neither is true.
   */
  public enum Truth {
    SAME,
    OVERTAKEN,
    NEITHER;

    public static Truth of(Verdict verdict) {
      return switch (verdict) {
        case SAME -> SAME;
        case OVERTAKEN -> OVERTAKEN;
        case RELATED, DIFFERENT -> NEITHER;
      };
    }
  }

  public record Pair(String id, Truth truth, Question.Compare both, Question.Overtaken holds) {}

  private final QuestionSession asking;
  private final List<Pair> pairs = pairs();
  private final VerdictRun run;

  public JudgeTrial(QuestionSession asking) {
    this.asking = asking;
    run = new VerdictRun(asking);
    pairs.forEach(pair -> run.add(pair.id(), pair.both(), pair.holds()));
  }

  public static List<Pair> pairs() {
    List<Pair> pairs = new ArrayList<>();
    for (JsonNode json : lines(JudgeTrial.class, FILE)) {
      String older = json.path("older").asText();
      String newer = json.path("newer").asText();
      pairs.add(
          new Pair(
              "" + pairs.size(),
              Truth.valueOf(json.path("truth").asText()),
              new Question.Compare(older, newer),
              new Question.Overtaken(older, newer)));
    }
    return pairs;
  }

  /** Reads a resource with questions and known answers, from the package of {@code owner}. */
  public static List<JsonNode> lines(Class<?> owner, String file) {
    try (MappingIterator<JsonNode> lines =
        new ObjectMapper().readerFor(JsonNode.class).readValues(owner.getResource(file))) {
      return lines.readAll();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Asks the unanswered questions. Returns the model's reliability; empty if answers are still
   * missing.
   */
  public Optional<JudgeTrust> ask() throws InterruptedException {
    return run.ask(pairs.size()) > 0 ? Optional.empty() : Optional.of(trust());
  }

  private JudgeTrust trust() {
    Map<String, PairVerdict> verdicts = run.verdicts();
    Map<Verdict, JudgeTrust.Tally> said = new EnumMap<>(Verdict.class);
    List<List<String>> orders = new ArrayList<>();
    int right = 0;
    for (Pair pair : pairs) {
      Verdict verdict = verdicts.get(pair.id()).verdict();
      right += JudgeTrust.Tally.count(said, verdict, pair.truth());
      orders.add(asking.find(pair.both()).orElseThrow().orders());
    }
    return new JudgeTrust(pairs.size(), right, said, kappa(orders));
  }

  /**
   * Returns Cohen's kappa, the agreement beyond chance of two answers to the same question. A row
   * has the two answers to one question. The result is 0 if no agreement beyond chance is possible.
   */
  public static double kappa(List<List<String>> rows) {
    List<List<String>> rated = rows.stream().filter(row -> row.size() == 2).toList();
    Map<String, int[]> counts = new HashMap<>();
    double agreeing = 0;
    for (List<String> row : rated) {
      agreeing += row.getFirst().equals(row.getLast()) ? 1 : 0;
      counts.computeIfAbsent(row.getFirst(), choice -> new int[2])[0]++;
      counts.computeIfAbsent(row.getLast(), choice -> new int[2])[1]++;
    }
    double all = rated.size();
    double chance =
        counts.values().stream().mapToDouble(two -> two[0] / all * (two[1] / all)).sum();
    return rated.isEmpty() || chance >= 1 ? 0 : (agreeing / all - chance) / (1 - chance);
  }
}
