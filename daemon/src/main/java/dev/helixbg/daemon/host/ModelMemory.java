package dev.helixbg.daemon.host;

import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.backend.KvShape;

/**
 * The memory of a loaded language model.
 *
 * @param weights size of the mapped file in bytes; other processes share this memory, and the
 *     system can reclaim it
 * @param cache size in bytes of the keys and values that the longest session keeps
 * @param tokens largest number of tokens in a session
 */
public record ModelMemory(long weights, long cache, int tokens) {

  public static ModelMemory of(TextModel model) {
    KvShape shape = model.model().cacheShape();
    return new ModelMemory(
        model.file().mapped().bytes().byteSize(),
        shape.bytesPerPosition() * shape.limit(),
        shape.limit());
  }

  public String words() {
    return "%,d MB of weights, and up to %,d MB for %,d tokens"
        .formatted(megabytes(weights), megabytes(cache), tokens);
  }

  private static long megabytes(long bytes) {
    return Math.ceilDiv(bytes, 1L << 20);
  }
}
