package dev.helixbg.daemon.host;

import dev.helixbg.embed.Embedder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an embedding model loaded between uses, and releases it when it was idle for long enough.
 * Any number of threads may use it at once.
 */
public final class EmbedderHost implements EmbedderSource, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EmbedderHost.class);

  private final EmbedderSource source;
  private final ReleasedWhenIdle<Embedder> model;

  public EmbedderHost(EmbedderSource source, DaemonClock clock) {
    this.source = source;
    this.model = new ReleasedWhenIdle<>(source::open, clock);
  }

  @Override
  public String id() {
    return source.id();
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
    return new Use(model.begin());
  }

  /** Not kept loaded: many texts come seldom. */
  @Override
  public Optional<ForMany> forMany(boolean passages) {
    return source.forMany(passages);
  }

  /** Loads the model on a thread of its own, beside what else is needed before it is used. */
  public void openAhead() {
    Thread.ofPlatform()
        .daemon()
        .name("model-load")
        .start(
            () -> {
              try {
                open().close();
              } catch (RuntimeException e) {
                LOG.debug("no model: {}", e.toString()); // whoever embeds with it is told
              }
            });
  }

  /** Waits for nobody, not even while it is being loaded. */
  public boolean isLoaded() {
    return model.isLoaded();
  }

  /**
   * Releases the model when nobody used it for so long.
   *
   * @param idle empty: never
   * @return whether it was released now
   */
  public boolean releaseAfter(Optional<Duration> idle) {
    return model.releaseAfter(idle);
  }

  /** Releases the model, once the uses at hand have ended. */
  @Override
  public void close() {
    model.close();
  }

  private final class Use implements Embedder {
    private final Embedder embedder;
    private boolean over;

    Use(Embedder embedder) {
      this.embedder = embedder;
    }

    @Override
    public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
      embedder.embed(texts, sink);
    }

    @Override
    public void close() {
      if (!over) {
        over = true;
        model.end();
      }
    }
  }
}
