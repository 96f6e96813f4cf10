package dev.helixbg.insight.judge;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Asks what is not remembered, for as long as the time of a run lasts, and saves after every batch.
 * The model is opened by the first question that needs it.
 */
public final class QuestionSession implements AutoCloseable {
  /** Questions that are asked before those that follow from their answers. */
  private static final int BLOCK = 32;

  private final RememberedAnswers answers;
  private final String modelHash;
  private final Supplier<? extends QuestionAnswerer> opener;
  private final LongSupplier nanoTime;
  private final long start;
  private final long nanos;
  private final JudgeProgress progress;
  private final BooleanSupplier cancelled;
  private final Set<String> keys = new HashSet<>();
  private final Set<AnswerStore.Id> sought = new HashSet<>();
  private final Map<AnswerStore.Id, Answer> known = new HashMap<>();
  private final Map<AnswerStore.Id, Question> unasked = new LinkedHashMap<>();
  private QuestionAnswerer oracle;
  private int asked;

  /**
   * @param modelHash SHA-256 of the model file
   * @param opener opens the model
   * @param time that may be spent, from now on; the batch under way is finished. Zero: ask nothing
   * @param nanoTime the clock
   * @param cancelled is asked again and again while the model computes; then {@link #ask} is
   *     interrupted
   */
  public QuestionSession(
      RememberedAnswers answers,
      String modelHash,
      Supplier<? extends QuestionAnswerer> opener,
      Duration time,
      LongSupplier nanoTime,
      JudgeProgress progress,
      BooleanSupplier cancelled) {
    this.answers = answers;
    this.modelHash = modelHash;
    this.opener = opener;
    this.nanoTime = nanoTime;
    this.progress = progress;
    this.cancelled = cancelled;
    start = nanoTime.getAsLong();
    nanos = time.toNanos();
  }

  /** A session that asks nothing, and knows what is remembered. */
  public QuestionSession(RememberedAnswers answers) {
    this(answers, "", () -> null, Duration.ZERO, () -> 0, JudgeProgress.SILENT, () -> false);
  }

  /** Questions that were not asked because time ran out, in their order. */
  public List<Question> unasked() {
    return List.copyOf(unasked.values());
  }

  /** Questions that were asked, not remembered. */
  public int asked() {
    return asked;
  }

  /** The answer to a question that was given to {@link #ask}, if it is known by now. */
  public Optional<Answer> find(Question question) {
    return Optional.ofNullable(known.get(id(question)));
  }

  /** Returns the answers known by now, by the keys of their questions. */
  public <K> Map<K, Answer> answers(Map<K, ? extends Question> questions) {
    Map<K, Answer> answers = new HashMap<>();
    questions.forEach((key, question) -> find(question).ifPresent(said -> answers.put(key, said)));
    return answers;
  }

  /**
   * Asks, in the given order, what is not known yet.
   *
   * @param questions of one job; may be none
   * @return how many are still unanswered because the time is over
   * @throws InterruptedException when interrupted; all answers until then are saved
   */
  public int ask(Collection<? extends Question> questions) throws InterruptedException {
    return ask(questions, question -> Optional.empty(), Integer.MAX_VALUE);
  }

  /**
   * The same for questions whose answer may call for a second one, asked soon after the first.
   *
   * @param second what follows from the answer to a question, once that is known
   * @return how many questions still lack their first or their second answer
   */
  int ask(Collection<? extends Question> questions, Function<Question, Optional<Question>> second)
      throws InterruptedException {
    return ask(questions, second, BLOCK);
  }

