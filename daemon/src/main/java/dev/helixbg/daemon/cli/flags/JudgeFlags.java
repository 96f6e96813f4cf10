package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import picocli.CommandLine.Option;

/** Options of every command that lets a language model judge entries. */
public final class JudgeFlags {
  @Option(
      names = "--model",
      paramLabel = "FILE",
      description = {
        "The language model, a GGUF file (default: the",
        "setting llm.model, else the first usable .gguf in",
        "~/.helix/models)."
      })
  private Path model;

  @Option(
      names = "--llm-seconds",
      paramLabel = "N",
      description =
          "Seconds to spend on questions to the language model; the next run continues. 0:"
              + " use kept answers only (default: the setting llm.seconds, 600).")
  private String seconds;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description =
          "Device that runs the language model: metal, cuda, cpu, or auto: a GPU if there is"
              + " one (default: the setting llm.backend, auto).")
  private String backend;

  @Option(names = "--threads", paramLabel = "N", description = "Threads; 0: one per core.")
  private String threads;

  public Settings settings(GlobalOptions options) {
    Map<String, String> flags = new HashMap<>();
    if (model != null) {
      flags.put("llm.model", model.toAbsolutePath().normalize().toString());
    }
    flags.put("llm.seconds", seconds);
    flags.put("llm.backend", backend);
    flags.put("threads", threads);
    flags.values().removeIf(Objects::isNull);
    return options.load(flags).settings();
  }
}
