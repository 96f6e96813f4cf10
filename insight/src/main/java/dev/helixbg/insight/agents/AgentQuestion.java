package dev.helixbg.insight.agents;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.Question;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.Verdict;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A question that was given to a client.
 *
 * @param id of one state of its texts; the client gets another one, see {@link
 *     AgentAnswerStore#ask}
 * @param keys of the entries that it is about; none where its truth is known
 * @param characters of its texts, as they were given
 * @param at when
 */
public record AgentQuestion(
    String id, QuestionKind kind, List<String> keys, int characters, Instant at) {
  private static final int DIGITS = 16;

  /** Kinds that an agent is asked. */
  public static final List<QuestionKind> KINDS =
      List.of(
          QuestionKind.PAIR,
          QuestionKind.LESSON,
          QuestionKind.RULE,
          QuestionKind.LABEL,
          QuestionKind.SUMMARY);

  /** The answer to the question of a lesson where an entry teaches none. */
  public static final String NO_LESSON = "none";

  /** The most characters of a sentence. */
  public static final int LONGEST = 300;

  /** Names a kind for agents. */
  public static String title(QuestionKind kind) {
    return kind == QuestionKind.RULE ? "same-lesson" : kind.title();
  }

  /** The possible answers to a kind of question; none where the answer is a sentence. */
  public static List<String> answers(QuestionKind kind) {
    return kind == QuestionKind.PAIR
        ? Arrays.stream(Verdict.values()).map(Verdict::title).toList()
        : kind.choices();
  }

  /** Whether an answer is one of the possible ones, or a sentence where that is asked. */
  static boolean isPossible(QuestionKind kind, String answer) {
    List<String> answers = answers(kind);
    return answers.isEmpty() ? answer.length() <= LONGEST : answers.contains(answer);
  }

  /** The id of a question that a language model may be asked, too. */
  public static String of(Question question) {
    return id(question.job(), List.of(question.key()));
  }

  /** The id of the question about two texts. */
  public static String ofPair(String older, String newer) {
    return id(QuestionKind.PAIR, List.of(older, newer));
  }

  /** The id of the question about two entries. */
  public static String of(Finding.Relation pair) {
    return of(pair.older(), pair.newer());
  }

  /** The id of the question about two entries. */
  public static String of(NamedEntry older, NamedEntry newer) {
    return ofPair(older.content(), newer.content());
  }

  /**
   * The id of any question.
   *
   * @param texts what it is about; of a language model's question its key
   */
  static String id(QuestionKind kind, List<String> texts) {
    return Sha256.of(Stream.concat(Stream.of("agent", kind.title()), texts.stream()).toList())
        .substring(0, DIGITS);
  }
}
