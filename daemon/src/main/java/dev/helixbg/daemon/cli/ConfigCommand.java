package dev.helixbg.daemon.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.helixbg.config.SettingsLoader.EffectiveSetting;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.Json;
import java.util.List;

final class ConfigCommand extends JsonCommand {

  @Override
  protected void declare(Declaration to) {
    to.description(
        "Show each setting: its value, where the value comes from, and what it means.",
        "To change a setting, write it into the settings file, or add --set KEY=VALUE to a"
            + " command.");
    to.add(options);
  }

  @Override
  protected void run() {
    List<EffectiveSetting> settings = options.load().effective();
    show(() -> toJson(settings), () -> settings.forEach(this::print));
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
