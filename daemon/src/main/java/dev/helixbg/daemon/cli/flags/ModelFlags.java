package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import picocli.CommandLine.Option;

/** Options of commands that run a language model from a file named on the command line. */
public final class ModelFlags {
  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "Device that runs the model: metal (GPU of a Mac), cuda (NVIDIA GPU), cpu, scalar"
              + " (slow reference), or auto: a GPU if one can be used, else cpu (default:"
              + " ${DEFAULT-VALUE}).")
  private Device backend;

  @Option(names = "--threads", paramLabel = "N", description = "Threads; 0: one per core.")
  private String threads;

  @Option(
      names = {"-c", "--context"},
      paramLabel = "N",
      defaultValue = "4096",
      description =
          "Maximum number of tokens in prompt and answer together; the model's own limit applies,"
              + " too (default: ${DEFAULT-VALUE}).")
  private int context;

  public Settings settings(GlobalOptions options) {
    return options.settings(threads);
  }

  /** Returns the options to open a model; its context has at least {@code tokens} tokens. */
  public ModelOptions options(Settings settings, int tokens) {
    if (context < 1) {
      throw Failure.usage("--context must be 1 or more, not " + context);
    }
    return ModelOptions.of(backend, settings.threads(), Math.max(context, tokens));
  }
}
