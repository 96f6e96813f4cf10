package dev.helixbg.embed;

import dev.helixbg.embed.encoder.Encoder;

/** Runs the network on {@link Encoder}. A batch may mix texts of any length. */
record EncoderModel(Encoder encoder, Pooling pooling) implements TokenModel {
  @Override
  public float[][] embed(int[][] ids) {
    int[][] types = new int[ids.length][];
    for (int text = 0; text < ids.length; text++) {
      types[text] =
          pooling == Pooling.FIRST ? BertSession.tokenTypes(ids[text]) : new int[ids[text].length];
    }
    float[] states;
    try {
      states = encoder.states(ids, types);
    } catch (IndexOutOfBoundsException e) {
      throw new EmbeddingException(
          "the model does not fit its tokenizer or embed.max_tokens: " + e.getMessage(), e);
    }
    float[][] vectors = new float[ids.length][];
    int from = 0;
    for (int text = 0; text < ids.length; text++) {
      vectors[text] = pooling.pool(states, from, ids[text].length);
      from += pooling == Pooling.FIRST ? 1 : ids[text].length;
    }
    return vectors;
  }

  @Override
  public void close() {
    encoder.close();
  }
}
