package dev.helixbg.insight.agents;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.judge.QuestionKind;
import dev.helixbg.insight.judge.Verdict;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A question that was given to a client.
 *
 * @param id good for one state of its texts, and telling nothing else
 * @param keys of the entries that it is about; none where its truth is known
 * @param characters of its texts, as they were given
 * @param at when
 */
public record AgentQuestion(
    String id, QuestionKind kind, List<String> keys, int characters, Instant at) {
  private static final int DIGITS = 16;

  /** Kinds that an agent is asked; there is room for further ones. */
  public static final List<QuestionKind> KINDS = List.of(QuestionKind.PAIR);

  /** The possible answers to a kind of question. */
  public static List<String> answers(QuestionKind kind) {
    if (kind != QuestionKind.PAIR) {
      throw new IllegalArgumentException("agents are not asked: " + kind);
    }
    return Arrays.stream(Verdict.values()).map(Verdict::title).toList();
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
    return ofPair(older.entry().text().content(), newer.entry().text().content());
  }

  private static String id(QuestionKind kind, List<String> texts) {
    return Sha256.of(Stream.concat(Stream.of("agent", kind.title()), texts.stream()).toList())
        .substring(0, DIGITS);
  }
}
