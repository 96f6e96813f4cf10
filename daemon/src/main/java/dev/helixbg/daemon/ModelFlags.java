package dev.helixbg.daemon;

import dev.helixbg.config.Settings;
import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of every command that runs a language model. */
final class ModelFlags {
  static final int STANDARD_CONTEXT = 4096;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      defaultValue = "auto",
      description =
          "What runs the model: metal (the GPU of a Mac), cpu, scalar (slow, the reference), or"
              + " auto: metal where it can be used, else cpu (default: ${DEFAULT-VALUE}).")
  private String backend;

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

  Settings settings(GlobalOptions options) {
    return options.settings(threads);
  }

  /** Opens a model for at least {@code tokens} of prompt and answer. */
  TextModel open(Path file, Settings settings, int tokens) {
    return ModelOpener.open(file, options(settings, tokens));
  }

  /** How to open a model for at least {@code tokens} of prompt and answer. */
  ModelOptions options(Settings settings, int tokens) {
    if (context < 1) {
      throw new Failure(ExitCode.USAGE, "--context must be 1 or more, not " + context);
    }
    return ModelOptions.of(
        device(), settings.threads(), Math.max(context, tokens), settings.cache());
  }

  TextModel open(Path file, Settings settings) {
    return open(file, settings, 1);
  }

  private Device device() {
    return switch (backend) {
      case "auto" -> Device.AUTO;
      case "metal" -> Device.METAL;
      case "cpu" -> Device.CPU;
      case "scalar" -> Device.SCALAR;
      default ->
          throw new Failure(
              ExitCode.USAGE, "--backend must be metal, cpu, scalar or auto, not " + backend);
    };
  }
}
