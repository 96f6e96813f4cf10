package dev.helixbg.daemon.run;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Answer;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionAnswerer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/**
 * A reader of the sample in the place of a language model: the lessons of its entries, and which of
 * them state one rule, come with the program in {@value #FILE}.
 */
final class SampleReader implements QuestionAnswerer {
  /** Name that stands in place of a model's. */
  static final String NAME = "A reader of the sample";

  private static final String FILE = "/sample/lessons.tsv";
  private static final String NO_LESSON = "-";

  /** The lesson of each entry, by its content. */
  private final Map<String, String> lessons = new HashMap<>();

  /** The rule that each lesson states; only of those that others state, too. */
  private final Map<String, String> rules = new HashMap<>();

  /**
   * @param entries of the sample
   */
  SampleReader(List<NamedEntry> entries) {
    Map<String, String> contents = new HashMap<>();
    entries.forEach(one -> contents.put(one.name(), one.entry().text().content()));
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                SampleReader.class.getResourceAsStream(FILE), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] row = line.split("\t");
        lessons.put(contents.getOrDefault(row[0], ""), row[2]);
        if (!row[1].equals(NO_LESSON)) {
          rules.put(row[2], row[1]);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public List<Answer> answerSome(List<? extends Question> questions, BooleanSupplier cancelled) {
    return questions.stream().map(this::answer).toList();
  }

  private Answer answer(Question question) {
    return switch (question) {
      case Question.LessonOf(_, String content) ->
          new Answer(lessons.getOrDefault(content, NO_LESSON), 1, "", 0, false);
      case Question.CompareLessons(String a, String b)
          when rules.containsKey(a) && rules.get(a).equals(rules.get(b)) ->
          new Answer("same", 1, "different", 0, false);
      case Question.CompareLessons _ -> new Answer("different", 1, "same", 0, false);
      default -> throw new IllegalArgumentException("not asked of the sample: " + question);
    };
  }
}