  private int ask(
      Collection<? extends Question> questions,
      Function<Question, Optional<Question>> second,
      int blockSize)
      throws InterruptedException {
    Set<AnswerStore.Id> seen = new HashSet<>();
    List<Question> open =
        open(questions, second).stream().filter(question -> seen.add(id(question))).toList();
    if (open.isEmpty() || timeIsOver()) {
      open.forEach(question -> unasked.put(id(question), question));
      return open.size();
    }
    progress.begin(open.getFirst().job(), open.size());
    try {
      for (int from = 0; from < open.size() && !timeIsOver(); from += blockSize) {
        int size = Math.min(blockSize, open.size() - from);
        List<Question> block = open.subList(from, from + size);
        answer(block, question -> isComplete(question, second));
        List<Question> following =
            block.stream().flatMap(question -> second.apply(question).stream()).toList();
        recall(following);
        answer(following, question -> true);
      }
    } finally {
      progress.end();
    }
    return (int) open.stream().filter(question -> !isComplete(question, second)).count();
  }

  /**
   * Recalls remembered answers, and returns the questions that lack their first or their second
   * one.
   */
  private List<Question> open(
      Collection<? extends Question> questions, Function<Question, Optional<Question>> second) {
    recall(questions);
    recall(questions.stream().flatMap(question -> second.apply(question).stream()).toList());
    List<Question> open = new ArrayList<>(questions);
    open.removeIf(question -> isComplete(question, second));
    return open;
  }

  private boolean isComplete(Question question, Function<Question, Optional<Question>> second) {
    return find(question).isPresent()
        && second.apply(question).filter(next -> find(next).isEmpty()).isEmpty();
  }

  /** Looks up what was not looked up before, in one reading of the store. */
  private void recall(Collection<? extends Question> questions) {
    Set<AnswerStore.Id> wanted = new HashSet<>();
    for (Question question : questions) {
      AnswerStore.Id id = id(question);
      keys.add(id.key());
      if (sought.add(id)) {
        wanted.add(id);
      }
    }
    if (!wanted.isEmpty()) {
      known.putAll(answers.find(wanted));
    }
  }

  /**
   * Asks what is not known, for as long as there is time.
   *
   * @param counts whether a question is done with its answer
   */
  private void answer(List<Question> questions, Function<Question, Boolean> counts)
      throws InterruptedException {
    Map<AnswerStore.Id, Question> unknown = new LinkedHashMap<>();
    for (Question question : questions) {
      AnswerStore.Id id = id(question);
      if (!known.containsKey(id)) {
        unknown.putIfAbsent(id, question);
      }
    }
    List<AnswerStore.Id> ids = List.copyOf(unknown.keySet());
    List<Question> open = List.copyOf(unknown.values());
    for (int done = 0; done < open.size() && !timeIsOver(); ) {
      List<Answer> some = askSome(open.subList(done, open.size()));
      Map<AnswerStore.Id, Answer> fresh = new LinkedHashMap<>();
      for (int i = 0; i < some.size(); i++) {
        fresh.put(ids.get(done + i), some.get(i));
      }
      answers.add(fresh);
      known.putAll(fresh);
      progress.answered(
          (int) open.subList(done, done + some.size()).stream().filter(counts::apply).count());
      done += some.size();
      asked += some.size();
    }
  }

  /** Forgets answers to what was not asked in this run, which is then all that there is to ask. */
  public void forgetOthers() {
    answers.forgetStale(
        keys, Arrays.stream(QuestionKind.values()).map(QuestionSession::version).toList());
  }

  private List<Answer> askSome(List<Question> questions) throws InterruptedException {
    try {
      if (cancelled.getAsBoolean()) {
        throw new CancellationException();
      }
      if (oracle == null) {
        oracle = opener.get();
      }
      return oracle.answerSome(questions, cancelled);
    } catch (CancellationException e) {
      throw new InterruptedException();
    }
  }

  private boolean timeIsOver() {
    return nanoTime.getAsLong() - start >= nanos;
  }

  private AnswerStore.Id id(Question question) {
    return new AnswerStore.Id(question.job(), version(question.job()), modelHash, question.key());
  }

  /** Version of the prompt of a job, with the tokens that entries may take in it. */
  private static String version(QuestionKind job) {
    return job.version() + "-" + QuestionPrompts.budget(job);
  }

  @Override
  public void close() {
    if (oracle != null) {
      oracle.close();
    }
  }
}
