package dev.helixbg.daemon.cli;

import dev.helixbg.config.UserDirectories;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.cli.flags.GlobalOptions;
import dev.helixbg.daemon.kb.KbStores;
import dev.helixbg.daemon.mcp.McpService;
import dev.helixbg.daemon.service.ServiceSpec;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ErrorReporter;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.daemon.terminal.Interruption;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.insight.decisions.Decision.Outcome;
import dev.helixbg.llm.ModelOpener;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.Supplier;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The main class: parses the command line and runs a command. */
public final class HelixBg {
  private HelixBg() {}

  public static void main(String[] arguments) {
    start(Map::of, arguments);
  }

  private static final Set<String> ABOUT_ALL = Set.of("completion", "man", "help");

  private static final Set<String> VERSION = Set.of("--version", "-V");

  /** Runs one command line, then ends the JVM. {@code bench} returns the benchmarks by name. */
  public static void start(Supplier<Map<String, ConsoleCommand>> bench, String... arguments) {
    Locale.setDefault(Locale.ROOT); // numbers look the same in every region
    String first = arguments.length > 0 ? arguments[0] : "";
    System.setProperty("slf4j.internal.verbosity", "ERROR");
    System.setProperty(
        "slf4j.provider",
        first.equals("daemon")
            ? "ch.qos.logback.classic.spi.LogbackServiceProvider"
            : "org.slf4j.nop.NOPServiceProvider");
    switch (first) { // starts slow preparations in parallel
      case "generate", "load-model" -> ModelOpener.prepare();
      case "mcp" -> McpService.prepare();
      case "findings", "search", "related", "act", "tidy", "done", "dismiss", "undo", "one-shot" ->
          KbStores.prepare();
      default -> {}
    }
    Interruption interruption = Interruption.watch();
    Console console = Console.of(System.getenv());
    interruption.tell(line -> console.warn("%s", line));
    // The JVM and libraries write uncaught errors to this stream.
    System.setErr(console.err());
    int code = console.checked(run(console, bench, interruption, arguments));
    interruption.over();
    System.exit(ServiceSpec.exitCode(code, System.getenv(ServiceSpec.STARTED_BY)));
  }

  static int run(
      Console console,
      Supplier<Map<String, ConsoleCommand>> bench,
      Interruption interruption,
      String... arguments) {
    if (arguments.length == 1 && VERSION.contains(arguments[0])) {
      console.say("%s", Version.line()); // without picocli, the answer takes a third less time
      return ExitCode.OK.number();
    }
    Map<String, Supplier<CommandSpec>> commands = commands(bench, console, interruption);
    String first = arguments.length == 0 ? "" : arguments[0];
    // Only the named command is described to picocli, because a description takes milliseconds and
    // there are more than twenty commands.
    if (commands.containsKey(first) && !ABOUT_ALL.contains(first)) {
      commands.keySet().retainAll(Set.of(first));
    }
    try {
      return line(console, interruption, commands).execute(arguments);
    } catch (Error e) { // picocli does not catch errors
      return new ErrorReporter(console).report(e).number();
    }
  }

  static CommandLine commandLine(Console console, Interruption interruption) {
    return line(console, interruption, commands(Map::of, console, interruption));
  }

  private static Map<String, Supplier<CommandSpec>> commands(
      Supplier<Map<String, ConsoleCommand>> bench, Console console, Interruption interruption) {
    Function<ConsoleCommand, CommandSpec> declared =
        command -> command.declared(console, interruption);
    Map<String, Supplier<CommandSpec>> commands = new LinkedHashMap<>();
    commands.put("one-shot", () -> declared.apply(new OneShotCommand()));
    commands.put("daemon", () -> declared.apply(new DaemonCommand()));
    commands.put("status", () -> declared.apply(new StatusCommand()));
    commands.put("search", () -> declared.apply(new SearchCommand()));
    commands.put("related", () -> declared.apply(new RelatedCommand()));
    commands.put("findings", () -> declared.apply(new FindingsCommand()));
    commands.put("study", () -> declared.apply(new StudyCommand()));
    commands.put("tidy", () -> declared.apply(new TidyCommand()));
    commands.put("act", () -> declared.apply(new ActCommand()));
    commands.put("dismiss", () -> declared.apply(new DecideCommand(Outcome.DISMISSED)));
    commands.put("done", () -> declared.apply(new DecideCommand(Outcome.DONE)));
    commands.put("undo", () -> declared.apply(new DecideCommand(Outcome.OPEN)));
    commands.put("stop", () -> declared.apply(new StopCommand()));
    commands.put("mcp", () -> declared.apply(new McpCommand()));
    commands.put("service", () -> declared.apply(new ServiceCommand()));
    // The launcher runs a script for this command, because the project's Java code opens no network
    // connection.
    commands.put(
        "fetch-models",
        () -> {
          CommandSpec spec =
              absent(
                  "the jar cannot download models; run bin/helix-bg fetch-models instead",
                  "Download language models into ~/.helix/models; 'helix-bg fetch-models list'"
                      + " shows which models fit this machine. 'helix-bg fetch-models --help'"
                      + " explains the options.");
          spec.usageMessage()
              .customSynopsis(
                  "helix-bg fetch-models [-hV] [list | MODEL...] [--to=FOLDER] [--from=URL]",
                  "                             [--sha256=NAME=HEX]... [--timeout=SECONDS]");
          return spec;
        });
    commands.put("embed-test", () -> declared.apply(new EmbedTestCommand()));
    commands.put("generate", () -> declared.apply(new GenerateCommand()));
    commands.put("load-model", () -> declared.apply(new LoadModelCommand()));
    commands.put("verify", () -> declared.apply(new VerifyCommand()));
    commands.put("doctor", () -> declared.apply(new DoctorCommand()));
    commands.put("bench", () -> benchmarks(bench.get(), declared));
    commands.put("config", () -> declared.apply(new ConfigCommand()));
    commands.put(
        "completion",
        () ->
            described(
                    CommandSpec.forAnnotatedObject(new AutoComplete.GenerateCompletion()),
                    "Print a completion script for bash and zsh. Add this line to the startup file"
                        + " of your shell: source <(helix-bg completion)")
                .name("completion"));
    commands.put("man", () -> declared.apply(new ManCommand()));
    commands.put(
        "help",
        () ->
            described(
                CommandSpec.forAnnotatedObject(new CommandLine.HelpCommand()),
                "Print the help of a command, or the list of commands."));
    return commands;
  }

