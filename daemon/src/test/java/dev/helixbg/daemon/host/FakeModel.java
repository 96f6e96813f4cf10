package dev.helixbg.daemon.host;

import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource;
import dev.helixbg.embed.EmbeddingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** An embedding model whose vectors are those of {@link FakeEmbedder}, and which may fail. */
public class FakeModel implements EmbedderSource {
  private final String id;
  public final AtomicInteger opened = new AtomicInteger();
  public final AtomicInteger closed = new AtomicInteger();
  public volatile boolean broken;

  /** Another embedding method for many texts, if any. */
  public volatile Optional<OtherWay> otherWay = Optional.empty();

  /** Model that embeds queries for vectors with that model's id. */
  public volatile Optional<FakeModel> forQueries = Optional.empty();

  public volatile Runnable whileEmbedding = () -> {};

  /** Error that each embedding throws; null: none. */
  public volatile Error error;

  /** Can stop an embedding before one of its texts, which are the steps. */
  public final Hold hold = new Hold();

  public FakeModel() {
    this("fake");
  }

  public FakeModel(String id) {
    this.id = id;
  }

  /**
   * Makes a folder with a model that cannot be opened. With it, a doctor makes no speed trial,
   * which would take 20 s.
   */
  public static Path unopenable(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("model.onnx"), "without a tokenizer");
    return folder;
  }

  /** Called before an embedding; a subclass may wait here. */
  public void beforeEmbedding(List<String> texts) throws InterruptedException {
    whileEmbedding.run();
  }

  /**
   * Called before each text, after the earlier texts got their vectors; a subclass may wait here.
   */
  public void beforeText(int index) throws InterruptedException {
    hold.before(index);
  }

  @Override
  public Optional<OtherWay> otherWay(boolean passages) {
    return otherWay;
  }

  @Override
  public EmbedderSource forQueries(String vectors) {
    return forQueries.filter(other -> other.id().equals(vectors)).orElse(this);
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public int maxTokens() {
    return 256;
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
    return new Embedder() {

      @Override
      public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
        if (error != null) {
          throw error;
        }
        beforeEmbedding(texts);
        for (int i = 0; i < texts.size(); i++) {
          beforeText(i);
          sink.accept(i, FakeEmbedder.vectorOf(texts.get(i)));
        }
      }

      @Override
      public void close() {
        closed.incrementAndGet();
      }
    };
  }
}
