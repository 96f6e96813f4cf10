package dev.helixbg.insight.judge;

import dev.helixbg.config.Progress;
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
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Asks the questions that have no saved answer. It stops when the time of a run ends, and saves the
 * answers after every batch. The model is not opened before the first question is asked.
 */
public final class QuestionSession implements AutoCloseable {
  private final RememberedAnswers answers;
  private final String modelHash;
  private final Supplier<? extends QuestionAnswerer> opener;
  private final BooleanSupplier timeIsOver;
  private final JudgeProgress progress;
  private final BooleanSupplier cancelled;
  private final Set<AnswerStore.Id> sought = new HashSet<>();
  private final Map<AnswerStore.Id, Answer> known = new HashMap<>();
  private final Map<AnswerStore.Id, Question> unasked = new LinkedHashMap<>();
  private QuestionAnswerer oracle;

  /**
   * @param modelHash SHA-256 of the model file
   * @param time time for all questions, from now on. When it ends, the current batch is still
   *     finished. If the time is zero, no question is asked
   * @param cancelled called repeatedly while the model computes; true interrupts {@link #ask}
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
    this.progress = progress;
    this.cancelled = cancelled;
    long start = nanoTime.getAsLong();
    timeIsOver = () -> nanoTime.getAsLong() - start >= time.toNanos();
  }

  /** Makes a session that only returns saved answers and asks nothing. */
  public QuestionSession(RememberedAnswers answers) {
    this(answers, "", () -> null, Duration.ZERO, () -> 0, JudgeProgress.SILENT, () -> false);
  }

  public List<Question> unasked() {
    return List.copyOf(unasked.values());
  }

  /** Returns the answer to a question that was passed to {@link #ask}, if the answer is known. */
  public Optional<Answer> find(Question question) {
    return Optional.ofNullable(known.get(id(question)));
  }

  public <K> Map<K, Answer> answers(Map<K, ? extends Question> questions) {
    Map<K, Answer> answers = new HashMap<>();
    questions.forEach((key, question) -> find(question).ifPresent(said -> answers.put(key, said)));
    return answers;
  }

  /**
   * Asks, in the given order, the questions without an answer.
   *
   * @param questions questions of one job; may be empty
   * @return number of questions that have no answer because the time ended
   * @throws InterruptedException when the thread is interrupted; all earlier answers are saved
   */
  public int ask(Collection<? extends Question> questions) throws InterruptedException {
    return ask(questions, question -> Optional.empty(), Integer.MAX_VALUE);
  }

  /**
   * Asks questions. Some answers lead to a second question, which is then asked, too.
   *
   * @param second returns the second question about a first question; empty if none is needed, or
   *     if the first answer is unknown
   * @param blockSize number of first questions that are asked before their second questions
   * @return number of questions without their first or second answer
   */
  int ask(
      Collection<? extends Question> questions,
      Function<Question, Optional<Question>> second,
      int blockSize)
      throws InterruptedException {
    recall(questions);
    recall(questions.stream().flatMap(question -> second.apply(question).stream()).toList());
    Set<AnswerStore.Id> seen = new HashSet<>();
    List<Question> open = new ArrayList<>(questions);
    open.removeIf(question -> isComplete(question, second) || !seen.add(id(question)));
    if (open.isEmpty() || timeIsOver.getAsBoolean()) {
      open.forEach(question -> unasked.put(id(question), question));
      return open.size();
    }
    try (Progress shown = progress.begin(open.getFirst().job(), open.size())) {
      for (int from = 0; from < open.size() && !timeIsOver.getAsBoolean(); from += blockSize) {
        int size = Math.min(blockSize, open.size() - from);
        List<Question> block = open.subList(from, from + size);
        answer(block, shown, question -> isComplete(question, second));
        List<Question> following =
            block.stream().flatMap(question -> second.apply(question).stream()).toList();
        recall(following);
        answer(following, shown, question -> true);
      }
    }
    return (int) open.stream().filter(question -> !isComplete(question, second)).count();
  }

  private boolean isComplete(Question question, Function<Question, Optional<Question>> second) {
    return find(question).isPresent()
        && second.apply(question).filter(next -> find(next).isEmpty()).isEmpty();
  }

  private void recall(Collection<? extends Question> questions) {
    Set<AnswerStore.Id> wanted = new HashSet<>();
    questions.forEach(question -> wanted.add(id(question)));
    wanted.removeIf(id -> !sought.add(id));
    if (!wanted.isEmpty()) {
      known.putAll(answers.find(wanted));
    }
  }

  /** Asks the questions without an answer. Progress counts questions that fulfil {@code counts}. */
  private void answer(List<Question> questions, Progress shown, Predicate<Question> counts)
      throws InterruptedException {
    Map<AnswerStore.Id, Question> unknown = new LinkedHashMap<>();
    questions.forEach(question -> unknown.putIfAbsent(id(question), question));
    unknown.keySet().removeAll(known.keySet());
    List<AnswerStore.Id> ids = List.copyOf(unknown.keySet());
    List<Question> open = List.copyOf(unknown.values());
    for (int done = 0; done < open.size() && !timeIsOver.getAsBoolean(); ) {
      List<Answer> some = askSome(open.subList(done, open.size()));
      Map<AnswerStore.Id, Answer> fresh = new LinkedHashMap<>();
      for (int i = 0; i < some.size(); i++) {
        fresh.put(ids.get(done + i), some.get(i));
      }
      answers.add(fresh);
      known.putAll(fresh);
      long counted = open.subList(done, done + some.size()).stream().filter(counts).count();
      shown.step(counted, counted);
      done += some.size();
    }
  }

  /** Deletes, after a complete run, saved answers to questions that were not part of the run. */
  public void forgetOthers() {
    answers.forgetStale(
        sought.stream().map(AnswerStore.Id::key).collect(Collectors.toSet()),
        Arrays.stream(QuestionKind.values()).map(QuestionSession::version).toList());
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

  private AnswerStore.Id id(Question question) {
    return new AnswerStore.Id(question.job(), version(question.job()), modelHash, question.key());
  }

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
