package dev.helixbg.llm.generate;

import dev.helixbg.llm.backend.Backend.Submission;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.KvCache.ContextFullException;
import dev.helixbg.llm.backend.TokenSlots;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;

/**
 * A model with the memory that its forward passes share: one batch, and lists of token ids. Only
 * one thread at a time may use an instance.
 */
public final class ForwardPasses {
  /**
   * Number of rows (tokens), and of rows with logits, to which {@link #fill()} fills up smaller
   * passes. With at least this number, a row's result does not depend on the number of other rows.
   * Backends may compute smaller passes with another method, which rounds in another way.
   */
  static final int STEADY_ROWS = 8;

  final Qwen3 model;
  final Batch batch;
  private final int rows;

  /** Filler sequences of one token, whose results are not used; see {@link #fill()}. */
  private final List<KvCache> silent = new ArrayList<>();

  private int silentRows;

  /** Token ids: a slot (list) for each pass in flight, and one more slot to write meanwhile. */
  final TokenSlots tokens;

  /** The most recent pass that reads a prompt. Its inputs must not change before it ends. */
  private Submission lastRead = Submission.DONE;

  public ForwardPasses(Qwen3 model, PassLimits limits) {
    this.model = model;
    rows = limits.rows();
    batch = new Batch(limits.rows(), limits.wanted());
    tokens = model.backend().tokens(model.backend().depth() + 1, limits.rows());
  }

  /**
   * Makes the model read a prompt into a sequence. Each pass reads as many tokens as fit. If too
   * many passes are in flight, the method waits for the device. If {@code wantLast} is true, the
   * last pass computes the last token's logits, and the caller must submit this pass.
   *
   * @param cancelled returns true to cancel; called within and between passes
   * @throws CancellationException if cancelled; the sequence is then unchanged
   * @throws ContextFullException if the sequence has no room
   * @throws IllegalArgumentException if an id is not in the vocabulary
   */
  public void read(KvCache cache, int[] ids, boolean wantLast, BooleanSupplier cancelled) {
    requireKnown(ids);
    cache.requireRoom(ids.length);
    lastRead.await();
    Submission[] readingSlot = new Submission[tokens.slots()];
    int before = cache.length();
    int slot = 0;
    try {
      for (int from = 0; from < ids.length; ) {
        if (cancelled.getAsBoolean()) {
          throw new CancellationException();
        }
        if (readingSlot[slot] != null) {
          readingSlot[slot].await();
        }
        clear();
        int count = Math.min(batch.freeRows(), ids.length - from);
        boolean last = from + count == ids.length;
        add(cache, ids, from, count, last && wantLast ? 1 : 0, slot);
        model.forward(batch, tokens, slot, cancelled);
        if (!(last && wantLast)) {
          lastRead = model.backend().submit();
          readingSlot[slot] = lastRead;
        }
        from += count;
        slot = (slot + 1) % tokens.slots();
      }
    } catch (CancellationException e) {
      lastRead.await(); // no pass may be in flight when the sequence shrinks
      cache.truncate(before);
      throw e;
    }
    if (!wantLast) {
      lastRead.await();
    }
  }

  /** Adds {@code count} tokens of {@code ids} to the batch, and writes their ids to a slot. */
  void add(KvCache cache, int[] ids, int first, int count, int wantedCount, int slot) {
    int row = batch.add(cache, count, wantedCount);
    for (int i = 0; i < count; i++) {
      tokens.set(slot, row + i, ids[first + i]);
    }
  }

  void clear() {
    batch.clear();
    silentRows = 0;
  }

  /** Calls {@link #fill()}, and writes a token id for each filler row to slot 0. */
  void fill(BooleanSupplier cancelled) {
    if (cancelled.getAsBoolean()) {
      throw new CancellationException();
    }
    int first = batch.rows();
    fill();
    for (int row = first; row < batch.rows(); row++) {
      tokens.set(0, row, 0);
    }
  }

  /**
   * Fills up a small pass with rows of filler sequences, after all other rows. Results then do not
   * depend on the number of other rows. Filler rows can have any tokens.
   */
  void fill() {
    int missing = STEADY_ROWS - Math.min(batch.rows(), batch.wanted());
    int count = Math.min(missing, Math.min(batch.freeRows(), batch.freeWanted()));
    for (int i = 0; i < count; i++) {
      addSilent();
    }
  }

  void addSilent() {
    if (silentRows == silent.size()) {
      silent.add(model.backend().cache(model.cacheShape()));
    }
    KvCache cache = silent.get(silentRows++);
    cache.truncate(0);
    batch.add(cache, 1, 1);
  }

  /**
   * Returns the maximum number of prompt tokens of a pass. The pass's other rows are reserved for
   * filler tokens.
   */
  public int promptTokens() {
    return Math.max(1, rows - STEADY_ROWS);
  }

  void requirePrompt(int[] ids) {
    if (ids.length == 0) {
      throw new IllegalArgumentException("a prompt or continuation is empty");
    }
    requireKnown(ids);
  }

  /**
   * Throws an exception if token 0 was chosen from a row of logits that contains NaN. All devices
   * choose token 0 if all logits are NaN. No pass may be in flight, since a later pass would
   * overwrite the logits.
   */
  void requireNumbers(int row, int chosen) {
    if (chosen != 0) {
      return;
    }
    float[] logits = new float[model.vocabulary()];
    model.logits().read(row, logits);
    for (float logit : logits) {
      if (Float.isNaN(logit)) {
        throw model.notNumbers();
      }
    }
  }

  private void requireKnown(int[] ids) {
    for (int id : ids) {
      if (id < 0 || id >= model.vocabulary()) {
        throw new IllegalArgumentException(
            "token id %d is not in the vocabulary of %d tokens".formatted(id, model.vocabulary()));
      }
    }
  }
}
