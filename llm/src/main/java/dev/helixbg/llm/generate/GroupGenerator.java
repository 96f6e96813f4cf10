package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.generate.Generator.Generation;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * Answers several prompts at once, always by the likeliest token: each pass over the weights serves
 * all answers that are still growing.
 *
 * <p>All prompts follow one sequence that was read before. What is answered beside a prompt changes
 * nothing in its answer.
 *
 * <p>Tokens stay on the device, and passes are encoded ahead of their being read, as deep as the
 * device wants. An answer that has ended leaves its row to a sequence whose results are not used;
 * what was computed past its end is forgotten. The others move together when that spares the device
 * something, once all passes under way are read.
 */
public final class GroupGenerator {
  private final ForwardPasses work;
  private final Backend backend;
  private final KvCache shared;
  private final List<int[]> prompts;
  private final int maxTokens;
  private final Set<Integer> stopTokens;
  private final BooleanSupplier cancelled;
  private final int depth;
  private final Submission[] underWay;
  private final List<PromptGroup> groups = new ArrayList<>();
  private final List<GrowingAnswer> voices = new ArrayList<>();

  /** Choices of tokens encoded, and read; the i-th goes to slot i modulo the number of slots. */
  private int encoded;

  private int read;

  /** Makes a generator for prompts whose answers grow together. */
  private GroupGenerator(
      ForwardPasses work,
      KvCache shared,
      List<int[]> prompts,
      int maxTokens,
      Set<Integer> stopTokens,
      BooleanSupplier cancelled) {
    this.work = work;
    backend = work.model.backend();
    this.shared = shared;
    this.prompts = prompts;
    this.maxTokens = maxTokens;
    this.stopTokens = stopTokens;
    this.cancelled = cancelled;
    depth = backend.depth();
    underWay = new Submission[work.tokens.slots()];
  }

  /**
   * Answers all prompts.
   *
   * @param shared is read only
   * @param prompts each with at least one token
   * @param maxTokens of each answer, at least 1
   * @param stopTokens end an answer, and are no part of it
   * @return one per prompt; the times are those of all prompts together
   * @throws dev.helixbg.llm.backend.KvCache.ContextFullException if a prompt does not fit the
   *     context
   * @throws CancellationException if cancelled, within a pass or between two
   */
  public static List<Generation> generate(
      ForwardPasses work,
      KvCache shared,
      List<int[]> prompts,
      int maxTokens,
      Set<Integer> stopTokens,
      BooleanSupplier cancelled) {
    if (maxTokens < 1) {
      throw new IllegalArgumentException("an answer must have at least 1 token, not " + maxTokens);
    }
    prompts.forEach(work::requirePrompt);
    prompts.forEach(prompt -> shared.requireRoom(prompt.length));
    work.clear();
    int most = work.batch.freeWanted();
    List<Generation> answers = new ArrayList<>();
    for (int from = 0; from < prompts.size(); from += most) {
      List<int[]> some = prompts.subList(from, Math.min(prompts.size(), from + most));
      answers.addAll(
          new GroupGenerator(work, shared, some, maxTokens, stopTokens, cancelled).run());
    }
    return answers;
  }

  private List<Generation> run() {
    long start = System.nanoTime();
    try {
      readPrompts();
      long readAt = System.nanoTime();
      List<GrowingAnswer> growing = growing(voices);
      while (!growing.isEmpty()) {
        grow(growing);
        growing = growing(growing);
      }
      long end = System.nanoTime();
      List<Generation> answers = new ArrayList<>();
      for (int i = 0; i < prompts.size(); i++) {
        answers.add(voices.get(i).answer(prompts.get(i).length, readAt - start, end - readAt));
      }
      return answers;
    } finally {
      groups.forEach(PromptGroup::close);
    }
  }

  private void readPrompts() {
    for (int from = 0; from < prompts.size(); ) {
      int to = PromptGroup.end(work, prompts, from, 0, 0);
      PromptGroup group = new PromptGroup(work, prompts.subList(from, to));
      groups.add(group);
      group.add(shared, cancelled);
      work.forward(cancelled);
      backend.argmax(work.batch, work.model.logits(), work.tokens, 0);
      backend.submit().await();
      for (int i = 0; i < to - from; i++) {
        int id = work.tokens.get(0, i);
        work.requireNumbers(i, id);
        GrowingAnswer voice = new GrowingAnswer(group.cache(i), maxTokens);
        voices.add(voice);
        voice.claim();
        voice.hear(id, stopTokens);
      }
      from = to;
    }
  }

  private static List<GrowingAnswer> growing(List<GrowingAnswer> some) {
    return some.stream().filter(voice -> voice.reason == null).toList();
  }

  /** Goes on with these, a row each, until all have ended, or so many that fewer rows would do. */
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
      awaitAll(); // also when a device failed, or it was cancelled
    }
  }

  private boolean mayEncode(List<GrowingAnswer> rows) {
    int left = growing(rows).size();
    return cost(left) == cost(rows.size()) && rows.stream().anyMatch(GrowingAnswer::mayGoOn);
  }

  /**
   * Returns the cost of a pass with {@code answers} answers. Where passes are under way, fewer rows
   * are worth that the device waits once only if whole tiles of them are spared.
   */
  private int cost(int answers) {
    if (answers <= backend.fewRows()) {
      return answers;
    }
    return depth > 1
        ? Math.ceilDiv(answers, ForwardPasses.STEADY_ROWS)
        : Math.max(answers, ForwardPasses.STEADY_ROWS);
  }

  /** The pass that reads the choices {@code encoded − 1} again and makes the next. */
  private void encodePass(List<GrowingAnswer> rows) {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException();
    }
    work.clear();
    for (GrowingAnswer voice : rows) {
      if (voice.mayGoOn()) {
        work.batch.add(voice.cache, 1, 1);
        voice.claim();
      } else {
        work.addSilent();
      }
    }
    if (rows.size() > backend.fewRows()) {
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
      GrowingAnswer voice = rows.get(row);
      if (voice.listens()) {
        int id = work.tokens.get(slot, row);
        if (id == 0) {
          awaitAll();
          work.requireNumbers(row, id);
        }
        voice.hear(id, stopTokens);
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

  /** One answer. */
  private static final class GrowingAnswer {
    private final KvCache cache;
    private final int[] ids;
    private int count;
    private int stopToken = -1;

    /** Tokens that were encoded; {@code count} of them were heard. */
    private int claimed;

    /** Null while it grows. */
    private StopReason reason;

    GrowingAnswer(KvCache cache, int maxTokens) {
      this.cache = cache;
      ids = new int[maxTokens];
    }

    /** Whether there may be one more token than were encoded. */
    boolean mayGoOn() {
      return reason == null && claimed < ids.length && cache.length() < cache.shape().limit();
    }

    void claim() {
      claimed++;
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
      if (count == ids.length) {
        reason = StopReason.LENGTH;
      } else if (count == claimed && !mayGoOn()) {
        reason = StopReason.CONTEXT_FULL;
      }
    }

    Generation answer(int promptTokens, long promptNanos, long decodeNanos) {
      return new Generation(
          Arrays.copyOf(ids, count), reason, stopToken, promptTokens, promptNanos, decodeNanos);
    }
  }
}
