package dev.helixbg.daemon.host;

import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps a model loaded between uses, and releases it when it was idle for long enough. Any number
 * of threads may use it at once.
 *
 * @param <M> closing one releases its memory
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
   * A use of the model, which is loaded when it is not. Who begins one after {@link #close}, such
   * as a search that began before the settings were read again, has it until the last use ends.
   */
  final class Use implements AutoCloseable {
    private final M model = begin();
    private boolean over;

    M model() {
      return model;
    }

    /** Ends the use only. */
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

  /** Whether no further use may begin. */
  final boolean isClosed() {
    return closed;
  }

  /** Never waits, not even while the model is being loaded. */
  public boolean isLoaded() {
    return loaded != null;
  }

  /**
   * Releases the model when it was not used for this time.
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

  /** Releases the model, once the uses at hand have ended. */
  @Override
  public synchronized void close() {
    closed = true;
    releaseUnused();
  }
}
