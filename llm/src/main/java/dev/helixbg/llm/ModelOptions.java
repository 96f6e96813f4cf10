package dev.helixbg.llm;

import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.model.PassLimits;
import java.nio.file.Path;

/**
 * How a model is opened.
 *
 * @param device that runs it
 * @param threads the CPU may use
 * @param limits sizes of its buffers
 * @param cacheFolder where native libraries are unpacked
 */
public record ModelOptions(Device device, int threads, PassLimits limits, Path cacheFolder) {
  /** Enough rows that the weights, read once per pass, are no longer what takes the time. */
  private static final int PROMPT_ROWS = 512;

  private static final int WANTED_ROWS = 32;

  /** What runs a model. */
  public enum Device {
    /** Vector instructions, several threads. */
    CPU,
    /** The slow reference. */
    SCALAR
  }

  /**
   * The usual buffers.
   *
   * @param context the most tokens of a session; the model's own limit holds too
   */
  public static ModelOptions of(Device device, int threads, int context, Path cacheFolder) {
    PassLimits limits = new PassLimits(context, PROMPT_ROWS, WANTED_ROWS, Storage.F16);
    return new ModelOptions(device, threads, limits, cacheFolder);
  }
}
