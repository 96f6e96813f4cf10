package dev.helixbg.insight.judge;

import dev.helixbg.llm.tokenizer.Tokenizer;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the user's turn of a question: {@code Topic: …⏎content} for labels and summaries, {@code
 * A: …⏎B: …} for pairs and merges. Texts over the budget are cut at a sentence.
 */
final class Prompts {
  /** A topic's name is short, but for damaged logs. */
  private static final int TOPIC_TOKENS = 48;

  private static final String TOPIC = "Topic:";

  private final Tokenizer tokenizer;
  private final int budget;

  /**
   * @param budget tokens of an entry; for summaries and merges, of all entries together
   */
  Prompts(Tokenizer tokenizer, int budget) {
    this.tokenizer = tokenizer;
    this.budget = budget;
  }

  /** What every turn of a job begins with; a space follows. */
  static String lead(Job job) {
    return switch (job) {
      case LABEL, SUMMARY -> TOPIC;
      case PAIR, MERGE -> "A:";
    };
  }

  /**
   * @param turns one, or for a pair two: one for each order
   */
  record Written(List<String> turns, boolean cut) {}

  Written write(Question question) {
    return switch (question) {
      case Question.LabelOf(String topic, String content) -> about(topic, List.of(content));
      case Question.Summarise(String topic, List<String> contents) -> about(topic, contents);
      case Question.Compare(String a, String b) -> {
        SentenceCut first = cut(a, budget);
        SentenceCut second = cut(b, budget);
        yield new Written(
            List.of(
                lettered(List.of(first.text(), second.text())),
                lettered(List.of(second.text(), first.text()))),
            first.cut() || second.cut());
      }
      case Question.Merge(List<String> contents) -> {
        List<SentenceCut> cuts = share(contents);
        yield new Written(
            List.of(lettered(cuts.stream().map(SentenceCut::text).toList())),
            cuts.stream().anyMatch(SentenceCut::cut));
      }
    };
  }

  private Written about(String topic, List<String> contents) {
    SentenceCut name = cut(topic, TOPIC_TOKENS);
    List<SentenceCut> cuts = share(contents);
    String text = String.join("\n", cuts.stream().map(SentenceCut::text).toList());
    return new Written(
        List.of(TOPIC + " " + name.text() + "\n" + text),
        name.cut() || cuts.stream().anyMatch(SentenceCut::cut));
  }

  private static String lettered(List<String> texts) {
    StringBuilder turn = new StringBuilder();
    for (int i = 0; i < texts.size(); i++) {
      turn.append(i == 0 ? "" : "\n").append((char) ('A' + i)).append(": ").append(texts.get(i));
    }
    return turn.toString();
  }

  /** Each gets an equal part of what those before it left. */
  private List<SentenceCut> share(List<String> contents) {
    List<SentenceCut> cuts = new ArrayList<>();
    int left = budget;
    for (int i = 0; i < contents.size(); i++) {
      SentenceCut cut = cut(contents.get(i), left / (contents.size() - i));
      left -= cut.tokens();
      cuts.add(cut);
    }
    return cuts;
  }

  private SentenceCut cut(String text, int tokens) {
    return SentenceCut.of(text, tokens, part -> tokenizer.encode(part).length);
  }
}
