package dev.helixbg.daemon.host;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.GpuRetry;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gpu.driver.GpuException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Keeps a language model loaded between uses, and releases it after idle time. There is one use at
 * a time.
 *
 * <p>A model's threads have the priority of the thread that loaded it. A model that was loaded for
 * idle work is therefore loaded again for users, and vice versa. When a GPU fails, the model is
 * loaded again and the work is repeated once; then the CPU is used, unless the settings name the
 * GPU.
 */
public final class LanguageModelHost implements AutoCloseable {
  /** Longest wait for the model, and for an answer; a client waits as long. */
  private static final Duration LONGEST_TURN = Duration.ofMinutes(30);

  private final Settings settings;
  private final DaemonClock clock;
  private final DaemonMetrics metrics;
  private final TroubleLog troubles;
  private final ReentrantLock lock = new ReentrantLock(true);
  private volatile TextModel loaded;
  private Path loadedFrom;
  private boolean loadedForIdle;

  /** Retries after failures of the GPU; used with the lock only. */
  private final GpuRetry gpu;

  private volatile long idleSince;
  private volatile boolean closed;
  private volatile Optional<Long> usedByPeople = Optional.empty();

  public LanguageModelHost(Settings settings, DaemonClock clock, DaemonMetrics metrics) {
    this.settings = settings;
    this.clock = clock;
    this.metrics = metrics;
    this.troubles = new TroubleLog(metrics);
    this.gpu = new GpuRetry(failure -> troubles.met("the language model", failure));
  }

  public interface ModelUse<T> {
    /**
     * @param model the model; empty if this machine has none
     */
    T with(Optional<TextModel> model) throws InterruptedException;
  }

  /**
   * Runs a user's work with the model, which is loaded if needed.
   *
   * @throws Failure with {@link ExitCode#BUSY} when the model is busy for too long
   * @throws dev.helixbg.llm.gguf.GgufException when the file is no model that can be used
   */
  public <T> T use(ModelUse<T> work) throws InterruptedException {
    return Thread.currentThread().isVirtual() ? useElsewhere(work) : useHere(work, false);
  }

  /** Runs idle work with the model, from a thread of low priority and with fewer threads. */
  public <T> T useAtIdle(ModelUse<T> work) throws InterruptedException {
    return useHere(work, true);
  }

  /**
   * Runs the work on a platform thread: Metal's autorelease pools belong to one platform thread,
   * which a virtual thread may change.
   */
  private <T> T useElsewhere(ModelUse<T> work) throws InterruptedException {
    FutureTask<T> task = new FutureTask<>(() -> useHere(work, false));
    Thread thread = Thread.ofPlatform().daemon().name("model use").start(task);
    try {
      return task.get(2 * LONGEST_TURN.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      thread.interrupt();
      throw e;
    } catch (TimeoutException e) {
      thread.interrupt();
      throw busy();
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case InterruptedException cause -> throw cause;
        case Error cause -> throw cause;
        default -> throw new IllegalStateException(e.getCause());
      }
    }
  }

  private <T> T useHere(ModelUse<T> work, boolean idle) throws InterruptedException {
    if (!lock.tryLock(LONGEST_TURN.toNanos(), TimeUnit.NANOSECONDS)) {
      throw busy();
    }
    try {
      Optional<LanguageModelFile> model = LanguageModelFile.locate(settings);
      return model.isPresent() ? useModel(model.get(), work, idle) : work.with(Optional.empty());
    } finally {
      lock.unlock();
      releaseIfClosed();
    }
  }

  private static Failure busy() {
    return new Failure(ExitCode.BUSY, "the language model is busy; try again later");
  }

  private <T> T useModel(LanguageModelFile model, ModelUse<T> work, boolean idle)
      throws InterruptedException {
    long start = System.nanoTime();
    try {
      return gpu.run(
          LanguageModelFile.device(settings) == Device.AUTO,
          onCpu -> useOnce(model, work, idle, onCpu));
    } finally {
      metrics.modelNanos.add(System.nanoTime() - start);
      idleSince = clock.nanos();
      if (!idle) {
        usedByPeople = Optional.of(idleSince);
      }
    }
  }

  private <T> T useOnce(LanguageModelFile model, ModelUse<T> work, boolean idle, boolean onCpu)
      throws InterruptedException {
    try {
      load(model, idle, onCpu ? Device.CPU : LanguageModelFile.device(settings));
      return work.with(Optional.of(loaded));
    } catch (GpuException | GgufException | Error e) {
      release(); // the model's state is unknown, or its file was replaced
      throw e;
    }
  }

  private void load(LanguageModelFile model, boolean idle, Device device) {
    LanguageModelFile.skipped(settings)
        .forEach(reason -> troubles.met("not taken as the language model", reason));
    if (!model.file().equals(loadedFrom) || idle != loadedForIdle || loaded.isStale()) {
      release();
      int threads = idle ? settings.daemon().modelThreads() : settings.threads();
      loaded = model.open(settings, device, threads);
      loadedFrom = model.file();
      loadedForIdle = idle;
    }
  }

  /** Counts questions that the model has answered as a judge. */
  public void answered(int questions) {
    metrics.answers.add(questions);
  }

  /** Whether there is a model to load; false if the named file is missing. */
  public boolean exists() {
    try {
      return LanguageModelFile.locate(settings).isPresent();
    } catch (Failure e) {
      return false;
    }
  }

  /** Whether users use the model, or used it less than {@code time} ago. */
  public boolean isForPeople(Duration time) {
    return lock.isLocked()
        || usedByPeople.filter(at -> clock.nanos() - at < time.toNanos()).isPresent();
  }

  /** Whether another caller waits for the model. */
  public boolean isWanted() {
    return lock.hasQueuedThreads();
  }

  public boolean isLoaded() {
    return loaded != null;
  }

  /**
   * @param idle idle time after which the model is released; empty: never
   * @return whether the model was released now
   */
  public boolean releaseAfter(Optional<Duration> idle) {
    return isLoaded()
        && idle.isPresent()
        && clock.nanos() - idleSince >= idle.get().toNanos()
        && releaseUnused();
  }

  private boolean releaseUnused() {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return release();
    } finally {
      lock.unlock();
    }
  }

  private boolean release() {
    TextModel was = loaded;
    loaded = null;
    loadedFrom = null;
    if (was != null) {
      was.close();
    }
    return was != null;
  }

  /** Releases the model after {@link #close}; also called after each use. */
  private void releaseIfClosed() {
    if (closed) {
      releaseUnused();
    }
  }

  /** Releases the model: now, or after the present and waiting uses. */
  @Override
  public void close() {
    closed = true;
    releaseIfClosed();
  }
}
