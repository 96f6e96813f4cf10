package dev.helixbg.llm;

import dev.helixbg.llm.backend.KvShape;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.model.PassLimits;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.tensor.Tensor;

/**
 * Bytes that a model takes on a GPU: its weights, the keys and values of a session as long as it
 * may be, and what a pass computes.
 */
final class MemoryNeed {
  private MemoryNeed() {}

  static long of(GgufFile file, PassLimits limits) {
    Qwen3Config config = Qwen3Config.from(file.metadata());
    long weights =
        file.tensors().values().stream().mapToLong(tensor -> tensor.data().byteSize()).sum();
    KvShape shape = config.cacheShape(limits);
    // As Qwen3 has them; what is normalised, and the gates, beside.
    long perRow =
        2L * config.hidden()
            + 2L * config.queryWidth()
            + 2L * config.kvWidth()
            + 2L * config.feedForward();
    Tensor table = file.tensors().get("token_embd.weight");
    long perWanted = config.hidden() + config.queryWidth() + (table == null ? 0 : table.rows());
    return weights
        + shape.limit() * shape.bytesPerPosition()
        + Float.BYTES * (limits.rows() * perRow + limits.wanted() * perWanted);
  }
}
