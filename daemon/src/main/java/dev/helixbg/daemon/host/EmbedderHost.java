package dev.helixbg.daemon.host;

import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbedderSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the embedding model, and a separate model for queries, loaded between uses. */
public final class EmbedderHost extends ModelHost<Embedder> implements EmbedderSource {
  private static final Logger LOG = LoggerFactory.getLogger(EmbedderHost.class);

  private final EmbedderSource source;
  private final DaemonClock clock;

  /**
   * Host of the separate model for queries, set once. It is read without the lock, because a thread
   * that loads a model holds the lock for a long time.
   */
  private final AtomicReference<EmbedderHost> another = new AtomicReference<>();

  public EmbedderHost(EmbedderSource source, DaemonClock clock) {
    super(source::open, Embedder::close, clock);
    this.source = source;
    this.clock = clock;
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

  /** Returns an embedder that uses the model, which stays loaded. */
  @Override
  public Embedder open() {
    Use use = new Use();
    return new Embedder() {
      @Override
      public void embed(List<String> texts, VectorSink sink) throws InterruptedException {
        use.model.embed(texts, sink);
      }

      @Override
      public void close() {
        use.close();
      }
    };
  }

  /**
   * Returns the source's second embedding method, if any. If queries use the model of this method,
   * too, a host keeps the model loaded.
   */
  @Override
  public Optional<OtherWay> otherWay(boolean passages) {
    return source
        .otherWay(passages)
        .map(
            way ->
                source.forQueries(way.id()).id().equals(way.id())
                    ? new OtherWay(
                        way.id(), way.opensFaster(), way.gain(), () -> forQueries(way.id()).open())
                    : way);
  }

  @Override
  public EmbedderHost forQueries(String vectors) {
    return host(source.forQueries(vectors));
  }

  @Override
  public EmbedderHost likelyForQueries() {
    return host(source.likelyForQueries());
  }

  private EmbedderHost host(EmbedderSource wanted) {
    if (wanted.id().equals(id())) {
      return this;
    }
    another.compareAndSet(null, new EmbedderHost(wanted, clock));
    if (isClosed()) {
      another.get().close();
    }
    return another.get();
  }

  private Optional<EmbedderHost> another() {
    return Optional.ofNullable(another.get());
  }

  @Override
  public boolean isLoaded() {
    return super.isLoaded() || another().filter(EmbedderHost::isLoaded).isPresent();
  }

  @Override
  public boolean releaseAfter(Optional<Duration> idle) {
    return super.releaseAfter(idle) | another().filter(one -> one.releaseAfter(idle)).isPresent();
  }

  @Override
  public void close() {
    super.close();
    another().ifPresent(EmbedderHost::close);
  }

  @Override
  public void openAhead() {
    Runnable loading =
        () -> {
          try {
            if (!isClosed()) {
              open().close();
            }
          } catch (RuntimeException e) {
            LOG.debug("no model: {}", e.toString()); // the next use reports the error
          }
        };
    Thread.ofPlatform().daemon().name("model-load").start(loading);
  }
}
