package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Continues prompts token by token, always with the likeliest token. Each pass over the weights
 * computes one token of every unfinished answer.
 *
 * <p>Tokens stay on the device. Further passes are encoded before the results of earlier passes are
 * read. {@link Backend#depth} limits the number of passes in flight. When an answer ends, a filler
 * sequence takes over the answer's row in the passes; tokens computed past the answer's end are
 * dropped. If a pass with fewer rows would be cheaper, the remaining answers move to adjacent rows,
 * once the results of all passes in flight are read.
 */
public final class Generator {
  private final ForwardPasses work;
  private final Backend backend;
  private final Set<Integer> stopTokens;
  private final BooleanSupplier cancelled;

  /** Whether filler rows are added, so that an answer is independent of the number of answers. */
  private final boolean steady;

  private final int depth;
  private final Submission[] underWay;

  // Number of encoded choices, and number of choices that the host has read. A choice selects a
  // token for each row; choice i uses slot i modulo the number of slots.
  private int encoded;
  private int read;

  private Generator(
      ForwardPasses work, Set<Integer> stopTokens, BooleanSupplier cancelled, boolean steady) {
    this.work = work;
    this.stopTokens = stopTokens;
    this.cancelled = cancelled;
    this.steady = steady;
    backend = work.model.backend();
    depth = backend.depth();
    underWay = new Submission[work.tokens.slots()];
  }

  /**
   * Reads the prompt into the sequence and generates an answer. Afterwards the sequence contains
   * the prompt and the tokens of the answer, except perhaps the last token.
   *
   * @param prompt at least one token
   * @param listener receives each token of the answer when it is chosen
   * @param cancelled returns true to cancel; called within and between passes
   * @throws dev.helixbg.llm.backend.KvCache.ContextFullException if the prompt does not fit
   */
  public static Generation generate(
      ForwardPasses work,
      KvCache cache,
      int[] prompt,
      GenerationOptions options,
      IntConsumer listener,
      BooleanSupplier cancelled) {
    work.requirePrompt(prompt);
    GrowingAnswer answer = new GrowingAnswer(cache, options.maxTokens(), listener);
    return new Generator(work, options.stopTokens(), cancelled, false).run(prompt, answer);
  }

  private Generation run(int[] prompt, GrowingAnswer answer) {
    long start = System.nanoTime();
    long readAt = start;
    KvCache cache = answer.cache;
    int promptEnd = cache.length();
    try {
      work.read(cache, prompt, true, cancelled);
      promptEnd = cache.length();
      choose(List.of(answer));
      readAt = System.nanoTime();
      grow(growing(List.of(answer)));
    } catch (CancellationException e) {
      answer.reason = StopReason.CANCELLED;
    } finally {
      cache.truncate(Math.min(cache.length(), promptEnd + answer.count));
    }
    return answer.result(prompt.length, readAt - start, System.nanoTime() - readAt);
  }

  /**
   * Answers several prompts. All prompts follow one sequence that was read before. An answer does
   * not depend on the other prompts, except that rounding on a CPU depends on the number of
   * prompts.
   *
   * @param shared the sequence that all prompts follow; it is not changed
   * @param prompts prompts of at least one token each
   * @return one answer per prompt; the times are measured for all prompts together
   * @throws dev.helixbg.llm.backend.KvCache.ContextFullException if a prompt does not fit
   * @throws CancellationException if cancelled, within a pass or between passes
   */
  public static List<Generation> generateAll(
      ForwardPasses work,
      KvCache shared,
      List<int[]> prompts,
      GenerationOptions options,
      BooleanSupplier cancelled) {
    prompts.forEach(work::requirePrompt);
    prompts.forEach(prompt -> shared.requireRoom(prompt.length));
    work.clear();
    int most = work.batch.freeWanted();
    List<Generation> answers = new ArrayList<>();
    for (int from = 0; from < prompts.size(); from += most) {
      List<int[]> some = prompts.subList(from, Math.min(prompts.size(), from + most));
      Generator together = new Generator(work, options.stopTokens(), cancelled, true);
      answers.addAll(together.run(shared, some, options.maxTokens()));
    }
    return answers;
  }

  private List<Generation> run(KvCache shared, List<int[]> prompts, int maxTokens) {
    long start = System.nanoTime();
    List<PromptGroup> groups = new ArrayList<>();
    List<GrowingAnswer> answers = new ArrayList<>();
    try {
      while (answers.size() < prompts.size()) {
        int from = answers.size();
        int to = PromptGroup.end(work, prompts, from, 0, 0);
        PromptGroup group = new PromptGroup(work, prompts.subList(from, to));
        groups.add(group);
        group.add(shared, cancelled);
        work.fill(cancelled);
        work.model.forward(work.batch, work.tokens, 0, cancelled);
        for (int i = 0; i < to - from; i++) {
          answers.add(new GrowingAnswer(group.cache(i), maxTokens, id -> {}));
        }
        choose(answers.subList(from, to));
      }
      long readAt = System.nanoTime();
      for (List<GrowingAnswer> rows = growing(answers); !rows.isEmpty(); rows = growing(rows)) {
        grow(rows);
      }
      long end = System.nanoTime();
      List<Generation> results = new ArrayList<>();
      for (int i = 0; i < prompts.size(); i++) {
        results.add(answers.get(i).result(prompts.get(i).length, readAt - start, end - readAt));
      }
      return results;
    } finally {
      groups.forEach(PromptGroup::close);
    }
  }

  private void choose(List<GrowingAnswer> rows) {
    backend.argmax(work.batch, work.model.logits(), work.tokens, 0);
    backend.submit().await();
    for (int row = 0; row < rows.size(); row++) {
      int id = work.tokens.get(0, row);
      work.requireNumbers(row, id);
      rows.get(row).claimed++;
      rows.get(row).hear(id, stopTokens);
    }
  }

  private static List<GrowingAnswer> growing(List<GrowingAnswer> some) {
    return some.stream().filter(answer -> answer.reason == null).toList();
  }

  /** Continues answers, one per row, until all have ended or fewer rows would be cheaper. */
  private void grow(List<GrowingAnswer> rows) {
    for (int row = 0; row < rows.size(); row++) {
      work.tokens.set(0, row, rows.get(row).last());
    }
    encoded = 1;
    read = 1;
    try {
      while (true) {
        while (encoded - read < depth && mayEncode(rows)) {
          encodePass(rows);
        }
        if (read == encoded) {
          return;
        }
        readPass(rows);
      }
    } finally {
      awaitAll(); // also after a failure or a cancellation
    }
  }

  private boolean mayEncode(List<GrowingAnswer> rows) {
    int left = growing(rows).size();
    return cost(left) == cost(rows.size()) && rows.stream().anyMatch(GrowingAnswer::mayGoOn);
  }

  /**
   * Returns the cost of a pass that continues {@code answers} answers. The unit is a row, or a tile
   * (a group of rows) if several passes are in flight: then only fewer tiles save time.
   */
  private int cost(int answers) {
    if (answers <= backend.fewRows()) {
      return answers;
    }
    return depth > 1
        ? Math.ceilDiv(answers, ForwardPasses.STEADY_ROWS)
        : Math.max(answers, ForwardPasses.STEADY_ROWS);
  }

  private void encodePass(List<GrowingAnswer> rows) {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException();
    }
    work.clear();
    for (GrowingAnswer answer : rows) {
      if (answer.mayGoOn()) {
        work.batch.add(answer.cache, 1, 1);
        answer.claimed++;
      } else {
        work.addSilent();
      }
    }
    if (steady && rows.size() > backend.fewRows()) {
      work.fill();
    }
    for (int row = rows.size(); encoded == 1 && row < work.batch.rows(); row++) {
      work.tokens.set(0, row, 0);
    }
    work.model.forward(work.batch, work.tokens, slot(encoded - 1), cancelled);
    backend.argmax(work.batch, work.model.logits(), work.tokens, slot(encoded));
    underWay[slot(encoded)] = backend.submit();
    encoded++;
  }

  private void readPass(List<GrowingAnswer> rows) {
    int slot = slot(read++);
    underWay[slot].await();
    for (int row = 0; row < rows.size(); row++) {
      GrowingAnswer answer = rows.get(row);
      if (answer.listens()) {
        int id = work.tokens.get(slot, row);
        if (id == 0) {
          awaitAll();
          work.requireNumbers(row, id);
        }
        answer.hear(id, stopTokens);
      }
    }
  }

  private int slot(int choice) {
    return choice % underWay.length;
  }

  private void awaitAll() {
    for (int choice = read; choice < encoded; choice++) {
      underWay[slot(choice)].await();
    }
  }

  private static final class GrowingAnswer {
    private final KvCache cache;
    private final int maxTokens;
    private final IntConsumer listener;
    private final int[] ids;
    private int count;
    private int stopToken = -1;

    /** Number of tokens whose computation was encoded; the host has read {@code count} of them. */
    private int claimed;

    /** Reason why the answer ended; null before its end. */
    private StopReason reason;

    GrowingAnswer(KvCache cache, int maxTokens, IntConsumer listener) {
      this.cache = cache;
      this.maxTokens = maxTokens;
      this.listener = listener;
      ids = new int[Math.min(maxTokens, cache.shape().limit() + 1)];
    }

    boolean mayGoOn() {
      return reason == null && claimed < maxTokens && cache.length() < cache.shape().limit();
    }

    boolean listens() {
      return reason == null && count < claimed;
    }

    int last() {
      return ids[count - 1];
    }

    void hear(int id, Set<Integer> stopTokens) {
      if (stopTokens.contains(id)) {
        stopToken = id;
        reason = StopReason.STOP_TOKEN;
        return;
      }
      ids[count++] = id;
      listener.accept(id);
      if (count == maxTokens) {
        reason = StopReason.LENGTH;
      } else if (count == claimed && !mayGoOn()) {
        reason = StopReason.CONTEXT_FULL;
      }
    }

    Generation result(int promptTokens, long promptNanos, long decodeNanos) {
      return new Generation(
          Arrays.copyOf(ids, count), reason, stopToken, promptTokens, promptNanos, decodeNanos);
    }
  }

  /**
   * @param tokenIds tokens of the answer, without the stop token
   * @param stopToken token that ended the answer, or −1
   * @param promptNanos time from the call to the first token, in nanoseconds
   * @param decodeNanos time from the first token to the last token, in nanoseconds
   */
  public record Generation(
      int[] tokenIds,
      StopReason stopReason,
      int stopToken,
      int promptTokens,
      long promptNanos,
      long decodeNanos) {

    public enum StopReason {
      STOP_TOKEN,
      LENGTH,
      CONTEXT_FULL,
      CANCELLED
    }
  }

  /**
   * @param maxTokens largest number of tokens of the answer; at least 1
   * @param stopTokens tokens that end an answer and are not part of it
   */
  public record GenerationOptions(int maxTokens, Set<Integer> stopTokens) {
    public GenerationOptions {
      if (maxTokens < 1) {
        throw new IllegalArgumentException(
            "the answer must have at least 1 token, not " + maxTokens);
      }
      stopTokens = Set.copyOf(stopTokens);
    }
  }
}
