package dev.helixbg.daemon;

import static dev.helixbg.daemon.TortureArea.require;

import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.cache.TextKey;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The real embedding model, which embeds each text once. If the vector of a text is {@link #given},
 * returns that vector, but checks that it is close to the model's: other padding or batches change
 * the last bits.
 */
final class RememberedModel extends FakeModel implements AutoCloseable {
  private static final double TOLERANCE = 1e-5;

  private final EmbedderSource real;
  private final Map<TextKey, float[]> own = new HashMap<>();
  private Embedder embedder;

  /** Vectors that another process has computed. */
  Map<TextKey, float[]> given = Map.of();

  RememberedModel(EmbedderSource real) {
    this.real = real;
  }

  @Override
  public String id() {
    return real.id();
  }

  @Override
  public int maxTokens() {
    return real.maxTokens();
  }

  @Override
  public String describe() {
    return real.describe();
  }

  @Override
  public Embedder open() {
    return new Embedder() {
      @Override
      public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
        for (int i = 0; i < texts.size(); i++) {
          sink.accept(i, vector(texts.get(i)));
        }
      }

      @Override
      public void close() {}
    };
  }

  private float[] vector(String text) throws InterruptedException {
    TextKey key = TextKey.of(id(), text);
    float[] vector = own.get(key);
    if (vector == null) {
      embedder = embedder == null ? real.open() : embedder;
      float[][] made = new float[1][];
      embedder.embed(List.of(text), (index, one) -> made[index] = one);
      vector = made[0];
      own.put(key, vector);
    }
    float[] other = given.getOrDefault(key, vector);
    for (int i = 0; i < vector.length; i++) {
      require(Math.abs(vector[i] - other[i]) <= TOLERANCE, "not the vector of “%s”", text);
    }
    return other;
  }

  @Override
  public void close() {
    if (embedder != null) {
      embedder.close();
    }
  }
}
