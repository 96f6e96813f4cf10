package dev.helixbg.embed;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A call into ONNX Runtime by one thread, from {@link #begin} to {@link #close}. The process must
 * not end during a call, because the process's end destroys the library's tables, which the call
 * reads.
 */
public final class OnnxCall implements AutoCloseable {
  /** Each call holds the read lock. {@link #endAll} takes the write lock and never releases it. */
  private static final ReentrantReadWriteLock ENTRY = new ReentrantReadWriteLock();

  private static final OnnxCall CALL = new OnnxCall();

  private OnnxCall() {}

  /** Begins a call; does not return if the process is ending. A thread may nest calls. */
  static OnnxCall begin() {
    ENTRY.readLock().lock();
    return CALL;
  }

  @Override
  public void close() {
    ENTRY.readLock().unlock();
  }

  /**
   * Waits for all running calls and prevents further calls, so that the process can end.
   *
   * @return false when a call takes longer than {@code patience}, or the wait is interrupted
   */
  public static synchronized boolean endAll(Duration patience) {
    try {
      return ENTRY.isWriteLocked()
          || ENTRY.writeLock().tryLock(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
