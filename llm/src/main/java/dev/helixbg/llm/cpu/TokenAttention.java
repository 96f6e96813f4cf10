package dev.helixbg.llm.cpu;

import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.backend.host.HostActivations;
import dev.helixbg.llm.backend.host.HostKvCache;
import dev.helixbg.llm.cpu.kernel.HalfAttention;
import dev.helixbg.llm.cpu.kernel.RowAttention;
import dev.helixbg.llm.cpu.kernel.Softmax;
import dev.helixbg.llm.cpu.kernel.Vectors;

/**
 * Attention of single tokens, by one member of the team: keys and values are read where they lie,
 * once for two of the heads that share them.
 */
final class TokenAttention {
  private final Scratch scratch;

  TokenAttention(Scratch scratch) {
    this.scratch = scratch;
  }

  /**
   * All heads of one KV head.
   *
   * @param positions that the token sees
   * @param row of the activations
   */
  void attend(
      HostKvCache cache,
      int layer,
      int kvHead,
      int positions,
      int row,
      HostActivations q,
      HostActivations target) {
    KvShape shape = cache.shape();
    boolean halves = shape.storage() == Storage.F16;
    int size = shape.headSize();
    int group = q.columns() / size / shape.kvHeads();
    long head = 4L * size;
    long queries = q.address(row) + head * kvHead * group;
    long results = target.address(row) + head * kvHead * group;
    // Whole cache lines for each head.
    long stride = 64L * Math.ceilDiv(positions, 16);
    long scores = scratch.scores(stride / Float.BYTES * group);
    if (halves) {
      long scaled = scratch.floats((long) group * size);
      Vectors.multiply(queries, group * size, HalfAttention.QUERY_FACTOR, scaled);
      queries = scaled;
    }
    for (int run = 0; run < cache.runs() && cache.runStart(run) < positions; run++) {
      int start = cache.runStart(run);
      int count = Math.min(cache.runEnd(run), positions) - start;
      long keys = cache.data(run).address() + cache.keys(run, layer, kvHead);
      for (int g = 0; g < group; g += halves ? 2 : 1) {
        long to = scores + stride * g + 4L * start;
        long query = queries + head * g;
        if (halves) {
          // The last of an odd number is beside itself.
          int other = Math.min(1, group - 1 - g);
          HalfAttention.scores(
              query, query + head * other, keys, count, size, to, to + stride * other);
        } else {
          RowAttention.scores(query, keys, count, size, to);
        }
      }
    }
    Vectors.clear(results, group * size);
    float scale = (float) (1 / Math.sqrt(size));
    float[] inverses = scratch.inverses(group);
    for (int g = 0; g < group; g++) {
      long at = scores + stride * g;
      float max = Softmax.max(at, positions);
      inverses[g] = 1 / Softmax.exponentials(at, positions, max, scale, positions);
    }
    for (int run = 0; run < cache.runs() && cache.runStart(run) < positions; run++) {
      int start = cache.runStart(run);
      int count = Math.min(cache.runEnd(run), positions) - start;
      long values = cache.data(run).address() + cache.values(run, layer, kvHead);
      for (int g = 0; g < group; g += halves ? 2 : 1) {
        long from = scores + stride * g + 4L * start;
        long result = results + head * g;
        if (halves) {
          int other = Math.min(1, group - 1 - g);
          HalfAttention.addWeighted(
              from, from + stride * other, values, count, size, result, result + head * other);
        } else {
          RowAttention.addWeighted(from, values, count, size, result);
        }
      }
    }
    for (int g = 0; g < group; g++) {
      Vectors.multiply(results + head * g, size, inverses[g], results + head * g);
    }
  }
}
