package dev.helixbg.daemon.host;

import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.backend.KvShape;

/**
 * The memory that a loaded language model takes.
 *
 * @param weights bytes of the file, which is mapped: other processes share them, and the system
 *     takes them back when it must
 * @param cache bytes of keys and values, once as many tokens as may be were read
 * @param tokens that may be
 */
public record ModelMemory(long weights, long cache, int tokens) {

  public static ModelMemory of(TextModel model) {
    KvShape shape = model.model().cacheShape();
    return new ModelMemory(
        model.file().mapped().bytes().byteSize(),
        shape.bytesPerPosition() * shape.limit(),
        shape.limit());
  }

  /** For people. */
  public String words() {
    return "%,d MB of weights, and up to %,d MB for %,d tokens"
        .formatted(megabytes(weights), megabytes(cache), tokens);
  }

  private static long megabytes(long bytes) {
    return Math.ceilDiv(bytes, 1L << 20);
  }
}
