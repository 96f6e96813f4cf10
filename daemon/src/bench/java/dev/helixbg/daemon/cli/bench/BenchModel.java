package dev.helixbg.daemon.cli.bench;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.llm.synthetic.SyntheticModel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The model that a benchmark runs: a file, or a synthetic model. */
final class BenchModel implements Declaration.Shared {
  private Path file;
  private String synthetic;

  @Override
  public void declare(Declaration to) {
    to.argument("FILE", "Model, a GGUF file.", Path.class, given -> file = given);
    to.option(
        "--synthetic=NAME",
        "A full-size model with random weights, which is made once in the cache folder:"
            + " qwen3-0.6b-q4_k_m, qwen3-0.6b-q8_0 or qwen3-0.6b-q6_k.",
        given -> synthetic = given);
  }

  /** Returns the model's file; a synthetic model is made first. */
  Path file(Settings settings) throws IOException {
    if (file != null) {
      return file;
    }
    return SyntheticModel.titled(synthetic)
        .orElseThrow(
            () ->
                new Failure(
                    ExitCode.USAGE,
                    "--synthetic must be one of %s, not %s".formatted(titles(), synthetic)))
        .file(settings.cache());
  }

  private static String titles() {
    return Arrays.stream(SyntheticModel.values())
        .map(SyntheticModel::title)
        .collect(Collectors.joining(", "));
  }
}
