package dev.helixbg.daemon;

import dev.helixbg.insight.decisions.Decision.Verdict;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class HelixBg implements Runnable {
  @Spec private CommandSpec spec;

  public static void main(String[] arguments) {
    start(Rivals.NONE, arguments);
  }

  /** Runs one command line and ends the JVM with its exit code. */
  static void start(Rivals rivals, String... arguments) {
    DaemonLog.choose(arguments.length > 0 && arguments[0].equals("daemon"));
    Interruption interruption = Interruption.watch();
    int code = run(Console.of(System.getenv()), rivals, interruption, arguments);
    interruption.over();
    System.exit(code);
  }

  private static int run(
      Console console, Rivals rivals, Interruption interruption, String... arguments) {
    return commandLine(console, rivals, interruption).execute(arguments);
  }

  /** The whole command line, ready to be executed or described. */
  static CommandLine commandLine(Console console, Rivals rivals, Interruption interruption) {
    Faults faults = new Faults(console);
    CommandLine line =
        new CommandLine(new HelixBg())
            .addSubcommand("one-shot", new OneShotCommand(console))
            .addSubcommand("label", new LabelCommand(console))
            .addSubcommand("ask-pair", new AskPairCommand(console))
            .addSubcommand("daemon", new DaemonCommand(console, interruption))
            .addSubcommand("status", new StatusCommand(console))
            .addSubcommand("search", new SearchCommand(console))
            .addSubcommand("findings", new FindingsCommand(console))
            .addSubcommand("dismiss", decide(console, Verdict.DISMISSED))
            .addSubcommand("done", decide(console, Verdict.DONE))
            .addSubcommand("undo", decide(console, Verdict.OPEN))
            .addSubcommand("synthesize", new ReviewCommand.Synthesize(console))
            .addSubcommand("drift", new ReviewCommand.Drift(console))
            .addSubcommand("stale", new ReviewCommand.Stale(console))
            .addSubcommand("chat", new ChatCommand(console))
            .addSubcommand("pause", signal(console, "pause"))
            .addSubcommand("resume", signal(console, "resume"))
            .addSubcommand("reload", signal(console, "reload"))
            .addSubcommand("stop", signal(console, "stop"))
            .addSubcommand("service", new ServiceCommand(console))
            .addSubcommand("embed-test", new EmbedTestCommand(console))
            .addSubcommand("load-model", new LoadModelCommand(console))
            .addSubcommand("generate", new GenerateCommand(console))
            .addSubcommand("metal-test", new MetalTestCommand(console))
            .addSubcommand("verify", new VerifyCommand(console))
            .addSubcommand("doctor", new DoctorCommand(console))
            .addSubcommand(
                "bench",
                new CommandLine(new BenchCommand())
                    .addSubcommand("embed", new BenchEmbedCommand(console, rivals))
                    .addSubcommand("llm", new BenchLlmCommand(console))
                    .addSubcommand("label", new BenchLabelCommand(console))
                    .addSubcommand("similarity", new BenchSimilarityCommand(console)))
            .addSubcommand("config", new ConfigCommand(console))
            .addSubcommand("completion", new CompletionCommand(console))
            .addSubcommand("man", new ManCommand(console));
    line.setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8));
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
                        java.util.LinkedHashMap::new)));
    return line;
  }

  private static CommandLine decide(Console console, Verdict verdict) {
    return described(new DecideCommand(console, verdict), DecideCommand.description(verdict));
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
