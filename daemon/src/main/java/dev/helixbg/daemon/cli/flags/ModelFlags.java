package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;

public final class ModelFlags implements Declaration.Shared {
  private Device backend = Device.AUTO;
  private String threads;
  private int context;

  @Override
  public void declare(Declaration to) {
    to.option(
        "--backend=NAME",
        "Device that runs the model: metal (GPU of a Mac), cuda (NVIDIA GPU), cpu, scalar (slow"
            + " reference), or auto: a GPU if one can be used, else cpu (default: auto).",
        Device.class,
        given -> backend = given);
    to.option("--threads=N", "Number of threads; 0 means one per core.", given -> threads = given);
    to.option(
        "-c, --context=N",
        "Maximum number of tokens in prompt and answer together; the model's own limit applies,"
            + " too (default: ${DEFAULT-VALUE}).",
        4096,
        given -> context = given);
  }

  public Settings settings(GlobalOptions options) {
    return options.settings(threads);
  }

  public ModelOptions options(Settings settings, int tokens) {
    if (context < 1) {
      throw Failure.usage("--context must be 1 or more, not " + context);
    }
    return ModelOptions.of(backend, settings.threads(), Math.max(context, tokens));
  }
}