  private static CommandLine line(
      Console console, Interruption interruption, Map<String, Supplier<CommandSpec>> commands) {
    ErrorReporter errors = new ErrorReporter(console);
    CommandSpec spec = Declaration.withHelp(CommandSpec.create()).name("helix-bg");
    spec.usageMessage()
        .description(
            "Checks helix knowledge bases in the background:",
            "finds duplicates, missing links and overlapping topics, and writes reports on them"
                + " into the folder of the knowledge base.",
            "To try it: helix-bg one-shot --sample",
            "Without helix, on a folder of Markdown notes: helix-bg one-shot --notes FOLDER")
        .synopsisSubcommandLabel("COMMAND");
    commands.forEach((name, command) -> spec.addSubcommand(name, command.get()));
    CommandLine line = new CommandLine(spec);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setExpandAtFiles(false); // a text may begin with @, such as a Java annotation
    // otherwise picocli prints a warning about a quotation mark in --set
    CommandLine.tracer().setLevel(CommandLine.TraceLevel.OFF);
    line.registerConverter(Path.class, new Handlers());
    line.setOut(new PrintWriter(console.coloured(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
    line.setColorScheme(CommandLine.Help.defaultColorScheme(console.colour() ? Ansi.ON : Ansi.OFF));
    line.setParameterExceptionHandler(errors);
    line.setExecutionExceptionHandler(errors);
    line.setExecutionStrategy(new Handlers());
    Map<String, String> codes = new LinkedHashMap<>();
    for (ExitCode code : ExitCode.values()) {
      codes.put(Integer.toString(code.number()), code.meaning());
    }
    spec.usageMessage().exitCodeListHeading("%nExit codes:%n").exitCodeList(codes);
    return line;
  }

  /**
   * Handlers for picocli. They are methods of a class, not lambdas, because the JVM's class archive
   * cannot contain lambdas that implement picocli's interfaces.
   */
  private static final class Handlers implements ITypeConverter<Path>, IExecutionStrategy {
    @Override
    public Path convert(String given) {
      try {
        Path path = Path.of(given);
        return given.startsWith("~") && !Files.exists(path) // as in a file that no shell reads
            ? UserDirectories.path(given, GlobalOptions.locations().home())
            : path;
      } catch (InvalidPathException e) {
        throw new TypeConversionException(
            ErrorReporter.words(e)); // picocli's text would name Java classes
      }
    }

    /** Reports unknown arguments even if --help is given; picocli alone would ignore them. */
    @Override
    public int execute(ParseResult parsed) {
      for (CommandLine line : parsed.asCommandLineList()) {
        List<String> unmatched = line.getParseResult().unmatched();
        if (!unmatched.isEmpty() && !line.isUnmatchedArgumentsAllowed()) {
          throw new UnmatchedArgumentException(line, unmatched);
        }
      }
      Integer helped = CommandLine.executeHelpRequest(parsed);
      if (helped != null) {
        return helped;
      }
      CommandLine last = parsed.asCommandLineList().getLast();
      if (last.getCommand() == null) {
        throw new ParameterException(last, "a command is missing");
      }
      return new RunLast().execute(parsed);
    }
  }

  private static CommandSpec benchmarks(
      Map<String, ConsoleCommand> commands, Function<ConsoleCommand, CommandSpec> declared) {
    if (commands.isEmpty()) {
      return absent(
          "an installed helix-bg has no benchmarks; run scripts/helix-bg bench in a checkout of the"
              + " sources",
          "Run benchmarks on this machine. Available only in a checkout of the sources.");
    }
    CommandSpec spec = CommandSpec.create();
    spec.usageMessage()
        .description(
            "Measure how fast this machine runs parts of helix-bg. Every benchmark first checks"
                + " that its results are right.")
        .synopsisSubcommandLabel("BENCHMARK");
    commands.forEach((name, command) -> spec.addSubcommand(name, declared.apply(command)));
    return Declaration.withHelp(spec);
  }

  private static CommandSpec absent(String where, String description) {
    Callable<Integer> refusal =
        () -> {
          throw Failure.usage(where);
        };
    CommandSpec spec = described(CommandSpec.wrapWithoutInspection(refusal), description);
    spec.parser().unmatchedArgumentsAllowed(true);
    return Declaration.withHelp(spec);
  }

  private static CommandSpec described(CommandSpec spec, String description) {
    spec.usageMessage().header(new String[0]).description(description);
    return spec;
  }
}
