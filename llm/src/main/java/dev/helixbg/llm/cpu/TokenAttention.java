package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.cpu.kernel.VectorOps;
import dev.helixbg.llm.cpu.kernel.attention.HalfAttention;
import dev.helixbg.llm.cpu.kernel.attention.Softmax;

/**
 * Attention of single tokens, on one thread. Keys and values are read in place, once for each pair
 * of heads that share them.
 */
record TokenAttention(ThreadScratch scratch) {
  /**
   * Computes the attention of a group of query heads that share one KV head.
   *
   * @param cut index of the group of heads, 0 to {@code cuts − 1}; a group has whole pairs of heads
   * @param positions number of positions that the token attends to
   */
  void attend(
      HostKvCache cache,
      int layer,
      int kvHead,
      int cut,
      int cuts,
      int positions,
      int row,
      HostActivations q,
      HostActivations target) {
    KvShape shape = cache.shape();
    int size = shape.headSize();
    int sharing = q.columns() / size / shape.kvHeads();
    int pairs = Math.ceilDiv(sharing, 2);
    int first = pairs * cut / cuts * 2;
    int group = Math.min(pairs * (cut + 1) / cuts * 2, sharing) - first;
    long head = 4L * size;
    long queries = q.address(row) + head * (kvHead * sharing + first);
    long results = target.address(row) + head * (kvHead * sharing + first);
    // Each head's scores take whole cache lines.
    long stride = 64L * Math.ceilDiv(positions, 16);
    long scores = scratch.scores(stride / Float.BYTES * group);
    long scaled = scratch.floats((long) group * size);
    VectorOps.multiply(queries, group * size, HalfAttention.QUERY_FACTOR, scaled);
    for (int start = 0; start < positions; start = cache.runEnd(start)) {
      int count = Math.min(cache.runEnd(start), positions) - start;
      long keys = cache.key(start, layer, kvHead);
      score(size, group, scaled, keys, count, scores + 4L * start, stride);
    }
    VectorOps.clear(results, group * size);
    float scale = (float) (1 / Math.sqrt(size));
    float[] inverses = scratch.inverses(group);
    for (int g = 0; g < group; g++) {
      long at = scores + stride * g;
      float max = Softmax.max(at, positions);
      inverses[g] = 1 / Softmax.exponentials(at, positions, max, scale, positions);
    }
    for (int start = 0; start < positions; start = cache.runEnd(start)) {
      int count = Math.min(cache.runEnd(start), positions) - start;
      long values = cache.value(start, layer, kvHead);
      weigh(size, group, scores + 4L * start, stride, values, count, results);
    }
    for (int g = 0; g < group; g++) {
      VectorOps.multiply(results + head * g, size, inverses[g], results + head * g);
    }
  }

  private void score(
      int size, int group, long queries, long keys, int count, long scores, long stride) {
    long head = 4L * size;
    for (int g = 0; g < group; g += 2) {
      long query = queries + head * g;
      long to = scores + stride * g;
      // An odd last head is paired with itself.
      int other = Math.min(1, group - 1 - g);
      long otherQuery = query + head * other;
      long toOther = to + stride * other;
      HalfAttention.scores(query, otherQuery, keys, count, size, to, toOther);
    }
  }

  /** Adds a run's values, weighted by their scores, to the results of all heads. */
  private void weigh(
      int size, int group, long scores, long stride, long values, int count, long results) {
    long head = 4L * size;
    for (int g = 0; g < group; g += 2) {
      long from = scores + stride * g;
      long to = results + head * g;
      int other = Math.min(1, group - 1 - g);
      long otherFrom = from + stride * other;
      long toOther = to + head * other;
      HalfAttention.addWeighted(from, otherFrom, values, count, size, to, toOther);
    }
  }
}
