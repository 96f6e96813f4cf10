package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Interruption;
import java.io.IOException;
import java.util.concurrent.Callable;

/**
 * A command that gets the program's console and its interruption (the handler of Ctrl-C) before it
 * runs. Its exit code is {@link ExitCode#OK} unless the command fails, or overrides {@link #call}.
 */
public abstract class ConsoleCommand implements Callable<Integer> {
  protected Console console;
  protected Interruption interruption;

  /** Declares the command's description, options and arguments. */
  protected void declare(Declaration to) {
    console = to.console();
    interruption = to.interruption();
  }

  protected void run() throws IOException, InterruptedException {}

  @Override
  public Integer call() throws IOException, InterruptedException {
    run();
    return ExitCode.OK.number();
  }

  protected final KbStores stores(Settings settings) {
    return new KbStores(settings, line -> console.warn("%s", line));
  }
}
