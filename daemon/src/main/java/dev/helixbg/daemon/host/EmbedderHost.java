package dev.helixbg.daemon.host;

import dev.helixbg.embed.Embedder;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Keeps an embedding model loaded between uses, and releases it when it was idle for long enough.
 * Any number of threads may use it at once.
 */
public final class EmbedderHost implements EmbedderSource, AutoCloseable {
  private final EmbedderSource source;
  private final DaemonClock clock;
  private volatile Embedder loaded;
  private int users;
  private long idleSince;
  private boolean closed;

  public EmbedderHost(EmbedderSource source, DaemonClock clock) {
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

  /**
   * A use of the model, which is loaded when it is not; closing it ends the use only. Who opens it
   * after {@link #close}, such as a search that began before the settings were read again, has it
   * until the last use ends.
   */
  @Override
  public synchronized Embedder open() {
    if (loaded == null) {
      loaded = source.open();
    }
    users++;
    return new Use(loaded);
  }

  /** Waits for nobody, not even while it is being loaded. */
  public boolean isLoaded() {
    return loaded != null;
  }

  /**
   * Releases the model when nobody used it for so long.
   *
   * @param idle empty: never
   * @return whether it was released now
   */
  public synchronized boolean releaseAfter(Optional<Duration> idle) {
    return idle.isPresent() && clock.nanos() - idleSince >= idle.get().toNanos() && releaseUnused();
  }

  private boolean releaseUnused() {
    if (loaded == null || users > 0) {
      return false;
    }
    Embedder was = loaded;
    loaded = null;
    was.close();
    return true;
  }

  private synchronized void ended() {
    users--;
    idleSince = clock.nanos();
    if (closed) {
      releaseUnused();
    }
  }

  /** Releases the model, once the uses at hand have ended. */
  @Override
  public synchronized void close() {
    closed = true;
    releaseUnused();
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
        ended();
      }
    }
  }
}
