package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import java.util.List;
import java.util.stream.Stream;

/** One thing to ask of a model. Texts are contents of entries, without their metadata lines. */
public sealed interface Question {

  /** Which label fits. */
  record LabelOf(String topic, String content) implements Question {}

  /** How two contents are related; the order means nothing. */
  record Compare(String a, String b, Match match) implements Question {
    /** Creates a question about texts whose matching passages are unknown. */
    public Compare(String a, String b) {
      this(a, b, Match.NONE);
    }
  }

  /** Whether what an older content says still holds beside a newer one. */
  record Overtaken(String older, String newer, Match match) implements Question {
    /** Creates a question about texts whose matching passages are unknown. */
    public Overtaken(String older, String newer) {
      this(older, newer, Match.NONE);
    }
  }

  /** A topic in a sentence, from the contents of some of its entries. */
  record Summarise(String topic, List<String> contents) implements Question {}

  /** The lesson that an entry teaches, in a sentence, or a hyphen where it teaches none. */
  record LessonOf(String topic, String content) implements Question {}

  /** Whether two lessons state the same rule; the order means nothing. */
  record CompareLessons(String a, String b) implements Question {}

  /** One text for several that say the same. */
  record Merge(List<String> contents) implements Question {}

  /**
   * Offsets in UTF-16 units at which the matching passage begins in each of two texts. Of a text
   * that is too long, only this passage and its surroundings are read.
   */
  record Match(int a, int b) {
    /** There is no match: both texts are read from their beginning. */
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

  /** Names all that is asked: 32 hex digits over the whole texts. */
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

  /** By which an answer says that it was given without the end of a text: see {@link Answer}. */
  default int bit(String text) {
    return switch (this) {
      case Compare(String a, String b, _) -> text.equals(a.compareTo(b) <= 0 ? a : b) ? 1 : 2;
      case Overtaken(String older, _, _) -> text.equals(older) ? 1 : 2;
      default -> 1;
    };
  }
}
