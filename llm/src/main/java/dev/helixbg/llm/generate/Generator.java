package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.generate.Generator.Generation.StopReason;
import java.util.Arrays;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * Goes on from a prompt token by token, always by the likeliest one: one answer.
 *
 * <p>Passes are encoded ahead of the tokens being read, as deep as the device wants; what was
 * computed past the end of the answer is forgotten.
 */
public final class Generator {
  private final ForwardPasses work;
  private final Backend backend;
  private final KvCache cache;
  private final int[] prompt;
  private final int maxTokens;
  private final IntConsumer listener;
  private final BooleanSupplier cancelled;

  private final int depth;
  private final Submission[] underWay;
  private final Set<Integer> stopTokens;
  private final int[] answer;
  private final long start = System.nanoTime();

  /** Choices of a token encoded so far; the i-th goes to slot i modulo the number of slots. */
  private int encoded;

  /** Choices read so far. */
  private int read;

  private Generator(
      ForwardPasses work,
      KvCache cache,
      int[] prompt,
      GenerationOptions options,
      IntConsumer listener,
      BooleanSupplier cancelled) {
    this.work = work;
    this.cache = cache;
    this.prompt = prompt;
    this.maxTokens = options.maxTokens();
    this.listener = listener;
    this.cancelled = cancelled;
    backend = work.model.backend();
    depth = backend.depth();
    underWay = new Submission[work.tokens.slots()];
    stopTokens = options.stopTokens();
    answer = new int[Math.min(maxTokens, cache.shape().limit() + 1)];
  }

  /**
   * Reads the prompt into the sequence and generates an answer. Afterwards the sequence holds the
   * prompt and the answer's tokens that were read again, all but the last at least.
   *
   * @param prompt at least one token
   * @param listener is given each token of the answer as it is chosen
   * @param cancelled is asked while the prompt is read, and after each token
   * @throws dev.helixbg.llm.backend.KvCache.ContextFullException if the prompt does not fit the
   *     context
   */
  public static Generation generate(
      ForwardPasses work,
      KvCache cache,
      int[] prompt,
      GenerationOptions options,
      IntConsumer listener,
      BooleanSupplier cancelled) {
    if (prompt.length == 0) {
      throw new IllegalArgumentException("the prompt is empty");
    }
    return new Generator(work, cache, prompt, options, listener, cancelled).run();
  }

  private Generation run() {
    if (!work.read(cache, prompt, true, cancelled)) {
      return new Generation(new int[0], StopReason.CANCELLED, -1, prompt.length, elapsed(start), 0);
    }
    int promptEnd = cache.length();
    long firstTokenAt = 0;
    long decodeNanos;
    int stopToken = -1;
    StopReason reason = null;
    int count = 0;
    try {
      encodeChoice();
      while (reason == null) {
        while (encoded - read < depth && mayEncode()) {
          encodePass();
        }
        int id = readChoice();
        if (read == 1) {
          firstTokenAt = System.nanoTime();
        }
        if (stopTokens.contains(id)) {
          stopToken = id;
          reason = StopReason.STOP_TOKEN;
        } else {
          answer[count++] = id;
          listener.accept(id);
          reason = reasonToEnd();
        }
      }
      decodeNanos = elapsed(firstTokenAt);
    } finally {
      forgetPast(promptEnd + count); // also when the listener, or a device, failed
    }
    return new Generation(
        Arrays.copyOf(answer, count),
        reason,
        stopToken,
        prompt.length,
        firstTokenAt - start,
        decodeNanos);
  }

  /** The pass that reads choice {@code encoded − 1} again and makes the next choice. */
  private void encodePass() {
    work.clear();
    work.batch.add(cache, 1, 1);
    work.model.forward(work.batch, work.tokens, slot(encoded - 1));
    encodeChoice();
  }

  private void encodeChoice() {
    backend.argmax(work.batch, work.model.logits(), work.tokens, slot(encoded));
    underWay[slot(encoded)] = backend.submit();
    encoded++;
  }

  private int readChoice() {
    int slot = slot(read++);
    underWay[slot].await();
    int id = work.tokens.get(slot, 0);
    if (id == 0) {
      awaitAll();
      work.requireNumbers(0, id);
    }
    return id;
  }

  private int slot(int choice) {
    return choice % underWay.length;
  }

  private boolean mayEncode() {
    return encoded < maxTokens && cache.length() < cache.shape().limit();
  }

  /** Returns the reason to end; null while there is none. */
  private StopReason reasonToEnd() {
    if (read == maxTokens) {
      return StopReason.LENGTH;
    }
    if (read == encoded && !mayEncode()) {
      return StopReason.CONTEXT_FULL;
    }
    return cancelled.getAsBoolean() ? StopReason.CANCELLED : null;
  }

  /** Waits for what is still under way, and drops what was computed beyond the answer. */
  private void forgetPast(int length) {
    awaitAll();
    cache.truncate(Math.min(cache.length(), length));
  }

  private void awaitAll() {
    for (int choice = read; choice < encoded; choice++) {
      underWay[slot(choice)].await();
    }
  }

  private static long elapsed(long since) {
    return System.nanoTime() - since;
  }

  /**
   * An answer.
   *
   * @param tokenIds without the stop token
   * @param stopToken that ended it, or −1
   * @param promptTokens that were read for it
   * @param promptNanos from the call to the first token
   * @param decodeNanos from the first token to the last
   */
  public record Generation(
      int[] tokenIds,
      StopReason stopReason,
      int stopToken,
      int promptTokens,
      long promptNanos,
      long decodeNanos) {

    /** Why an answer ended. */
    public enum StopReason {
      /** The model said so, by a stop token. */
      STOP_TOKEN,
      /** The answer has as many tokens as were asked for. */
      LENGTH,
      /** The sequence fills its context. */
      CONTEXT_FULL,
      /** The caller wanted no more. */
      CANCELLED
    }
  }

  /**
   * Options of a generation.
   *
   * @param maxTokens of the answer, at least 1
   * @param stopTokens end the answer, and are no part of it
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
