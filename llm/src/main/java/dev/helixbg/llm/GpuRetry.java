package dev.helixbg.llm;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.util.function.Consumer;

/**
 * Retry after a failure of a GPU, such as a timeout or a lost device: the work is done again, once,
 * with everything opened anew; then on the CPU, where that will do. A CPU that took over goes on
 * until there is another {@code GpuRetry}. Not for several threads at once.
 */
public final class GpuRetry {
  private static final int MOST_FAILURES = 1;

  private final Consumer<String> news;

  /** Times in a row that the GPU failed. */
  private int failures;

  /** Something that may use a GPU. */
  public interface Work<T, E extends Exception> {
    /**
     * Opens what it needs of a GPU, and has closed it when the GPU fails.
     *
     * @param onCpu whether to leave the GPU alone
     */
    T run(boolean onCpu) throws E;
  }

  /**
   * @param news is told of each failure that is not the last, in a line
   */
  public GpuRetry(Consumer<String> news) {
    this.news = news;
  }

  /**
   * Does some work, again if it must be.
   *
   * @param cpuWillDo whether the CPU takes over in the end
   * @throws GpuException of the last failure, or what the GPU refuses whenever it is asked
   */
  public <T, E extends Exception> T run(boolean cpuWillDo, Work<T, E> work) throws E {
    int allowed = cpuWillDo ? MOST_FAILURES + 1 : MOST_FAILURES;
    while (true) {
      boolean onCpu = cpuWillDo && failures > MOST_FAILURES;
      try {
        T result = work.run(onCpu);
        failures = onCpu ? failures : 0;
        return result;
      } catch (GpuException e) {
        if (!e.isFailure() || failures == allowed) {
          throw e;
        }
        failures++;
        String next = failures > MOST_FAILURES ? "the CPU takes over" : "once more";
        news.accept(e.getMessage() + "; " + next);
      }
    }
  }
}
