package dev.helixbg.daemon.host;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps a model loaded between uses, and releases it after idle time. Any number of threads may use
 * it at once.
 *
 * @param <M> type of the model, which releases its memory when closed
 */
abstract class ModelHost<M extends AutoCloseable> implements AutoCloseable {
  private final Supplier<M> source;
  private final DaemonClock clock;
  private volatile M loaded;
  private int users;
  private long idleSince;
  private volatile boolean closed;

  ModelHost(Supplier<M> source, DaemonClock clock) {
    this.source = source;
    this.clock = clock;
  }

  /**
   * A use of the model, which is loaded if needed. A use may begin even after {@link #close}, for
   * example for a search that began before new settings were read. The model is then released after
   * the last use.
   */
  final class Use implements AutoCloseable {
    private final M model = begin();
    private boolean over;

    M model() {
      return model;
    }

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

  /** Whether {@link #close} was called. */
  final boolean isClosed() {
    return closed;
  }

  /** Whether the model is loaded; never waits, even while the model is being loaded. */
  public boolean isLoaded() {
    return loaded != null;
  }

  /**
   * Releases the model if it was not used for a time.
   *
   * @param idle idle time after which the model is released; empty: never
   * @return whether the model was released now
   */
  public synchronized boolean releaseAfter(Optional<Duration> idle) {
    return idle.isPresent() && clock.nanos() - idleSince >= idle.get().toNanos() && releaseUnused();
  }

  private boolean releaseUnused() {
    if (loaded == null || users > 0) {
      return false;
    }
    M was = loaded;
    loaded = null;
    try {
      was.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException("no model of ours throws such", e);
    }
    return true;
  }

  /** Releases the model once all present uses have ended. */
  @Override
  public synchronized void close() {
    closed = true;
    releaseUnused();
  }
}
