package dev.helixbg.daemon.host;

import dev.helixbg.embed.Arithmetic;
import dev.helixbg.embed.Embedder;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the embedding model loaded between uses. */
public final class EmbedderHost extends ModelHost<Embedder> implements EmbedderSource {
  private static final Logger LOG = LoggerFactory.getLogger(EmbedderHost.class);

  private final EmbedderSource source;

  public EmbedderHost(EmbedderSource source, DaemonClock clock) {
    super(source::open, clock);
    this.source = source;
  }

  @Override
  public String id() {
    return source.id();
  }

  @Override
  public Arithmetic arithmetic() {
    return source.arithmetic();
  }

  @Override
  public int maxTokens() {
    return source.maxTokens();
  }

  @Override
  public String describe() {
    return source.describe();
  }

  /** A use of the model; closing it ends the use only. */
  @Override
  public Embedder open() {
    Use use = new Use();
    return new Embedder() {
      @Override
      public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
        use.model().embed(texts, sink);
      }

      @Override
      public void close() {
        use.close();
      }
    };
  }

  /** Loads the model on a thread of its own, beside what else is needed before it is used. */
  public void openAhead() {
    Thread.ofPlatform()
        .daemon()
        .name("model-load")
        .start(
            () -> {
              try {
                if (!isClosed()) {
                  open().close();
                }
              } catch (RuntimeException e) {
                LOG.debug("no model: {}", e.toString()); // whoever embeds with it is told
              }
            });
  }
}
