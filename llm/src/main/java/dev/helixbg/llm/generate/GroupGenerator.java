package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvCache;
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
 */
public final class GroupGenerator {
  private static final int CHOSEN = 1;

  private final Workspace work;
  private final Backend backend;
  private final KvCache shared;
  private final List<int[]> prompts;
  private final int maxTokens;
  private final Set<Integer> stopTokens;
  private final BooleanSupplier cancelled;
  private final List<PromptGroup> groups = new ArrayList<>();
  private final List<Voice> voices = new ArrayList<>();

  /** Of prompts whose answers grow together. */
  private GroupGenerator(
      Workspace work,
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
  }

  /**
   * Answers all prompts.
   *
   * @param shared is read only
   * @param prompts each with at least one token
   * @param maxTokens of each answer, at least 1
   * @param stopTokens end an answer, and are no part of it
   * @return one per prompt; the times are those of all prompts together
   * @throws dev.helixbg.llm.backend.ContextFullException if a prompt does not fit the context
   * @throws CancellationException if cancelled, within a pass or between two
   */
  public static List<Generation> generate(
      Workspace work,
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
    work.batch.clear();
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
      long read = System.nanoTime();
      List<Voice> growing = growing();
      while (!growing.isEmpty()) {
        grow(growing);
        growing = growing();
      }
      long end = System.nanoTime();
      List<Generation> answers = new ArrayList<>();
      for (int i = 0; i < prompts.size(); i++) {
        answers.add(voices.get(i).answer(prompts.get(i).length, read - start, end - read));
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
      choose();
      for (int i = 0; i < to - from; i++) {
        Voice voice = new Voice(group.cache(i), maxTokens);
        voices.add(voice);
        voice.hear(chosen(i), stopTokens);
      }
      from = to;
    }
  }

  private List<Voice> growing() {
    return voices.stream().filter(voice -> voice.reason == null).toList();
  }

  private void grow(List<Voice> growing) {
    work.batch.clear();
    for (Voice voice : growing) {
      work.add(voice.cache, voice.ids, voice.count - 1, 1, 1);
    }
    work.forward(cancelled);
    choose();
    for (int i = 0; i < growing.size(); i++) {
      growing.get(i).hear(chosen(i), stopTokens);
    }
  }

  private void choose() {
    backend.argmax(work.batch, work.model.logits(), work.tokens, CHOSEN);
    backend.submit().await();
  }

  private int chosen(int row) {
    int id = work.tokens.get(CHOSEN, row);
    work.requireNumbers(row, id);
    return id;
  }

  /** One answer. */
  private static final class Voice {
    private final KvCache cache;
    private final int[] ids;
    private int count;
    private int stopToken = -1;

    /** Null while it grows. */
    private StopReason reason;

    Voice(KvCache cache, int maxTokens) {
      this.cache = cache;
      ids = new int[maxTokens];
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
      } else if (cache.length() == cache.shape().limit()) {
        reason = StopReason.CONTEXT_FULL;
      }
    }

    Generation answer(int promptTokens, long promptNanos, long decodeNanos) {
      return new Generation(
          Arrays.copyOf(ids, count), reason, stopToken, promptTokens, promptNanos, decodeNanos);
    }
  }
}
