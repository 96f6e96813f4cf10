package dev.helixbg.daemon.host;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Keeps a model loaded for any number of threads, and releases it when it was idle for a time. */
abstract class ModelHost<M> implements AutoCloseable {
  private final Supplier<M> source;
  private final Consumer<M> closer;
  private final DaemonClock clock;
  private volatile M loaded;
  private int users;
  private long idleSince;
  private volatile boolean closed;

  ModelHost(Supplier<M> source, Consumer<M> closer, DaemonClock clock) {
    this.source = source;
    this.closer = closer;
    this.clock = clock;
  }

  /**
   * A use of the model. A use can begin even after {@link #close}, for example in a search that
   * still runs; the model is then released at the end of the use.
   */
  final class Use implements AutoCloseable {
    final M model = begin();
    private boolean over;

    /** Ends the use; the model stays loaded. */
    @Override
    public void close() {
      if (!over) {
        over = true;
        end();
      }
    }
  }

  private synchronized M begin() {
    if (loaded == null) {
      loaded = source.get();
    }
    users++;
    return loaded;
  }

  private synchronized void end() {
    users--;
    idleSince = clock.nanos();
    if (closed) {
      releaseUnused();
    }
  }

  final boolean isClosed() {
    return closed;
  }

  /** Returns whether the model is loaded. Never waits, even while a thread is loading it. */
  public boolean isLoaded() {
    return loaded != null;
  }

  /** Releases the model if it was idle for {@code idle} (empty: never); returns whether it did. */
  public synchronized boolean releaseAfter(Optional<Duration> idle) {
    return idle.isPresent() && clock.nanos() - idleSince >= idle.get().toNanos() && releaseUnused();
  }

  private boolean releaseUnused() {
    if (loaded == null || users > 0) {
      return false;
    }
    M was = loaded;
    loaded = null;
    closer.accept(was);
    return true;
  }

  /** Releases the model once all present uses have ended. */
  @Override
  public synchronized void close() {
    closed = true;
    releaseUnused();
  }
}
