package dev.helixbg.llm;

import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.util.Locale;

/** Options for opening a model; {@code threads} is the number of CPU threads. */
public record ModelOptions(Device device, int threads, PassLimits limits) {
  /** Maximum number of tokens per forward pass. At this size, reading weights takes little time. */
  private static final int PROMPT_ROWS = 512;

  private static final int WANTED_ROWS = 32;

  public enum Device {
    /** The CPU with vector instructions and several threads. */
    CPU,
    METAL,
    CUDA,
    /** A GPU if one can be used, otherwise the CPU. */
    AUTO,
    /** The slow reference implementation on the CPU. */
    SCALAR;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public static ModelOptions of(Device device, int threads, int context) {
    PassLimits limits = new PassLimits(context, PROMPT_ROWS, WANTED_ROWS);
    return new ModelOptions(device, threads, limits);
  }

  public ModelOptions on(Device newDevice) {
    return new ModelOptions(newDevice, threads, limits);
  }

  /** Returns a copy with passes of up to {@code rows} tokens, to read many prompts in one pass. */
  public ModelOptions reading(int rows) {
    PassLimits wider = new PassLimits(limits.context(), rows, limits.wanted());
    return new ModelOptions(device, threads, wider);
  }
}
