package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.terminal.Check;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints what {@link Doctor} finds. */
@Command(
    name = "doctor",
    description = "Check JDK, natives, provider, model, KB and permissions; each with a remedy.",
    mixinStandardHelpOptions = true)
final class DoctorCommand implements Callable<Integer> {
  @Mixin private GlobalOptions options;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  DoctorCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<Check> checks = Doctor.examine(options::load, GlobalOptions.locations());
    if (json) {
      Json.print(console.json(), Json.object().set("checks", Check.toJson(checks)));
    } else {
      Check.print(checks, console);
    }
    return Check.exitCode(checks).number();
  }
}
