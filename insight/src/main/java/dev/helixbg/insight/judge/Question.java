package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import java.util.List;
import java.util.stream.Stream;

/** A question for a model. Texts are contents of entries, without metadata lines. */
public sealed interface Question {

  record LabelOf(String topic, String content) implements Question {}

  /** Asks for the relation of two contents; the order of the contents does not matter. */
  record Compare(String a, String b, Match match) implements Question {
    public Compare(String a, String b) {
      this(a, b, Match.NONE);
    }
  }

  /** Asks whether an older content is still valid beside a newer content. */
  record Overtaken(String older, String newer, Match match) implements Question {
    public Overtaken(String older, String newer) {
      this(older, newer, Match.NONE);
    }
  }

  /** Asks for a sentence on a topic, from the contents of some entries. */
  record Summarise(String topic, List<String> contents) implements Question {}

  /** Asks for the lesson of an entry in a sentence, or for a hyphen if there is no lesson. */
  record LessonOf(String topic, String content) implements Question {}

  /** Asks whether two lessons state the same rule; the order of the lessons does not matter. */
  record CompareLessons(String a, String b) implements Question {}

  /** Asks for one text that replaces several texts. */
  record Merge(List<String> contents) implements Question {}

  /**
   * Offsets of the matching passage in each of two texts, in UTF-16 units. If a text is too long,
   * only this passage and the text around it are read.
   */
  record Match(int a, int b) {
    /** No match: both texts are read from their beginning. */
    static final Match NONE = new Match(0, 0);

    Match swapped() {
      return new Match(b, a);
    }
  }

  default QuestionKind job() {
    return switch (this) {
      case LabelOf _ -> QuestionKind.LABEL;
      case Compare _ -> QuestionKind.PAIR;
      case Overtaken _ -> QuestionKind.OVERTAKEN;
      case Summarise _ -> QuestionKind.SUMMARY;
      case LessonOf _ -> QuestionKind.LESSON;
      case CompareLessons _ -> QuestionKind.RULE;
      case Merge _ -> QuestionKind.MERGE;
    };
  }

  /** Returns the key of the question: 32 hex digits of a hash over the whole texts. */
  default String key() {
    List<String> texts =
        switch (this) {
          case LabelOf(String topic, String content) -> List.of(topic, content);
          case LessonOf(String topic, String content) -> List.of(topic, content);
          case CompareLessons(String a, String b) -> Stream.of(a, b).sorted().toList();
          case Compare(String a, String b, _) -> Stream.of(a, b).sorted().toList();
          case Overtaken(String older, String newer, _) -> List.of(older, newer);
          case Summarise(String topic, List<String> contents) ->
              Stream.concat(Stream.of(topic), contents.stream()).toList();
          case Merge(List<String> contents) -> contents;
        };
    return Sha256.of(texts).substring(0, 32);
  }

  /** Returns the bit of a text in the mask {@link Answer#unread}. */
  default int bit(String text) {
    return switch (this) {
      case Compare(String a, String b, _) -> text.equals(a.compareTo(b) <= 0 ? a : b) ? 1 : 2;
      case Overtaken(String older, _, _) -> text.equals(older) ? 1 : 2;
      default -> 1;
    };
  }
}
