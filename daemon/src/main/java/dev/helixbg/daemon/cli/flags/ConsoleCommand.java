package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.terminal.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/** A command that prints, and therefore gets the program's console before it runs. */
public abstract class ConsoleCommand implements Callable<Integer> {
  protected Console console;

  /**
   * Returns the stores of this user's knowledge bases; messages about the stores appear on stderr.
   */
  protected final KbStores stores(Settings settings) {
    return new KbStores(settings, line -> console.warn("%s", line));
  }

  /** Gives the console to a command that prints. */
  public static void equip(CommandLine line, Console console) {
    if (line.getCommand() instanceof ConsoleCommand command) {
      command.console = console;
    }
    line.getMixins()
        .values()
        .forEach(
            mixin -> {
              if (mixin instanceof KbOption kb) {
                kb.warn(warning -> console.warn("%s", warning));
              }
            });
  }
}
