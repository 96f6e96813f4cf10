package dev.helixbg.daemon;

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
    Interruption interruption = Interruption.watch();
    int code = run(Console.of(System.getenv()), rivals, arguments);
    interruption.over();
    System.exit(code);
  }

  private static int run(Console console, Rivals rivals, String... arguments) {
    Faults faults = new Faults(console);
    CommandLine line =
        new CommandLine(new HelixBg())
            .addSubcommand("one-shot", new OneShotCommand(console))
            .addSubcommand("label", new LabelCommand(console))
            .addSubcommand("ask-pair", new AskPairCommand(console))
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
            .addSubcommand("config", new ConfigCommand(console));
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
    return line.execute(arguments);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "a command is missing");
  }
}
