package dev.helixbg.insight.lessons;

import com.fasterxml.jackson.databind.JsonNode;
import dev.helixbg.embed.cache.Cosine;
import dev.helixbg.insight.judge.JudgeTrial;
import dev.helixbg.insight.judge.Judgements.LessonTrust;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionSession;
import java.util.ArrayList;
import java.util.Comparator;
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

  record Known(Question.LessonOf entry, String lesson) {}

  record Pair(Question.CompareLessons both, boolean same) {}

  final List<Known> entries = new ArrayList<>();
  final List<Pair> pairs = new ArrayList<>();

  public LessonTrial(QuestionSession asking, SentenceVectors embedding) {
    this.asking = asking;
    this.embedding = embedding;
    for (JsonNode json : JudgeTrial.lines(LessonTrial.class, "trial.jsonl")) {
      if (json.has("same")) {
        pairs.add(
            new Pair(
                new Question.CompareLessons(json.get("a").asText(), json.get("b").asText()),
                json.get("same").asBoolean()));
      } else {
        entries.add(
            new Known(
                new Question.LessonOf(json.get("topic").asText(), json.get("text").asText()),
                json.get("lesson").asText()));
      }
    }
  }

  /** Asks the unanswered questions. Returns the reliability; empty if an answer is missing. */
  public Optional<LessonTrust> ask() throws InterruptedException {
    int left =
        asking.ask(entries.stream().map(Known::entry).toList())
            + asking.ask(pairs.stream().map(Pair::both).toList());
    return left > 0 ? Optional.empty() : Optional.of(trust());
  }

  private LessonTrust trust() throws InterruptedException {
    int right = 0;
    List<Optional<String>> written = entries.stream().map(this::written).toList();
    List<String> texts =
        Stream.concat(
                entries.stream().map(Known::lesson), written.stream().flatMap(Optional::stream))
            .distinct()
            .toList();
    Map<String, float[]> vectors = LessonRun.vectors(texts, embedding);
    for (int i = 0; i < entries.size(); i++) {
      String lesson = entries.get(i).lesson();
      right += written.get(i).filter(one -> isBeside(one, lesson, vectors)).isPresent() ? 1 : 0;
    }
    int rightPairs =
        (int)
            pairs.stream()
                .filter(
                    pair -> LessonRun.isSame(asking.find(pair.both()).orElseThrow()) == pair.same())
                .count();
    return new LessonTrust(entries.size(), right, pairs.size(), rightPairs);
  }

  private Optional<String> written(Known known) {
    return LessonText.of(
        asking.find(known.entry()).orElseThrow().text(),
        known.entry().topic(),
        known.entry().content());
  }

  /** Whether a known lesson is among the known lessons nearest to a sentence. */
  private boolean isBeside(String sentence, String lesson, Map<String, float[]> vectors) {
    float[] vector = vectors.get(sentence);
    return entries.stream()
        .map(Known::lesson)
        .distinct()
        .sorted(Comparator.comparingDouble(one -> -Cosine.of(vector, vectors.get(one))))
        .limit(NearestSentences.NEAREST)
        .anyMatch(lesson::equals);
  }
}
