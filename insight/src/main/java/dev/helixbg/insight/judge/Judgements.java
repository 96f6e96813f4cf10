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
 * The results of models and agents about a knowledge base. New answers and saved answers are
 * treated alike.
 *
 * @param model name of the model's file; empty without a model
 * @param guesses guessed labels, by the key of an entry; in a report, every live entry has a guess
 * @param verdicts verdicts by the id of a pair
 * @param summaries a sentence on each topic
 * @param merges proposed texts for groups of entries that say the same, in the order of the groups'
 *     first pairs
 * @param left number of open questions by job; a job without open questions is not in the map
 * @param trust reliability of the model on pairs, if it was measured
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

  public static final Judgements NONE =
      new Judgements(Optional.empty(), Map.of(), Map.of(), Map.of(), List.of(), Map.of());

  /** Makes judgements of a model whose reliability is unknown, without lessons or agents. */
  public Judgements(
      Optional<String> model,
      Map<String, LabelGuess> guesses,
      Map<String, PairVerdict> verdicts,
      Map<String, String> summaries,
      List<Merge> merges,
      Map<QuestionKind, Integer> left) {
    this(
        model,
        guesses,
        verdicts,
        summaries,
        merges,
        left,
        Optional.empty(),
        Lessons.NONE,
        AgentSayings.NONE);
  }

  /** A proposed text that could replace several entries; the id is computed from the content. */
  public record Merge(String id, List<NamedEntry> entries, String text) {}

  /**
   * A lesson that several entries teach.
   *
   * @param id computed from the content
   * @param text the sentence whose vector is nearest to the mean vector of all {@code sentences}
   * @param entries entries, ordered by offset
   * @param sentences lesson of each entry, in the same order
   */
  public record Lesson(String id, String text, List<NamedEntry> entries, List<String> sentences) {
    public int topics() {
      return (int) entries.stream().map(one -> one.topic()).distinct().count();
    }
  }

  /**
   * The recurring lessons.
   *
   * @param reader model or agent that wrote and compared the lessons; empty if there is none
   * @param all lessons, ordered by number of topics, then by number of entries, largest first
   */
  public record Lessons(Optional<String> reader, List<Lesson> all, Optional<LessonTrust> trust) {
    public static final Lessons NONE = new Lessons(Optional.empty(), List.of(), Optional.empty());

    /** Whether the reader was measured as unreliable. */
    public boolean areGuesses() {
      return trust.filter(LessonTrust::isGuessing).isPresent();
    }
  }

  /**
   * The reliability of a model on lessons, measured on entries and pairs with a known answer.
   *
   * @param entries number of entries whose lesson the model wrote
   * @param right number of written lessons that have the right lesson among their three nearest
   *     known lessons
   * @param pairs number of pairs of lessons that the model compared
   */
  public record LessonTrust(int entries, int right, int pairs, int rightPairs) {
    /** Whether the model is right on less than 60 % of the entries, or of the pairs. */
    public boolean isGuessing() {
      return right < JudgeTrust.LEAST_RIGHT * entries
          || rightPairs < JudgeTrust.LEAST_RIGHT * pairs;
    }

    public String words() {
      return ("For %d entries whose lesson is known, the model wrote %d lessons that match the"
              + " known lesson; of %d pairs of lessons, it judged %d rightly%s.")
          .formatted(entries, right, pairs, rightPairs, isGuessing() ? ": it is guessing" : "");
    }
  }

  public int questionsLeft() {
    return left.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns the judgements with lessons, and with the open questions about lessons. */
  public Judgements with(Lessons found, Map<QuestionKind, Integer> notAsked) {
    Map<QuestionKind, Integer> all = new EnumMap<>(QuestionKind.class);
    all.putAll(left);
    all.putAll(notAsked);
    return new Judgements(model, guesses, verdicts, summaries, merges, all, trust, found, agents);
  }

  /** Returns the judgements without the merges and lessons that the user has settled. */
  public Judgements without(Predicate<String> settled) {
    List<Merge> open = merges.stream().filter(merge -> !settled.test(merge.id())).toList();
    List<Lesson> recurring =
        lessons.all().stream().filter(lesson -> !settled.test(lesson.id())).toList();
    Lessons some = new Lessons(lessons.reader(), recurring, lessons.trust());
    return new Judgements(model, guesses, verdicts, summaries, open, left, trust, some, agents);
  }

  /** Returns the judgements with labels from {@code others} for entries that have no guess. */
  public Judgements orElse(Map<String, LabelGuess> others) {
    Map<String, LabelGuess> all = new HashMap<>(others);
    all.putAll(guesses);
    return new Judgements(model, all, verdicts, summaries, merges, left, trust, lessons, agents);
  }

  /** Returns the judgements with the model's reliability on pairs and on lessons. */
  public Judgements trusted(Optional<JudgeTrust> judge, Optional<LessonTrust> reader) {
    Lessons read = new Lessons(lessons.reader(), lessons.all(), reader);
    return new Judgements(model, guesses, verdicts, summaries, merges, left, judge, read, agents);
  }

  /**
   * Returns the judgements with the verdicts of agents. Labels and sentences of agents are used
   * only where the model has none.
   */
  public Judgements with(
      AgentSayings said, Map<String, LabelGuess> labels, Map<String, String> sentences) {
    Map<String, String> all = new HashMap<>(sentences);
    all.putAll(summaries);
    return new Judgements(model, guesses, verdicts, all, merges, left, trust, lessons, said)
        .orElse(labels);
  }

  /** Whether the model was measured, and its verdicts are hardly better than chance. */
  public boolean areGuesses() {
    return trust.filter(JudgeTrust::isGuessing).isPresent();
  }

  /**
   * Returns a sentence that says why the model's verdicts do not {@link #decide}; empty if they
   * decide.
   */
  public Optional<String> doubt() {
    return trust.isEmpty()
        ? Optional.of(JudgeTrust.UNMEASURED)
        : Optional.of(JudgeTrust.GUESSING).filter(_ -> areGuesses());
  }

  /**
   * Whether verdicts of the model decide which pairs are in the report's top section, and which
   * acts are proposed. Otherwise the pair judges decide.
   */
  public boolean decide() {
    return doubt().isEmpty();
  }

  public Optional<PairVerdict> verdict(Finding.Relation pair) {
    return Optional.ofNullable(verdicts.get(pair.id()));
  }

  /** Returns the verdict of a reliable agent, else the verdict of a reliable language model. */
  Optional<Verdict> decided(Finding.Relation pair) {
    return agents
        .verdict(pair)
        .or(() -> verdict(pair).filter(_ -> decide()).map(PairVerdict::verdict));
  }

  /** Returns the verdict for proposed acts: {@link #decided}, else the verdict of a pair judge. */
  public Optional<Verdict> actingOn(Finding.Relation pair) {
    return decided(pair).or(() -> pair.assessment().flatMap(said -> Verdict.of(said.tier())));
  }

  /** Returns the label of an entry: its own tag, else a sure guess, else empty. */
  public Optional<Label> label(NamedEntry entry) {
    return Label.among(entry.text().tags()).stream()
        .findFirst()
        .or(
            () ->
                Optional.ofNullable(guesses.get(entry.key()))
                    .filter(LabelGuess::sure)
                    .map(LabelGuess::label));
  }
}
