package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.backend.KvShape.Storage;
import picocli.CommandLine.Option;

/** Options of every command that runs a language model. */
public final class ModelFlags {
  static final int STANDARD_CONTEXT = 4096;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "What runs the model: metal (the GPU of a Mac), cuda (an NVIDIA GPU), cpu, scalar (slow,"
              + " the reference), or auto: a GPU where one can be used, else cpu (default:"
              + " ${DEFAULT-VALUE}).")
  private Device backend;

  @Option(names = "--threads", paramLabel = "N", description = "Threads; 0: one per core.")
  private String threads;

  @Option(
      names = {"-c", "--context"},
      paramLabel = "N",
      defaultValue = "" + STANDARD_CONTEXT,
      description =
          "The most tokens of prompt and answer; the model's own limit holds too (default:"
              + " ${DEFAULT-VALUE}).")
  private int context;

  @Option(
      names = "--kv-cache",
      paramLabel = "TYPE",
      defaultValue = "f16",
      description =
          "How keys and values are kept: f16, f32, or q8_0, in half of f16's memory, on the CPU"
              + " only (default: ${DEFAULT-VALUE}).")
  private Storage kvCache;

  public Settings settings(GlobalOptions options) {
    return options.settings(threads);
  }

  /** How to open a model for at least {@code tokens} of prompt and answer. */
  public ModelOptions options(Settings settings, int tokens) {
    if (context < 1) {
      throw Failure.usage("--context must be 1 or more, not " + context);
    }
    return ModelOptions.of(backend, settings.threads(), Math.max(context, tokens), settings.cache())
        .caching(kvCache);
  }
}
