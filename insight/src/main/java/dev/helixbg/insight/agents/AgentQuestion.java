package dev.helixbg.insight.agents;

import dev.helixbg.config.Sha256;
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
 * @param id id computed from the present texts of the question; the client gets a different id, see
 *     {@link AgentAnswerStore#ask}
 * @param keys keys of the entries that the question is about; empty for one of the {@link
 *     KnownPairs}
 * @param characters the number of characters of the texts that the client was given
 */
public record AgentQuestion(
    String id, QuestionKind kind, List<String> keys, int characters, Instant at) {
  private static final int DIGITS = 16;

  /** The kinds of questions that helix-bg asks agents. */
  public static final List<QuestionKind> KINDS =
      List.of(
          QuestionKind.PAIR,
          QuestionKind.LESSON,
          QuestionKind.RULE,
          QuestionKind.LABEL,
          QuestionKind.SUMMARY);

  /** The answer for an entry that has no lesson. */
  public static final String NO_LESSON = "none";

  /** Maximum length of an answer that is a sentence, in characters. */
  public static final int LONGEST = 300;

  /** Returns the name of a kind of questions in messages from and to agents. */
  public static String title(QuestionKind kind) {
    return kind == QuestionKind.RULE ? "same-lesson" : kind.title();
  }

  /** Returns the possible answers to a question; an empty list if the answer is a sentence. */
  public static List<String> answers(QuestionKind kind) {
    return kind == QuestionKind.PAIR
        ? Arrays.stream(Verdict.values()).map(Verdict::title).toList()
        : kind.choices();
  }

  static boolean isPossible(QuestionKind kind, String answer) {
    List<String> answers = answers(kind);
    return answers.isEmpty() ? answer.length() <= LONGEST : answers.contains(answer);
  }

  /** Returns the id of a question that helix-bg also asks language models. */
  public static String of(Question question) {
    return id(question.job(), List.of(question.key()));
  }

  public static String ofPair(String older, String newer) {
    return id(QuestionKind.PAIR, List.of(older, newer));
  }

  public static String of(NamedEntry older, NamedEntry newer) {
    return ofPair(older.content(), newer.content());
  }

  /**
   * Returns the id of a question. {@code texts} are the texts of the question, or only its {@link
   * Question#key}.
   */
  static String id(QuestionKind kind, List<String> texts) {
    return Sha256.of(Stream.concat(Stream.of("agent", kind.title()), texts.stream()).toList())
        .substring(0, DIGITS);
  }
}
