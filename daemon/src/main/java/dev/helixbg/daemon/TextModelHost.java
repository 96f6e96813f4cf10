package dev.helixbg.daemon;

import dev.helixbg.config.Settings;
import dev.helixbg.insight.review.ModelOracle;
import dev.helixbg.insight.review.Oracle;
import dev.helixbg.llm.TextModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps a language model loaded between uses, one use at a time, and releases it when it was idle.
 *
 * <p>A model's threads have the priority of the thread that loaded it. So what was loaded for idle
 * work is loaded anew for people, and the other way round.
 */
final class TextModelHost implements AutoCloseable {
  private final Settings settings;
  private final DaemonClock clock;
  private final DaemonMetrics metrics;
  private final ReentrantLock lock = new ReentrantLock(true);
  private TextModel loaded;
  private Path loadedFrom;
  private boolean loadedForIdle;
  private volatile long idleSince;
  private volatile boolean isLoaded;
  private volatile Optional<Long> usedByPeople = Optional.empty();

  TextModelHost(Settings settings, DaemonClock clock, DaemonMetrics metrics) {
    this.settings = settings;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** What a model is wanted for. */
  interface Work<T> {
    /**
     * @param model empty when there is none on this machine
     */
    T with(Optional<TextModel> model) throws InterruptedException;
  }

  /**
   * Does some work for people with the model, which is loaded when it is not.
   *
   * @throws dev.helixbg.llm.gguf.GgufException when the file is no model that can be used
   */
  <T> T use(Work<T> work) throws InterruptedException {
    return Thread.currentThread().isVirtual() ? useElsewhere(work) : useHere(work, false);
  }

  /** The same at idle, from a thread of low priority and with fewer threads. */
  <T> T useAtIdle(Work<T> work) throws InterruptedException {
    return useHere(work, true);
  }

  /**
   * Metal's pools belong to the thread that opened them, which a virtual one changes as it goes.
   */
  private <T> T useElsewhere(Work<T> work) throws InterruptedException {
    FutureTask<T> task = new FutureTask<>(() -> useHere(work, false));
    Thread thread = Thread.ofPlatform().daemon().name("model use").start(task);
    try {
      return task.get();
    } catch (InterruptedException e) {
      thread.interrupt();
      throw e;
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case InterruptedException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }

  private <T> T useHere(Work<T> work, boolean idle) throws InterruptedException {
    Optional<LanguageModel> model = LanguageModel.locate(settings);
    if (model.isEmpty()) {
      return work.with(Optional.empty());
    }
    lock.lockInterruptibly();
    long start = System.nanoTime();
    try {
      if (!model.get().file().equals(loadedFrom) || idle != loadedForIdle) {
        release();
        int threads = idle ? settings.daemon().modelThreads() : settings.threads();
        loaded = model.get().open(settings, threads);
        loadedFrom = model.get().file();
        loadedForIdle = idle;
        isLoaded = true;
      }
      return work.with(Optional.of(loaded));
    } finally {
      metrics.modelNanos.add(System.nanoTime() - start);
      idleSince = clock.nanos();
      if (!idle) {
        usedByPeople = Optional.of(idleSince);
      }
      lock.unlock();
    }
  }

  /** A model as reviews ask it; its tokens are counted. */
  Oracle oracle(TextModel model) {
    return new ModelOracle(model, metrics.modelTokens::add);
  }

  /** Whether there is a model to load; the one that was named may be gone. */
  boolean exists() {
    try {
      return LanguageModel.locate(settings).isPresent();
    } catch (Failure e) {
      return false;
    }
  }

  /** Whether people use it, or did so less than {@code time} ago and may go on. */
  boolean isForPeople(Duration time) {
    return lock.isLocked()
        || usedByPeople.filter(at -> clock.nanos() - at < time.toNanos()).isPresent();
  }

  /** Whether somebody waits for the model while it works. */
  boolean isWanted() {
    return lock.hasQueuedThreads();
  }

  boolean isLoaded() {
    return isLoaded;
  }

  /**
   * @param idle empty: never
   * @return whether it was released now
   */
  boolean releaseAfter(Optional<Duration> idle) {
    if (!isLoaded
        || idle.isEmpty()
        || clock.nanos() - idleSince < idle.get().toNanos()
        || !lock.tryLock()) {
      return false;
    }
    try {
      return release();
    } finally {
      lock.unlock();
    }
  }

  private boolean release() {
    boolean was = loaded != null;
    if (was) {
      loaded.close();
    }
    loaded = null;
    loadedFrom = null;
    isLoaded = false;
    return was;
  }

  /** Releases the model, unless a use does not end in time; then the process's end does. */
  @Override
  public void close() {
    try {
      if (lock.tryLock(1, TimeUnit.SECONDS)) {
        try {
          release();
        } finally {
          lock.unlock();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
