package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.Setting;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.config.SettingsLoader.EffectiveSetting;
import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.cli.flags.JsonCommand;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;
import picocli.CommandLine.UnmatchedArgumentException;

/** Prints the settings in force, in the form of a settings file, each with its origin. */
@Command(
    name = "config",
    description = "Show each setting: its value, where the value comes from, and what it means.")
final class ConfigCommand extends JsonCommand {
  @Mixin private GlobalOptions options;

  @Spec private CommandSpec spec;

  @Unmatched private List<String> words = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    if (!words.isEmpty()) {
      throw words.getFirst().startsWith("-")
          ? new UnmatchedArgumentException(spec.commandLine(), words)
          : noWords();
    }
    List<EffectiveSetting> settings = options.load().effective();
    show(() -> toJson(settings), () -> settings.forEach(this::print));
    return ExitCode.OK.number();
  }

  /** The error for arguments: callers who give some want to read or change one setting. */
  private Failure noWords() {
    List<String> names = SettingsLoader.catalog().stream().<String>map(Setting::name).toList();
    String meant =
        words.stream()
            .map(word -> NearestName.meant(word.split("=", 2)[0], names, ""))
            .filter(end -> !end.isEmpty())
            .findFirst()
            .orElse("");
    return Failure.usage(
        "config shows all settings, and takes no words; a setting is changed in "
            + GlobalOptions.locations().defaultConfigFile()
            + ", or for one command by --set NAME=VALUE"
            + meant);
  }

  private void print(EffectiveSetting setting) {
    String assignment = setting.name() + " = " + setting.toml();
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
