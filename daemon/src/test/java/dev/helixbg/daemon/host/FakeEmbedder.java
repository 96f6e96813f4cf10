package dev.helixbg.daemon.host;

import dev.helixbg.embed.Embedder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/** Gives each text a vector of a random direction, and records the texts. */
public final class FakeEmbedder implements Embedder {
  public final List<String> asked = new ArrayList<>();

  /** Number of vectors after which the thread is interrupted; by default, never. */
  public int interruptAfter = Integer.MAX_VALUE;

  @Override
  public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
    for (int i = 0; i < texts.size(); i++) {
      if (asked.size() == interruptAfter) {
        interruptAfter = Integer.MAX_VALUE;
        throw new InterruptedException();
      }
      asked.add(texts.get(i));
      sink.accept(i, vectorOf(texts.get(i)));
    }
  }

  /** Returns a model with this id, which {@code open} opens. */
  public static FakeModel model(String id, Supplier<Embedder> open) {
    return new FakeModel(id) {
      @Override
      public Embedder open() {
        return open.get();
      }
    };
  }

  public static float[] vectorOf(String text) {
    Random random = new Random(text.hashCode());
    float[] vector = new float[384];
    double squares = 0;
    for (int i = 0; i < vector.length; i++) {
      vector[i] = (float) random.nextGaussian();
      squares += vector[i] * vector[i];
    }
    for (int i = 0; i < vector.length; i++) {
      vector[i] /= (float) Math.sqrt(squares);
    }
    return vector;
  }

  @Override
  public void close() {}
}
