package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.terminal.Console;
import java.util.concurrent.Callable;
import picocli.CommandLine;

/** A command that prints: beside its options, it gets the program's console before it runs. */
public abstract class ConsoleCommand implements Callable<Integer> {
  protected Console console;

  /** The stores of this user's knowledge bases; what becomes of them is said on stderr. */
  protected final KbStores stores(Settings settings) {
    return new KbStores(settings, line -> console.warn("%s", line));
  }

  /** Gives a command of the command line the console, if it wants one. */
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
