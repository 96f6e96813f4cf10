package dev.helixbg.embed;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A thread's stay in ONNX Runtime, from {@link #begin} to {@link #close}. A process must not end
 * during one: exit destroys the library's tables, and a thread that reads them then crashes.
 */
public final class OnnxCall implements AutoCloseable {
  /** Calls share it; the end of the process takes it for good. */
  private static final ReentrantReadWriteLock ENTRY = new ReentrantReadWriteLock();

  private static final OnnxCall CALL = new OnnxCall();

  private OnnxCall() {}

  /** Never returns once the process ends. One thread may have several, one in the other. */
  static OnnxCall begin() {
    ENTRY.readLock().lock();
    return CALL;
  }

  @Override
  public void close() {
    ENTRY.readLock().unlock();
  }

  /**
   * For the end of the process: from here on no call begins, and those that go on are waited for. A
   * second call returns the same.
   *
   * @return whether none goes on; false when they take longer than that, or the wait is interrupted
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
