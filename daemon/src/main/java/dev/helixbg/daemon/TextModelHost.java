package dev.helixbg.daemon;

import dev.helixbg.config.Settings;
import dev.helixbg.insight.review.ModelOracle;
import dev.helixbg.insight.review.Oracle;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.model.PassLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps a language model loaded between uses, one use at a time, and releases it when it was idle.
 */
final class TextModelHost implements AutoCloseable {
  private static final int CONTEXT = 4096;

  /** Tokens read per pass: few, because a run is interrupted between passes only. */
  private static final int ROWS = 64;

  private final Settings settings;
  private final DaemonClock clock;
  private final DaemonMetrics metrics;
  private final ReentrantLock lock = new ReentrantLock(true);
  private TextModel loaded;
  private Path loadedFrom;
  private volatile long idleSince;
  private volatile boolean isLoaded;

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
   * Does some work with the model, which is loaded when it is not.
   *
   * @throws dev.helixbg.llm.gguf.GgufException when the file is no model that can be used
   */
  <T> T use(Work<T> work) throws InterruptedException {
    return Thread.currentThread().isVirtual() ? useElsewhere(work) : useHere(work);
  }

  /**
   * Metal's pools belong to the thread that opened them, which a virtual one changes as it goes.
   */
  private <T> T useElsewhere(Work<T> work) throws InterruptedException {
    FutureTask<T> task = new FutureTask<>(() -> useHere(work));
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

  private <T> T useHere(Work<T> work) throws InterruptedException {
    Optional<Path> file = LanguageModel.locate(settings).map(LanguageModel::file);
    if (file.isEmpty()) {
      return work.with(Optional.empty());
    }
    lock.lockInterruptibly();
    long start = System.nanoTime();
    try {
      if (!file.get().equals(loadedFrom)) {
        release();
        loaded = open(file.get());
        loadedFrom = file.get();
        isLoaded = true;
      }
      return work.with(Optional.of(loaded));
    } finally {
      metrics.modelNanos.add(System.nanoTime() - start);
      idleSince = clock.nanos();
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

  /** Whether somebody waits for the model while it works. */
  boolean isWanted() {
    return lock.hasQueuedThreads();
  }

  private TextModel open(Path file) {
    PassLimits limits = new PassLimits(CONTEXT, ROWS, ROWS / 2, Storage.F16);
    return ModelOpener.open(
        file,
        new ModelOptions(
            LanguageModel.device(settings), settings.threads(), limits, settings.cache()));
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
