package dev.helixbg.daemon;

import dev.helixbg.daemon.host.FakeEmbedder;
import dev.helixbg.daemon.host.FakeModel;
import dev.helixbg.embed.Embedder;
import java.util.List;

/**
 * A fake model that gives similar vectors to texts with the same last word, so that reports have
 * findings.
 */
final class NearModel extends FakeModel {
  private static final float SHARE = 0.95f;

  @Override
  public Embedder open() {
    opened.incrementAndGet();
    return new Embedder() {

      @Override
      public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
        for (int i = 0; i < texts.size(); i++) {
          sink.accept(i, vectorOf(texts.get(i)));
        }
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }

  private static float[] vectorOf(String text) {
    float[] group = FakeEmbedder.vectorOf(text.substring(text.lastIndexOf(' ') + 1));
    float[] own = FakeEmbedder.vectorOf(text);
    double squares = 0;
    for (int i = 0; i < own.length; i++) {
      own[i] = SHARE * group[i] + (1 - SHARE) * own[i];
      squares += own[i] * own[i];
    }
    for (int i = 0; i < own.length; i++) {
      own[i] /= (float) Math.sqrt(squares);
    }
    return own;
  }
}
