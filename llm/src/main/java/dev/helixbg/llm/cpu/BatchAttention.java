package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.Batch.Span;
import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.attention.HalfAttention;
import dev.helixbg.llm.cpu.kernel.attention.Softmax;
import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;

/**
 * Computes causal grouped-query attention over the KV caches of a batch. The work is divided into
 * parts. A part covers a range of the batch's rows and one KV head, or only some of the query heads
 * that share this KV head.
 *
 * <p>A span is a run of consecutive rows of one sequence. A part processes its spans one after the
 * other, so that keys and values that the spans share are unpacked only once. Short spans are
 * computed row by row, longer spans by matrix products. The choice depends only on the span's
 * length, so a row's result is bit-identical for any values of the other rows. If a span is
 * computed row by row, its keys and values are read in place, once for each pair of heads that
 * share them.
 */
final class BatchAttention implements ThreadTeam.Work {
  /** Minimum length of a span, in rows, for which matrix products are faster. */
  private static final int PANEL_FROM = 6;

  /** Number of parts per thread; small, because each part unpacks the keys and values again. */
  private static final int PARTS_PER_MEMBER = 4;

  private static final int LEAST_ROWS = 64;

  private final List<PromptAttention> prompts;
  private final ThreadScratch[] scratch;
  private Batch batch;
  private HostActivations q;
  private HostActivations target;
  private int layer;
  private int rowCuts;
  private int headCuts;

  BatchAttention(Arena arena, ThreadScratch[] scratch) {
    this.scratch = scratch;
    prompts = Arrays.stream(scratch).map(own -> new PromptAttention(arena, own)).toList();
  }

  /**
   * Divides the work for {@code members} threads and returns the number of parts. Each later call
   * of {@link #run} computes one of these parts.
   */
  int parts(Batch batch, HostActivations q, int layer, HostActivations target, int members) {
    this.batch = batch;
    this.q = q;
    this.layer = layer;
    this.target = target;
    for (PromptAttention prompt : prompts) {
      prompt.begin(q, layer, target);
    }
    // All caches of a batch belong to one model, so they have the same shape.
    KvShape shape = batch.spans().getFirst().cache().shape();
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
    for (Span span : batch.spans()) {
      int first = Math.max(from - span.firstRow(), 0);
      int end = Math.min(to - span.firstRow(), span.count());
      if (first < end && span.count() >= PANEL_FROM) {
        prompts.get(member).attend(span, first, end - first, kvHead);
      } else {
        for (int i = first; i < end; i++) {
          attendRow(scratch[member], span, kvHead, cut / rowCuts, i);
        }
      }
    }
  }

  /**
   * Computes a row's attention for a group of query heads that share one KV head.
   *
   * @param cut index of the group of heads, 0 to {@code headCuts − 1}; groups never divide a pair
   *     of heads
   * @param i index of the row in its span
   */
  private void attendRow(ThreadScratch scratch, Span span, int kvHead, int cut, int i) {
    HostKvCache cache = (HostKvCache) span.cache();
    int positions = span.start() + i + 1;
    int row = span.firstRow() + i;
    KvShape shape = cache.shape();
    int size = shape.headSize();
    int sharing = q.columns() / size / shape.kvHeads();
    int pairs = Math.ceilDiv(sharing, 2);
    int first = pairs * cut / headCuts * 2;
    int group = Math.min(pairs * (cut + 1) / headCuts * 2, sharing) - first;
    long head = 4L * size;
    long queries = q.address(row) + head * (kvHead * sharing + first);
    long results = target.address(row) + head * (kvHead * sharing + first);
    // Each head's scores occupy whole cache lines.
    long stride = 64L * Math.ceilDiv(positions, 16);
    long scores = scratch.scores(stride / Float.BYTES * group);
    long scaled = scratch.floats((long) group * size);
    VectorOps.multiply(queries, group * size, HalfAttention.QUERY_FACTOR, scaled);
    for (int start = 0, end; start < positions; start = end) {
      end = Math.min(cache.runEnd(start), positions);
      int count = end - start;
      long keys = cache.key(start, layer, kvHead);
      long to = scores + 4L * start;
      for (int g = 0; g < group; g += 2) {
        int other = Math.min(g + 1, group - 1); // an odd last head is paired with itself
        HalfAttention.scores(
            scaled + head * g,
            scaled + head * other,
            keys,
            count,
            size,
            to + stride * g,
            to + stride * other);
      }
    }
    VectorOps.clear(results, group * size);
    float scale = (float) (1 / Math.sqrt(size));
    float[] inverses = scratch.inverses(group);
    for (int g = 0; g < group; g++) {
      long at = scores + stride * g;
      float max = Softmax.max(at, positions);
      inverses[g] = 1 / Softmax.exponentials(at, positions, max, scale, positions);
    }
    for (int start = 0, end; start < positions; start = end) {
      end = Math.min(cache.runEnd(start), positions);
      int count = end - start;
      long values = cache.value(start, layer, kvHead);
      long weights = scores + 4L * start;
      for (int g = 0; g < group; g += 2) {
        int other = Math.min(g + 1, group - 1);
        HalfAttention.addWeighted(
            weights + stride * g,
            weights + stride * other,
            values,
            count,
            size,
            results + head * g,
            results + head * other);
      }
    }
    for (int g = 0; g < group; g++) {
      VectorOps.multiply(results + head * g, size, inverses[g], results + head * g);
    }
  }
}
