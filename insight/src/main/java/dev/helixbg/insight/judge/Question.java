package dev.helixbg.insight.judge;

import dev.helixbg.config.Sha256;
import java.util.List;
import java.util.stream.Stream;

/** One thing to ask of a model. Texts are contents of entries, without their metadata lines. */
public sealed interface Question {

  Job job();

  /** Names all that is asked: 32 hex digits over the whole texts. */
  String key();

  /** By which an answer says that it was given without the end of a text: see {@link Answer}. */
  default int bit(String text) {
    return 1;
  }

  /**
   * The same for the answer to a question of which some text was not read whole: what was read of
   * it is then part of what was asked.
   */
  default String keyOfParts() {
    return key();
  }

  /**
   * Where what matches begins in two texts, in UTF-16 units; of a text that is too long, that and
   * what is around it is read.
   */
  record Match(int a, int b) {
    /** Both are read from their beginning. */
    static final Match NONE = new Match(0, 0);
  }

  private static String keyOfParts(String key, Match match, boolean swapped) {
    int one = swapped ? match.b() : match.a();
    int other = swapped ? match.a() : match.b();
    return match.equals(Match.NONE) ? key : name(List.of(key, "from", "" + one, "" + other));
  }

  /** Of texts in this order. */
  private static String name(List<String> texts) {
    return Sha256.of(texts).substring(0, 32);
  }

  /** Which label fits. */
  record LabelOf(String topic, String content) implements Question {
    @Override
    public Job job() {
      return Job.LABEL;
    }

    @Override
    public String key() {
      return name(List.of(topic, content));
    }
  }

  /** How two contents are related; the order means nothing. */
  record Compare(String a, String b, Match match) implements Question {
    /** Of texts of which nobody knows what matches. */
    public Compare(String a, String b) {
      this(a, b, Match.NONE);
    }

    @Override
    public String keyOfParts() {
      return Question.keyOfParts(key(), match, a.compareTo(b) > 0);
    }

    @Override
    public Job job() {
      return Job.PAIR;
    }

    @Override
    public String key() {
      return name(Stream.of(a, b).sorted().toList());
    }

    @Override
    public int bit(String text) {
      return text.equals(a.compareTo(b) <= 0 ? a : b) ? 1 : 2;
    }
  }

  /** Whether what an older content says still holds beside a newer one. */
  record Overtaken(String older, String newer, Match match) implements Question {
    /** Of texts of which nobody knows what matches. */
    public Overtaken(String older, String newer) {
      this(older, newer, Match.NONE);
    }

    @Override
    public String keyOfParts() {
      return Question.keyOfParts(key(), match, false);
    }

    @Override
    public Job job() {
      return Job.OVERTAKEN;
    }

    @Override
    public String key() {
      return name(List.of(older, newer));
    }

    @Override
    public int bit(String text) {
      return text.equals(older) ? 1 : 2;
    }
  }

  /** Whether two topics are about the same, by a content of each; the order means nothing. */
  record CompareTopics(String a, String contentOfA, String b, String contentOfB)
      implements Question {
    @Override
    public Job job() {
      return Job.TOPICS;
    }

    @Override
    public String key() {
      return name(
          a.compareTo(b) <= 0
              ? List.of(a, contentOfA, b, contentOfB)
              : List.of(b, contentOfB, a, contentOfA));
    }
  }

  /** A topic in a sentence, from the contents of some of its entries. */
  record Summarise(String topic, List<String> contents) implements Question {
    @Override
    public Job job() {
      return Job.SUMMARY;
    }

    @Override
    public String key() {
      return name(Stream.concat(Stream.of(topic), contents.stream()).toList());
    }
  }

  /**
   * What was written at one sitting, in a sentence.
   *
   * @param topics of the contents
   */
  record Session(List<String> topics, List<String> contents) implements Question {
    @Override
    public Job job() {
      return Job.SESSION;
    }

    @Override
    public String key() {
      return name(Stream.concat(topics.stream(), contents.stream()).toList());
    }
  }

  /** One text for several that say the same. */
  record Merge(List<String> contents) implements Question {
    @Override
    public Job job() {
      return Job.MERGE;
    }

    @Override
    public String key() {
      return name(contents);
    }
  }
}
