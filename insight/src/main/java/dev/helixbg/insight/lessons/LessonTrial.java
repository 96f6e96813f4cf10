package dev.helixbg.insight.lessons;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.embed.cache.Cosine;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.Judgements.LessonTrust;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionSession;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Measures once how well a language model finds and compares lessons. The forty entries and sixty
 * pairs of lessons with known answers come from {@code insight/src/judge/lessons}.
 */
public final class LessonTrial {
  private final QuestionSession asking;
  private final SentenceVectors embedding;

  /** The known lesson of each entry. */
  final Map<Question.LessonOf, String> entries = new LinkedHashMap<>();

  /** For each pair of lessons, whether both lessons state the same rule. */
  final Map<Question.CompareLessons, Boolean> pairs = new LinkedHashMap<>();

  public LessonTrial(QuestionSession asking, SentenceVectors embedding) {
    this.asking = asking;
    this.embedding = embedding;
    for (JsonNode json : JudgeTrial.lines(LessonTrial.class, "trial.jsonl")) {
      if (json.has("same")) {
        pairs.put(
            new Question.CompareLessons(json.get("a").asText(), json.get("b").asText()),
            json.get("same").asBoolean());
      } else {
        entries.put(
            new Question.LessonOf(json.get("topic").asText(), json.get("text").asText()),
            json.get("lesson").asText());
      }
    }
  }

  /** Asks the unanswered questions. Returns the reliability; empty if an answer is missing. */
  public Optional<LessonTrust> ask() throws InterruptedException {
    int left = asking.ask(List.copyOf(entries.keySet())) + asking.ask(List.copyOf(pairs.keySet()));
    return left > 0 ? Optional.empty() : Optional.of(trust());
  }

  private LessonTrust trust() throws InterruptedException {
    Map<Question.LessonOf, String> written = new LinkedHashMap<>();
    for (Question.LessonOf entry : entries.keySet()) {
      LessonText.of(asking.find(entry).orElseThrow().text(), entry.topic(), entry.content())
          .ifPresent(sentence -> written.put(entry, sentence));
    }
    List<String> texts =
        Stream.concat(entries.values().stream(), written.values().stream()).distinct().toList();
    Map<String, float[]> vectors = LessonRun.vectors(texts, embedding);
    int right = 0;
    for (Question.LessonOf entry : written.keySet()) {
      right += isBeside(written.get(entry), entries.get(entry), vectors) ? 1 : 0;
    }
    int rightPairs = 0;
    for (Question.CompareLessons both : pairs.keySet()) {
      boolean same = LessonRun.isSame(asking.find(both).orElseThrow());
      rightPairs += same == pairs.get(both) ? 1 : 0;
    }
    return new LessonTrust(entries.size(), right, pairs.size(), rightPairs);
  }

  /** Whether a known lesson is among the three known lessons nearest to a sentence. */
  private boolean isBeside(String sentence, String lesson, Map<String, float[]> vectors) {
    float[] vector = vectors.get(sentence);
    return entries.values().stream()
        .distinct()
        .sorted(Comparator.comparingDouble(one -> -Cosine.of(vector, vectors.get(one))))
        .limit(NearestSentences.NEAREST)
        .anyMatch(lesson::equals);
  }
}
