package dev.helixbg.daemon;

import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** An embedding model whose vectors are those of {@link FakeEmbedder}, and which may fail. */
class FakeModel implements EmbedderSource {
  final AtomicInteger opened = new AtomicInteger();
  final AtomicInteger closed = new AtomicInteger();
  volatile boolean broken;

  /** Runs before texts are embedded. */
  volatile Runnable whileEmbedding = () -> {};

  /** May hold an embedding back. */
  void beforeEmbedding(List<String> texts) throws InterruptedException {
    whileEmbedding.run();
  }

  @Override
  public String id() {
    return "fake";
  }

  @Override
  public String describe() {
    return "a fake model";
  }

  @Override
  public Embedder open() {
    if (broken) {
      throw new EmbeddingException("the model is gone", new IllegalStateException());
    }
    opened.incrementAndGet();
    FakeEmbedder embedder = new FakeEmbedder();
    return new Embedder() {
      @Override
      public int dimension() {
        return embedder.dimension();
      }

      @Override
      public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
        beforeEmbedding(texts);
        embedder.embed(texts, sink);
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }
}
