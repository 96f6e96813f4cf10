package dev.helixbg.daemon.cli;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Interruption;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;

/** A command; its exit code is 0 unless it fails or overrides {@link #call}. */
public abstract class ConsoleCommand implements Callable<Integer> {
  /** Options for settings; a command must declare them to use them. */
  protected final GlobalOptions options = new GlobalOptions();

  protected Console console;
  protected Interruption interruption;

  protected abstract void declare(Declaration to);

  void declareShared(Declaration to) {}

  /** Declares this command, and returns the declaration for picocli. */
  public final CommandSpec declared(Console console, Interruption interruption) {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    this.console = console;
    this.interruption = interruption;
    Declaration declaration = new Declaration(spec, spec::add, console);
    declareShared(declaration);
    declare(declaration);
    return Declaration.withHelp(spec);
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
