package dev.helixbg.llm;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.util.function.Consumer;

/**
 * Repeats work once after a failure of a GPU, such as a timeout or a lost device. After a second
 * failure, this work and all later work run on the CPU if the caller allows it. Only one thread may
 * use an instance.
 */
public final class GpuRetry {
  private static final int MOST_FAILURES = 1;

  private final Consumer<String> news;
  private int failures;

  public interface Work<T, E extends Exception> {
    /** Works on the CPU if {@code onCpu}, else on the GPU; closes the GPU before it throws. */
    T run(boolean onCpu) throws E;
  }

  /**
   * @param news receives a line for each failure after which the work is repeated
   */
  public GpuRetry(Consumer<String> news) {
    this.news = news;
  }

  /**
   * Does the work on the GPU, and repeats it after a failure.
   *
   * @param cpuWillDo whether the CPU takes over after repeated failures
   * @throws GpuException if the repeated work fails, too, and the CPU must not take over; or if the
   *     GPU refuses the work
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
        String next = failures > MOST_FAILURES ? "the CPU takes over" : "trying once more";
        news.accept(e.getMessage() + "; " + next);
      }
    }
  }
}
