package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import picocli.CommandLine.Model.OptionSpec;

/** Options of commands that run a language model from a file named on the command line. */
public final class ModelFlags implements Declaration.Shared {
  private Device backend;
  private String threads;
  private int context;

  @Override
  public void declare(Declaration to) {
    to.add(
        OptionSpec.builder("--backend")
            .paramLabel("NAME")
            .defaultValue("auto")
            .description(
                "Device that runs the model: metal (GPU of a Mac), cuda (NVIDIA GPU), cpu, scalar"
                    + " (slow reference), or auto: a GPU if one can be used, else cpu (default:"
                    + " ${DEFAULT-VALUE})."),
        Device.class,
        given -> backend = given);
    to.option(
        "--threads",
        "N",
        "Number of threads; 0 means one per core.",
        String.class,
        given -> threads = given);
    to.add(
        OptionSpec.builder("-c", "--context")
            .paramLabel("N")
            .defaultValue("4096")
            .description(
                "Maximum number of tokens in prompt and answer together; the model's own limit"
                    + " applies, too (default: ${DEFAULT-VALUE})."),
        int.class,
        given -> context = given);
  }

  public Settings settings(GlobalOptions options) {
    return options.settings(threads);
  }

  /**
   * Returns the options for opening a model, whose context gets room for at least {@code tokens}
   * tokens.
   */
  public ModelOptions options(Settings settings, int tokens) {
    if (context < 1) {
      throw Failure.usage("--context must be 1 or more, not " + context);
    }
    return ModelOptions.of(backend, settings.threads(), Math.max(context, tokens));
  }
}
