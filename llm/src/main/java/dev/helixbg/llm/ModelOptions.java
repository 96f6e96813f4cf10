package dev.helixbg.llm;

import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.util.Locale;

/**
 * How a model is opened.
 *
 * @param device that runs it
 * @param threads the CPU may use
 * @param limits sizes of its buffers
 */
public record ModelOptions(Device device, int threads, PassLimits limits) {
  /** Enough rows that the weights, read once per pass, are no longer what takes the time. */
  private static final int PROMPT_ROWS = 512;

  private static final int WANTED_ROWS = 32;

  /** Device that runs a model. */
  public enum Device {
    /** Vector instructions, several threads. */
    CPU,
    /** The GPU of a Mac. */
    METAL,
    /** An NVIDIA GPU. */
    CUDA,
    /** A GPU where there is one that can be used, else the CPU. */
    AUTO,
    /** The slow reference. */
    SCALAR;

    /** Returns the name as users write it. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The usual buffers.
   *
   * @param context the most tokens of a session; the model's own limit holds too
   */
  public static ModelOptions of(Device device, int threads, int context) {
    PassLimits limits = new PassLimits(context, PROMPT_ROWS, WANTED_ROWS);
    return new ModelOptions(device, threads, limits);
  }

  public ModelOptions on(Device newDevice) {
    return new ModelOptions(newDevice, threads, limits);
  }

  /** These options, with passes of so many rows at most: for many prompts at once. */
  public ModelOptions reading(int rows) {
    PassLimits wider = new PassLimits(limits.context(), rows, limits.wanted());
    return new ModelOptions(device, threads, wider);
  }
}
