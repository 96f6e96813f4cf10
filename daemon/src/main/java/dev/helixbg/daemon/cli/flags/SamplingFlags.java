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
          "0 takes the likeliest token; 1 draws by the model's probabilities (default: 0).")
  private double temperature;

  @Option(
      names = "--top-k",
      paramLabel = "K",
      defaultValue = "0",
      description = "Draw among the K likeliest; 0: all (default: 0).")
  private int topK;

  @Option(
      names = "--top-p",
      paramLabel = "P",
      defaultValue = "1",
      description =
          "Draw among the likeliest that have probability P together; 1: all (default: 1).")
  private double topP;

  @Option(
      names = "--min-p",
      paramLabel = "P",
      defaultValue = "0",
      description = "Leave out tokens less likely than P times the likeliest (default: 0).")
  private double minP;

  @Option(
      names = "--repetition-penalty",
      paramLabel = "R",
      defaultValue = "1",
      description = "Above 1, tokens that came shortly before become less likely (default: 1).")
  private double repetitionPenalty;

  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Where the draws begin: another seed, another answer (default: 1).")
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
