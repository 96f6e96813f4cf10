package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbArgument;
import dev.helixbg.daemon.cli.flags.ValueCommand;
import dev.helixbg.daemon.terminal.CheckLine;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Prints what {@link Doctor} finds. */
@Command(
    name = "doctor",
    description = "Check JDK, natives, provider, model, KB and permissions; each with a remedy.")
final class DoctorCommand extends ValueCommand {
  @Mixin private GlobalOptions options;
  @Mixin private KbArgument kb;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<CheckLine> checks =
        Doctor.examine(options::load, kb.named().isPresent(), kb::find, GlobalOptions.locations());
    show(
        () -> Json.object().set("checks", CheckLine.toJson(checks)),
        () -> CheckLine.print(checks, console));
    return CheckLine.exitCode(checks).number();
  }
}
