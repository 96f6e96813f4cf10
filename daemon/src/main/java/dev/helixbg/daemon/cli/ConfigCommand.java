package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.SettingsLoader.EffectiveSetting;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Prints the settings in force, in the form of a settings file, each with its origin. */
@Command(
    name = "config",
    description = "Show all settings: value in force, origin, meaning.",
    mixinStandardHelpOptions = true)
final class ConfigCommand implements Callable<Integer> {
  @Mixin private GlobalOptions options;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  private final Console console;

  ConfigCommand(Console console) {
    this.console = console;
  }

  @Override
  public Integer call() throws IOException {
    List<EffectiveSetting> settings = options.load().effective();
    if (json) {
      Json.print(console.json(), toJson(settings));
    } else {
      settings.forEach(this::print);
    }
    return ExitCode.OK.number();
  }

  private void print(EffectiveSetting setting) {
    String value = setting.quoted() ? '"' + setting.text() + '"' : setting.text();
    String assignment = setting.name() + " = " + value;
    console.out().println("# " + setting.meaning());
    if (setting.isSet()) {
      console.say("%s  # %s", assignment, setting.origin());
    } else {
      console.say("# %s", assignment);
    }
    console.out().println();
  }

  private static ObjectNode toJson(List<EffectiveSetting> settings) {
    ObjectNode all = Json.object();
    for (EffectiveSetting setting : settings) {
      all.putObject(setting.name())
          .put("value", setting.text())
          .put("origin", setting.origin())
          .put("meaning", setting.meaning());
    }
    return all;
  }
}
