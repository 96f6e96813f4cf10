package dev.helixbg.insight.judge;

import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.label.Label;
import dev.helixbg.insight.label.LabelGuess;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Knowledge about a knowledge base beyond its vectors. It does not depend on how much was asked
 * just now and how much was remembered.
 *
 * @param model what was asked, by its file's name; empty without a model
 * @param guesses by the key of an entry; in a report every live entry has one
 * @param verdicts by the id of a pair
 * @param summaries a sentence, by topic
 * @param merges proposed texts for entries that say the same, in the order of the pairs
 * @param left how much was not asked yet, by job; only jobs of which something is left
 * @param trust how far the model can be trusted, once that was measured
 * @param lessons what recurs
 * @param agents what coding agents said
 */
public record Judgements(
    Optional<String> model,
    Map<String, LabelGuess> guesses,
    Map<String, PairVerdict> verdicts,
    Map<String, String> summaries,
    List<Merge> merges,
    Map<QuestionKind, Integer> left,
    Optional<JudgeTrust> trust,
    Lessons lessons,
    AgentSayings agents) {

  /** Without lessons and agents. */
  public Judgements(
      Optional<String> model,
      Map<String, LabelGuess> guesses,
      Map<String, PairVerdict> verdicts,
      Map<String, String> summaries,
      List<Merge> merges,
      Map<QuestionKind, Integer> left,
      Optional<JudgeTrust> trust) {
    this(model, guesses, verdicts, summaries, merges, left, trust, Lessons.NONE, AgentSayings.NONE);
  }

  /** Nothing is known. */
  public static final Judgements NONE =
      new Judgements(
          Optional.empty(), Map.of(), Map.of(), Map.of(), List.of(), Map.of(), Optional.empty());

  /**
   * A text that could stand for several entries. A proposal: no human has read it.
   *
   * @param id stable name, of content
   */
  public record Merge(String id, List<NamedEntry> entries, String text) {}

  /**
   * A lesson that several entries teach.
   *
   * @param id stable name, of content
   * @param text the sentence that is nearest to the middle of all
   * @param entries by rising offset
   * @param sentences the lesson of each entry, in their order
   */
  public record Lesson(String id, String text, List<NamedEntry> entries, List<String> sentences) {
    /** How many topics the entries are from. */
    public int topics() {
      return (int) entries.stream().map(one -> one.topic()).distinct().count();
    }
  }

  /**
   * The lessons that recur.
   *
   * @param reader who wrote down the lessons and compared them; empty where none did
   * @param all those of most topics first, then those of most entries
   * @param trust how good the reader is at it, once that was measured
   */
  public record Lessons(Optional<String> reader, List<Lesson> all, Optional<LessonTrust> trust) {
    /** None was looked for. */
    public static final Lessons NONE = new Lessons(Optional.empty(), List.of(), Optional.empty());

    /** Whether the reader was measured, and is right too seldom. */
    public boolean areGuesses() {
      return trust.filter(LessonTrust::isGuessing).isPresent();
    }
  }

  /**
   * How good a model is at lessons, by entries and pairs whose truth is known.
   *
   * @param entries of which it wrote the lesson
   * @param right sentences beside the known lesson of their entry: it is one of the three nearest
   * @param pairs of lessons that it compared
   * @param rightPairs pairs that it judged rightly
   */
  public record LessonTrust(int entries, int right, int pairs, int rightPairs) {
    /** Whether less than 60 % of either are right. */
    public boolean isGuessing() {
      return right < JudgeTrust.LEAST_RIGHT * entries
          || rightPairs < JudgeTrust.LEAST_RIGHT * pairs;
    }

    /** Says it in a sentence, for people. */
    public String words() {
      return "Of %d entries whose lesson is known it wrote %d beside the right one, of %d pairs of lessons it judged %d"
              .formatted(entries, right, pairs, rightPairs)
          + " rightly"
          + (isGuessing() ? ": it is guessing." : ".");
    }
  }

  /** Counts the questions that were not asked yet. */
  public int questionsLeft() {
    return left.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** The same with lessons, and with what of them was not asked yet. */
  public Judgements with(Lessons found, Map<QuestionKind, Integer> notAsked) {
    Map<QuestionKind, Integer> all = new EnumMap<>(QuestionKind.class);
    all.putAll(left);
    all.putAll(notAsked);
    return new Judgements(model, guesses, verdicts, summaries, merges, all, trust, found, agents);
  }

  /** The same without the merges and lessons that the user has settled. */
  public Judgements without(Predicate<String> settled) {
    List<Merge> open = merges.stream().filter(merge -> !settled.test(merge.id())).toList();
    List<Lesson> recurring =
        lessons.all().stream().filter(lesson -> !settled.test(lesson.id())).toList();
    return new Judgements(
        model,
        guesses,
        verdicts,
        summaries,
        open,
        left,
        trust,
        new Lessons(lessons.reader(), recurring, lessons.trust()),
        agents);
  }

  /** Returns the same judgements, with other guesses where an entry has none. */
  public Judgements orElse(Map<String, LabelGuess> others) {
    Map<String, LabelGuess> all = new HashMap<>(others);
    all.putAll(guesses);
    return new Judgements(model, all, verdicts, summaries, merges, left, trust, lessons, agents);
  }

  /**
   * These judgements by a model that was measured, if it was.
   *
   * @param judge how far it can be trusted as a judge of pairs
   * @param reader how good it is at lessons
   */
  public Judgements trusted(Optional<JudgeTrust> judge, Optional<LessonTrust> reader) {
    Lessons read = new Lessons(lessons.reader(), lessons.all(), reader);
    return new Judgements(model, guesses, verdicts, summaries, merges, left, judge, read, agents);
  }

  /**
   * The same with what coding agents said.
   *
   * @param labels of entries, where the model gave none
   * @param sentences on topics, where the model gave none
   */
  public Judgements with(
      AgentSayings said, Map<String, LabelGuess> labels, Map<String, String> sentences) {
    Map<String, String> all = new HashMap<>(sentences);
    all.putAll(summaries);
    return new Judgements(model, guesses, verdicts, all, merges, left, trust, lessons, said)
        .orElse(labels);
  }

  /** Whether the model was measured, and its verdicts are worth little more than a coin. */
  public boolean areGuesses() {
    return trust.filter(JudgeTrust::isGuessing).isPresent();
  }

  /**
   * Whether verdicts of the model decide what leads and what is to be done: it was measured, and
   * does not guess. Until then it is asked, and the pair judge decides.
   */
  public boolean decide() {
    return trust.filter(measured -> !measured.isGuessing()).isPresent();
  }

  /** The verdict on a pair; empty when the language model has not judged it. */
  public Optional<PairVerdict> verdict(Finding.Relation pair) {
    return Optional.ofNullable(verdicts.get(pair.id()));
  }

  /**
   * Returns the verdict to act on: that of an agent that counts, else of a language model that was
   * measured and does not guess. Without either, it is what the pair judge calls likely.
   */
  public Optional<Verdict> actingOn(Finding.Relation pair) {
    Optional<PairVerdict> own = decide() ? verdict(pair) : Optional.empty();
    return agents
        .verdict(pair)
        .or(() -> own.map(PairVerdict::verdict))
        .or(() -> pair.assessment().flatMap(said -> Verdict.of(said.tier())));
  }

  /** The label that an entry has: its own tag before any guess, and none rather than a poor one. */
  public Optional<Label> label(NamedEntry entry) {
    List<Label> tagged = Label.among(entry.text().tags());
    return tagged.isEmpty()
        ? Optional.ofNullable(guesses.get(entry.key()))
            .filter(LabelGuess::sure)
            .map(LabelGuess::label)
        : Optional.of(tagged.getFirst());
  }
}
