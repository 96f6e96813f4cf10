package dev.helixbg.daemon.cli;

import dev.helixbg.daemon.cli.engine.EmbedTestCommand;
import dev.helixbg.daemon.cli.engine.GenerateCommand;
import dev.helixbg.daemon.cli.engine.GpuTestCommand;
import dev.helixbg.daemon.cli.engine.LoadModelCommand;
import dev.helixbg.daemon.mcp.McpService;
import dev.helixbg.daemon.server.DaemonLog;
import dev.helixbg.daemon.service.ServiceSpec;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Faults;
import dev.helixbg.daemon.terminal.Interruption;
import dev.helixbg.daemon.terminal.Version;
import dev.helixbg.insight.decisions.Decision.Verdict;
import dev.helixbg.llm.ModelOpener;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The program's entry: parses the command line and runs a command. */
@Command(
    name = "helix-bg",
    description = {
      "A second, slower mind for a helix knowledge base:",
      "finds duplicates, missing links and overlapping topics, and reports them next to it."
    },
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class HelixBg implements Runnable {
  @Spec private CommandSpec spec;

  public static void main(String[] arguments) {
    start(_ -> noBench(), arguments);
  }

  /** These describe the others. */
  private static final Set<String> ABOUT_ALL = Set.of("completion", "man");

  /** These begin with a model, in a process that is otherwise idle. */
  private static final Set<String> MODEL_FIRST = Set.of("generate", "load-model");

  /**
   * Runs one command line and ends the JVM with its exit code.
   *
   * @param bench makes the command of this name
   */
  public static void start(Function<Console, Object> bench, String... arguments) {
    if (arguments.length > 0 && MODEL_FIRST.contains(arguments[0])) {
      ModelOpener.prepare();
    }
    DaemonLog.choose(arguments.length > 0 && arguments[0].equals("daemon"));
    if (arguments.length > 0 && arguments[0].equals("mcp")) {
      McpService.prepare();
    }
    Interruption interruption = Interruption.watch();
    Console console = Console.of(System.getenv());
    // Where the JVM and libraries tell of what nobody caught.
    System.setErr(console.err());
    int code = run(console, bench, interruption, arguments);
    interruption.over();
    System.exit(ServiceSpec.exitCode(code, System.getenv(ServiceSpec.STARTED_BY)));
  }

  /** Runs one command line; whatever ends it becomes an exit code, an Error as well. */
  static int run(
      Console console,
      Function<Console, Object> bench,
      Interruption interruption,
      String... arguments) {
    try {
      return execute(console, bench, interruption, arguments);
    } catch (Error e) { // picocli lets it pass
      return new Faults(console).report(e).number();
    }
  }

  private static int execute(
      Console console,
      Function<Console, Object> bench,
      Interruption interruption,
      String... arguments) {
    Map<String, Supplier<Object>> commands = commands(console, bench, interruption);
    String first = arguments.length == 0 ? "" : arguments[0];
    // Describing a command to picocli takes milliseconds, and there are thirty.
    if (commands.containsKey(first) && !ABOUT_ALL.contains(first)) {
      commands.keySet().retainAll(Set.of(first));
    }
    return line(console, commands).execute(arguments);
  }

  /** The whole command line, ready to be executed or described. */
  static CommandLine commandLine(Console console, Interruption interruption) {
    return line(console, commands(console, _ -> noBench(), interruption));
  }

  private static Map<String, Supplier<Object>> commands(
      Console console, Function<Console, Object> bench, Interruption interruption) {
    Map<String, Supplier<Object>> commands = new LinkedHashMap<>();
    commands.put("one-shot", () -> new OneShotCommand(console));
    commands.put("label", () -> new LabelCommand(console));
    commands.put("ask-pair", () -> new AskPairCommand(console));
    commands.put("daemon", () -> new DaemonCommand(console, interruption));
    commands.put("status", () -> new StatusCommand(console));
    commands.put("search", () -> new SearchCommand(console));
    commands.put("findings", () -> new FindingsCommand(console));
    commands.put("dismiss", () -> decide(console, Verdict.DISMISSED));
    commands.put("done", () -> decide(console, Verdict.DONE));
    commands.put("undo", () -> decide(console, Verdict.OPEN));
    commands.put("synthesize", () -> new ReviewCommand.Synthesize(console));
    commands.put("drift", () -> new ReviewCommand.Drift(console));
    commands.put("stale", () -> new ReviewCommand.Stale(console));
    commands.put("chat", () -> new ChatCommand(console));
    commands.put("pause", () -> signal(console, "pause"));
    commands.put("resume", () -> signal(console, "resume"));
    commands.put("reload", () -> signal(console, "reload"));
    commands.put("stop", () -> signal(console, "stop"));
    commands.put("mcp", () -> new McpCommand(console));
    commands.put("service", () -> new ServiceCommand(console));
    commands.put("embed-test", () -> new EmbedTestCommand(console));
    commands.put("fetch-models", HelixBg::fetchModels);
    commands.put("load-model", () -> new LoadModelCommand(console));
    commands.put("generate", () -> new GenerateCommand(console));
    commands.put("gpu-test", () -> new GpuTestCommand(console));
    commands.put("metal-test", () -> hidden(new GpuTestCommand(console))); // its old name
    commands.put("verify", () -> new VerifyCommand(console));
    commands.put("doctor", () -> new DoctorCommand(console));
    commands.put("bench", () -> bench.apply(console));
    commands.put("config", () -> new ConfigCommand(console));
    commands.put("completion", () -> new CompletionCommand(console));
    commands.put("man", () -> new ManCommand(console));
    return commands;
  }

  private static CommandLine line(Console console, Map<String, Supplier<Object>> commands) {
    Faults faults = new Faults(console);
    CommandLine line = new CommandLine(new HelixBg());
    commands.forEach((name, command) -> line.addSubcommand(name, command.get()));
    helped(line);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.setOut(new PrintWriter(console.coloured(), true, StandardCharsets.UTF_8));
    line.setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
    line.setColorScheme(CommandLine.Help.defaultColorScheme(console.colour() ? Ansi.ON : Ansi.OFF));
    line.setParameterExceptionHandler(faults::wrongArguments);
    line.setExecutionExceptionHandler((e, command, parsed) -> faults.report(e).number());
    line.getCommandSpec()
        .usageMessage()
        .exitCodeListHeading("%nExit codes:%n")
        .exitCodeList(
            Arrays.stream(ExitCode.values())
                .collect(
                    Collectors.toMap(
                        code -> Integer.toString(code.number()),
                        ExitCode::meaning,
                        (a, b) -> a,
                        LinkedHashMap::new)));
    return line;
  }

  /** Every command has --help and --version. */
  private static void helped(CommandLine line) {
    if (!line.getCommandSpec().mixinStandardHelpOptions()) {
      line.getCommandSpec().mixinStandardHelpOptions(true);
    }
    line.getSubcommands().values().forEach(HelixBg::helped);
  }

  private static CommandLine hidden(Object command) {
    CommandLine line = new CommandLine(command);
    line.getCommandSpec().usageMessage().hidden(true);
    return line;
  }

  /** The launcher runs it as a script: no Java of ours opens a connection. */
  private static CommandLine fetchModels() {
    return described(
        new AbsentCommand("this jar downloads nothing; bin/helix-bg fetch-models runs the script"),
        "Download language models into ~/.helix/models; list says which fits here.");
  }

  private static CommandLine noBench() {
    return described(
        new AbsentCommand(
            "the benchmarks are no part of an installed helix-bg; run scripts/helix-bg bench in a"
                + " checkout of its sources"),
        "Measure this machine; in a source checkout only.");
  }

  private static CommandLine decide(Console console, Verdict verdict) {
    SelectionOptions selection = new SelectionOptions();
    CommandLine line =
        described(
            new DecideCommand(console, verdict, selection), DecideCommand.description(verdict));
    if (verdict != Verdict.OPEN) {
      line.addMixin("selection", selection);
    }
    return line;
  }

  private static CommandLine signal(Console console, String word) {
    return described(new SignalCommand(console, word), SignalCommand.description(word));
  }

  private static CommandLine described(Object command, String description) {
    CommandLine line = new CommandLine(command);
    line.getCommandSpec().usageMessage().description(description);
    return line;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
