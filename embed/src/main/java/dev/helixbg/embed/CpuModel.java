package dev.helixbg.embed;

import ai.onnxruntime.OrtException;
import java.nio.file.Path;

/** The network on ONNX Runtime's CPU provider: any batch shape, one thread per caller. */
final class CpuModel implements TokenModel {

  /**
   * Tokens of a batch, padding included. Larger batches leave the cache, smaller ones leave the
   * matrix kernels without work: both are slower.
   */
  private static final int TOKEN_BUDGET = 512;

  private final BertSession session;
  private final boolean oneByOne;

  /**
   * @param oneByOne whether each text is a batch of its own: eight-bit activations share one scale,
   *     so in a batch a vector would depend on its neighbours; and by its last bits it always does
   */
  CpuModel(Path graph, boolean oneByOne, Pooling pooling) throws OrtException {
    this.oneByOne = oneByOne;
    session = BertSession.open(graph, pooling, options -> options.setInterOpNumThreads(1));
  }

  @Override
  public int batchSize(int longest) {
    return oneByOne ? 1 : Math.max(1, TOKEN_BUDGET / longest);
  }

  @Override
  public int callers(int threads) {
    return threads;
  }

  @Override
  public float[][] embed(int[][] ids) throws OrtException {
    return session.embed(ids, ids.length, BertSession.longest(ids));
  }

  @Override
  public void close() {
    session.close();
  }
}
