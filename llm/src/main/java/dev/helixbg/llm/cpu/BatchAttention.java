package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostKvCache;
import java.lang.foreign.Arena;

/**
 * Causal grouped attention over the caches of a batch. A part is a range of the batch's rows for
 * one KV head, or for some of the query heads that share that KV head.
 *
 * <p>A part processes its spans one after the other, so that keys and values that the spans share
 * are unpacked only once. Short spans are computed row by row, longer spans by matrix products. The
 * choice depends on the span's length only, so the other rows never change a bit of a row's result.
 */
final class BatchAttention implements ThreadTeam.Work {
  /** Minimum number of rows of a span for which matrix products cost less than single rows. */
  private static final int PANEL_FROM = 6;

  /**
   * Number of parts per thread. It is small, because each part unpacks the keys and values again.
   */
  private static final int PARTS_PER_MEMBER = 4;

  private static final int LEAST_ROWS = 64;

  private final PromptAttention[] prompts;
  private final TokenAttention[] tokens;
  private Batch batch;
  private HostActivations q;
  private HostActivations target;
  private int layer;
  private int rowCuts;
  private int headCuts;

  BatchAttention(Arena arena, ThreadScratch[] scratch) {
    prompts = new PromptAttention[scratch.length];
    tokens = new TokenAttention[scratch.length];
    for (int member = 0; member < scratch.length; member++) {
      prompts[member] = new PromptAttention(arena, scratch[member]);
      tokens[member] = new TokenAttention(scratch[member]);
    }
  }

  /**
   * Divides the work of the next {@link #run} for {@code members} threads; returns the number of
   * parts.
   */
  int parts(Batch batch, HostActivations q, int layer, HostActivations target, int members) {
    this.batch = batch;
    this.q = q;
    this.layer = layer;
    this.target = target;
    if (batch.spans() == 0) {
      return 0;
    }
    for (PromptAttention prompt : prompts) {
      prompt.begin();
    }
    // All caches of a batch belong to one model, so they have the same shape.
    KvShape shape = batch.cache(0).shape();
    int heads = shape.kvHeads();
    int wanted = members == 1 ? 1 : Math.ceilDiv(PARTS_PER_MEMBER * members, heads);
    rowCuts = Math.clamp(batch.rows() / LEAST_ROWS, 1, wanted);
    // For a single token, keys and values are read once per pair of heads. The pairs are divided
    // among threads that would otherwise have no work.
    int pairs = Math.ceilDiv(q.columns() / shape.headSize() / heads, 2);
    boolean single = batch.rows() == 1;
    headCuts = single ? Math.clamp(members / heads, 1, pairs) : 1;
    return heads * rowCuts * headCuts;
  }

  @Override
  public void run(int member, int part) {
    int cut = part % (rowCuts * headCuts);
    int kvHead = part / (rowCuts * headCuts);
    int from = (int) ((long) batch.rows() * (cut % rowCuts) / rowCuts);
    int to = (int) ((long) batch.rows() * (cut % rowCuts + 1) / rowCuts);
    for (int span = 0; span < batch.spans(); span++) {
      int first = Math.max(from - batch.firstRow(span), 0);
      int end = Math.min(to - batch.firstRow(span), batch.count(span));
      if (first < end) {
        attend(member, span, kvHead, first, end, cut / rowCuts);
      }
    }
  }

  /** Computes rows {@code first ≤ r < end} of a span. */
  private void attend(int member, int span, int kvHead, int first, int end, int headCut) {
    if (batch.count(span) >= PANEL_FROM) {
      prompts[member].attend(batch, span, first, end - first, layer, kvHead, q, target);
      return;
    }
    HostKvCache cache = (HostKvCache) batch.cache(span);
    for (int i = first; i < end; i++) {
      int positions = batch.start(span) + i + 1;
      int row = batch.firstRow(span) + i;
      tokens[member].attend(cache, layer, kvHead, headCut, headCuts, positions, row, q, target);
    }
  }
}
