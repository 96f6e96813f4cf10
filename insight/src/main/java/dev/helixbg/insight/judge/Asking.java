package dev.helixbg.insight.judge;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Asks what is not remembered, for as long as the time of a run lasts, and saves after every batch.
 * The model is opened by the first question that needs it.
 */
public final class Asking implements AutoCloseable {
  private final AnswerFile answers;
  private final String modelHash;
  private final int entryTokens;
  private final Supplier<Judge> opener;
  private final LongSupplier nanoTime;
  private final long start;
  private final long nanos;
  private final JudgeProgress progress;
  private final BooleanSupplier cancelled;
  private final Set<String> keys = new HashSet<>();
  private final Map<AnswerFile.Id, Answer> known = new HashMap<>();
  private Judge judge;
  private int asked;

  /**
   * @param modelHash SHA-256 of the model file
   * @param entryTokens the budget of an entry, which is part of what is asked
   * @param opener opens the model
   * @param time that may be spent, from now on; the batch under way is finished. Zero: ask nothing
   * @param nanoTime the clock
   * @param cancelled is asked again and again while the model computes; then {@link #ask} is
   *     interrupted
   */
  public Asking(
      AnswerFile answers,
      String modelHash,
      int entryTokens,
      Supplier<Judge> opener,
      Duration time,
      LongSupplier nanoTime,
      JudgeProgress progress,
      BooleanSupplier cancelled) {
    this.answers = answers;
    this.modelHash = modelHash;
    this.entryTokens = entryTokens;
    this.opener = opener;
    this.nanoTime = nanoTime;
    this.progress = progress;
    this.cancelled = cancelled;
    start = nanoTime.getAsLong();
    nanos = time.toNanos();
  }

  /** Questions that were asked, not remembered. */
  public int asked() {
    return asked;
  }

  /** The answer to a question that was given to {@link #ask}, if it is known by now. */
  public Optional<Answer> find(Question question) {
    return Optional.ofNullable(known.get(id(question)));
  }

  /**
   * Asks, in the given order, what is not known yet.
   *
   * @param questions of one job
   * @return how many are still unanswered because the time is over
   * @throws InterruptedException when interrupted; all answers until then are saved
   * @throws IOException when answers cannot be read or saved
   */
  public int ask(List<? extends Question> questions) throws InterruptedException, IOException {
    Map<AnswerFile.Id, Question> missing = new LinkedHashMap<>();
    questions.forEach(question -> missing.putIfAbsent(id(question), question));
    missing.keySet().forEach(id -> keys.add(id.key()));
    known.putAll(answers.find(missing.keySet()));
    missing.keySet().removeIf(known::containsKey);
    if (missing.isEmpty() || timeIsOver()) {
      return missing.size();
    }
    List<AnswerFile.Id> ids = List.copyOf(missing.keySet());
    List<Question> open = List.copyOf(missing.values());
    progress.begin(open.getFirst().job(), open.size());
    try {
      int done = 0;
      while (done < open.size() && !timeIsOver()) {
        List<Answer> some = askSome(open.subList(done, open.size()));
        Map<AnswerFile.Id, Answer> fresh = new LinkedHashMap<>();
        for (int i = 0; i < some.size(); i++) {
          fresh.put(ids.get(done + i), some.get(i));
        }
        answers.add(fresh);
        known.putAll(fresh);
        done += some.size();
        asked += some.size();
        progress.answered(some.size());
      }
      return open.size() - done;
    } finally {
      progress.end();
    }
  }

  /** Forgets answers to what was not asked in this run, which is then all that there is to ask. */
  void forgetOthers() throws IOException {
    answers.compactIfMostlyStale(keys, Arrays.stream(Job.values()).map(this::version).toList());
  }

  private List<Answer> askSome(List<Question> questions) throws InterruptedException {
    try {
      if (cancelled.getAsBoolean()) {
        throw new CancellationException();
      }
      if (judge == null) {
        judge = opener.get();
      }
      return judge.answerSome(questions, cancelled);
    } catch (CancellationException e) {
      throw new InterruptedException();
    }
  }

  private boolean timeIsOver() {
    return nanoTime.getAsLong() - start >= nanos;
  }

  private AnswerFile.Id id(Question question) {
    return new AnswerFile.Id(question.job(), version(question.job()), modelHash, question.key());
  }

  /** Of the prompt of a job, with what else decides what the model sees. */
  private String version(Job job) {
    return job.version() + "-" + entryTokens;
  }

  @Override
  public void close() {
    if (judge != null) {
      judge.close();
    }
  }
}
