package dev.helixbg.insight.judge;

import dev.helixbg.llm.tokenizer.BpeTokenizer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Writes a question as the user's message (turn) of a chat: {@code Topic: …⏎content} for labels and
 * summaries, {@code A: …⏎B: …} for texts to compare or merge. A text that exceeds {@code budget}
 * tokens is cut to the sentences around the matching passage.
 */
record QuestionPrompts(BpeTokenizer tokenizer, int budget) {
  /** Maximum number of tokens of a topic's name. Only damaged logs have longer names. */
  private static final int TOPIC_TOKENS = 48;

  private static final String TOPIC = "Topic:";
  private static final int TOKENS = 384;

  /** Maximum number of tokens of two compared entries together; most entries are shorter. */
  private static final int PAIR_TOKENS = 2_048;

  /** Returns the maximum number of tokens for all entries of a question together. */
  static int budget(QuestionKind job) {
    return job == QuestionKind.PAIR || job == QuestionKind.OVERTAKEN ? PAIR_TOKENS : TOKENS;
  }

  /** Returns the words with which every turn of a job begins; a space follows them. */
  static String lead(QuestionKind job) {
    return switch (job) {
      case LABEL, SUMMARY, LESSON -> TOPIC;
      case PAIR, MERGE, OVERTAKEN, RULE -> "A:";
    };
  }

  /**
   * @param turns the user's turn; for a comparison two turns, one for each order of the texts
   * @param unread see {@link Answer#unread}
   */
  record Written(List<String> turns, int unread) {}

  Written write(Question question) {
    return switch (question) {
      case Question.LabelOf(String topic, String content) -> about(topic, List.of(content));
      case Question.LessonOf(String topic, String content) -> about(topic, List.of(content));
      case Question.CompareLessons(String a, String b) ->
          both(question, "", a, "", b, Question.Match.NONE);
      case Question.Summarise(String topic, List<String> contents) -> about(topic, contents);
      case Question.Compare(String a, String b, Question.Match match) ->
          both(question, "", a, "", b, match);
      case Question.Overtaken(String older, String newer, Question.Match match) ->
          both(question, "(older) ", older, "(newer) ", newer, match);
      case Question.Merge(List<String> contents) -> {
        List<SentenceCut> cuts = share(contents);
        yield new Written(List.of(lettered(texts(cuts))), unread(cuts));
      }
    };
  }

  private static List<String> texts(List<SentenceCut> cuts) {
    return cuts.stream().map(SentenceCut::text).toList();
  }

  private static int unread(List<SentenceCut> cuts) {
    return cuts.stream().anyMatch(SentenceCut::cut) ? Answer.ANY : 0;
  }

  /**
   * Writes two texts in both orders. If one text needs less than half of the budget, the other text
   * may use the rest.
   */
  private Written both(
      Question question, String leadA, String a, String leadB, String b, Question.Match match) {
    SentenceCut first = cut(a, match.a(), budget / 2);
    SentenceCut second = cut(b, match.b(), budget - first.tokens());
    if (first.cut()) {
      first = cut(a, match.a(), budget - second.tokens());
    }
    String one = leadA + first.text();
    String other = leadB + second.text();
    return new Written(
        List.of(lettered(List.of(one, other)), lettered(List.of(other, one))),
        (first.cut() ? question.bit(a) : 0) | (second.cut() ? question.bit(b) : 0));
  }

  private Written about(String topic, List<String> contents) {
    SentenceCut name = cut(topic, 0, TOPIC_TOKENS);
    List<SentenceCut> cuts = share(contents);
    return new Written(
        List.of(TOPIC + " " + name.text() + "\n" + String.join("\n", texts(cuts))),
        name.cut() ? Answer.ANY : unread(cuts));
  }

  private static String lettered(List<String> texts) {
    return IntStream.range(0, texts.size())
        .mapToObj(i -> (char) ('A' + i) + ": " + texts.get(i))
        .collect(Collectors.joining("\n"));
  }

  private List<SentenceCut> share(List<String> contents) {
    List<SentenceCut> cuts = new ArrayList<>();
    int left = budget;
    for (int i = 0; i < contents.size(); i++) {
      SentenceCut cut = cut(contents.get(i), 0, left / (contents.size() - i));
      left -= cut.tokens();
      cuts.add(cut);
    }
    return cuts;
  }

  private SentenceCut cut(String text, int from, int tokens) {
    return SentenceCut.around(text, from, tokens, part -> tokenizer.encode(part).length);
  }
}
