package dev.helixbg.daemon.host;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Optional;

/** Which language model to take in place of one that is too small, by the memory of a machine. */
public enum RecommendedModel {
  SMALL("Qwen3-1.7B (Q8_0, 1.8 GB)", 1_834),
  MEDIUM("Qwen3-4B (Q4_K_M, 2.5 GB)", 2_497),
  LARGE("Qwen3-8B (Q4_K_M, 5.0 GB)", 5_028);

  private final String title;
  private final long bytes;

  RecommendedModel(String title, long megabytes) {
    this.title = title;
    bytes = megabytes * 1_000_000;
  }

  /**
   * The largest that takes at most a third of a memory: the rest is for its session and for those
   * who work here.
   *
   * @param file bytes of the model that is in use
   * @param memory bytes of the machine
   */
  static Optional<String> fitting(long file, long memory) {
    return Arrays.stream(values())
        .filter(model -> model.bytes > file && model.bytes <= memory / 3)
        .reduce((smaller, larger) -> larger)
        .map(model -> model.title);
  }

  public static Optional<String> here(long file) {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean machine
        ? fitting(file, machine.getTotalMemorySize())
        : Optional.empty();
  }
}
