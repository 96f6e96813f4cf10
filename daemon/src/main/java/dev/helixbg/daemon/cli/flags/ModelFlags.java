package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of every command that runs a language model. */
public final class ModelFlags {
  static final int STANDARD_CONTEXT = 4096;

  private static final int MOST_RING = 8;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      converter = DeviceNames.class,
      defaultValue = "auto",
      description =
          "What runs the model: metal (the GPU of a Mac), cuda (an NVIDIA GPU), cpu, scalar (slow,"
              + " the reference), or auto: a GPU where one can be used, else cpu (default:"
              + " ${DEFAULT-VALUE}).")
  private Device backend;

  /** Reads names in any case, and tells them as the help does. */
  static final class DeviceNames implements ITypeConverter<Device> {
    @Override
    public Device convert(String name) {
      return Arrays.stream(Device.values())
          .filter(device -> device.toString().equalsIgnoreCase(name))
          .findFirst()
          .orElseThrow(
              () ->
                  new TypeConversionException(
                      "expected one of %s, not '%s'"
                          .formatted(Arrays.toString(Device.values()), name)));
    }
  }

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
      names = "--ring",
      paramLabel = "N",
      defaultValue = "3",
      description =
          "Command buffers of a GPU that may be under way at once, 1 to 8 (default:"
              + " ${DEFAULT-VALUE}).")
  private int ring;

  public Settings settings(GlobalOptions options) {
    return options.settings(threads);
  }

  /** How to open a model for at least {@code tokens} of prompt and answer. */
  public ModelOptions options(Settings settings, int tokens) {
    if (context < 1) {
      throw Failure.usage("--context must be 1 or more, not " + context);
    }
    if (ring < 1 || ring > MOST_RING) {
      throw Failure.usage("--ring must be 1 to %d, not %d".formatted(MOST_RING, ring));
    }
    return ModelOptions.of(backend, settings.threads(), Math.max(context, tokens)).ring(ring);
  }
}
