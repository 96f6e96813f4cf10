package dev.helixbg.daemon.cli.flags;

import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.generate.SamplingOptions;
import picocli.CommandLine.Option;

/** Options that say how the next token is chosen; without any, always the likeliest. */
public final class SamplingFlags {
  @Option(
      names = {"-t", "--temperature"},
      paramLabel = "T",
      defaultValue = "0",
      description =
          "Sampling temperature. 0: always the likeliest token; 1: the model's own"
              + " probabilities (default: 0).")
  private double temperature;

  @Option(
      names = "--top-k",
      paramLabel = "K",
      defaultValue = "0",
      description = "Sample from the K likeliest tokens. 0: from all (default: 0).")
  private int topK;

  @Option(
      names = "--top-p",
      paramLabel = "P",
      defaultValue = "1",
      description =
          "Sample from the likeliest tokens whose probabilities add up to P. 1: from all"
              + " (default: 1).")
  private double topP;

  @Option(
      names = "--min-p",
      paramLabel = "P",
      defaultValue = "0",
      description = "Exclude tokens less likely than P times the likeliest (default: 0).")
  private double minP;

  @Option(
      names = "--repetition-penalty",
      paramLabel = "R",
      defaultValue = "1",
      description = "Penalty of recent tokens. Above 1, they become less likely (default: 1).")
  private double repetitionPenalty;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the random numbers (default: 1).")
  private long seed;

  /** What the flags say; a value out of bounds is a wrong argument. */
  public SamplingOptions sampling() {
    try {
      return new SamplingOptions(temperature, topK, topP, minP, repetitionPenalty, seed);
    } catch (IllegalArgumentException e) {
      throw Failure.usage(e.getMessage());
    }
  }
}
