package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.KbArgument;
import dev.helixbg.daemon.cli.flags.ValueCommand;
import dev.helixbg.daemon.terminal.Check;
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
    List<Check> checks =
        Doctor.examine(options::load, kb.named().isPresent(), kb::find, GlobalOptions.locations());
    show(
        () -> Json.object().set("checks", Check.toJson(checks)),
        () -> Check.print(checks, console));
    return Check.exitCode(checks).number();
  }
}
