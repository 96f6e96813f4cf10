package dev.helixbg.daemon.cli.flags;

import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Interruption;
import dev.helixbg.daemon.terminal.Version;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import picocli.CommandLine.Model.ArgGroupSpec;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.IGetter;
import picocli.CommandLine.Model.ISetter;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Declares a command to picocli, the parser of command lines: its description, options and
 * arguments. Commands have no annotations, because picocli takes longer to read annotations than a
 * short command runs.
 */
public final class Declaration {
  /** Options that several commands have. */
  public interface Shared {
    void declare(Declaration to);
  }

  private final CommandSpec spec;
  private final Consumer<ArgSpec> arguments;
  private final Console console;
  private final Interruption interruption;

  private Declaration(
      CommandSpec spec, Consumer<ArgSpec> arguments, Console console, Interruption interruption) {
    this.spec = spec;
    this.arguments = arguments;
    this.console = console;
    this.interruption = interruption;
  }

  /** Returns the description of a command for picocli, with --help and --version. */
  public static CommandSpec of(ConsoleCommand command, Console console, Interruption interruption) {
    CommandSpec spec = CommandSpec.wrapWithoutInspection(command);
    command.declare(new Declaration(spec, spec::add, console, interruption));
    return withHelp(spec);
  }

  /** Adds --help and --version. */
  public static CommandSpec withHelp(CommandSpec spec) {
    return spec.addOption(
            OptionSpec.builder("-h", "--help")
                .type(boolean.class)
                .usageHelp(true)
                .description("Show this help message and exit.")
                .build())
        .addOption(
            OptionSpec.builder("-V", "--version")
                .type(boolean.class)
                .versionHelp(true)
                .description("Print version information and exit.")
                .build())
        .versionProvider(new Version());
  }

  Console console() {
    return console;
  }

  Interruption interruption() {
    return interruption;
  }

  /** Returns picocli's description of the command. */
  public CommandSpec spec() {
    return spec;
  }

  public void description(String... paragraphs) {
    spec.usageMessage().description(paragraphs);
  }

  public void add(Shared options) {
    options.declare(this);
  }

  /** Adds options and arguments of which exactly one must be given. */
  public void addOneOf(Shared options) {
    ArgGroupSpec.Builder group = ArgGroupSpec.builder().exclusive(true).multiplicity("1");
    options.declare(new Declaration(spec, group::addArg, console, interruption));
    spec.addArgGroup(group.build());
  }

  /** Adds an option without a value. */
  public void flag(String name, String description, Consumer<Boolean> set) {
    add(OptionSpec.builder(name).description(description), boolean.class, set);
  }

  /** Adds an option with a value, which the help calls {@code label}. */
  public <T> void option(
      String name, String label, String description, Class<T> type, Consumer<T> set) {
    add(OptionSpec.builder(name).paramLabel(label).description(description), type, set);
  }

  /** Adds an option; {@code set} gets its value if it is given or has a default. */
  public <T> void add(OptionSpec.Builder option, Class<T> type, Consumer<T> set) {
    Value value = new Value(set);
    arguments.accept(option.type(type).getter(value).setter(value).build());
  }

  /** Adds an option that may be given several times; {@code set} gets all its values. */
  public <T> void addAll(OptionSpec.Builder option, Class<T> type, Consumer<List<T>> set) {
    Value value = new Value(set);
    arguments.accept(
        option.type(List.class).auxiliaryTypes(type).getter(value).setter(value).build());
  }

  /** Adds an option that may be given several times as KEY=VALUE; {@code set} gets all pairs. */
  void addPairs(OptionSpec.Builder option, Consumer<Map<String, String>> set) {
    Value value = new Value(set);
    arguments.accept(
        option
            .type(Map.class)
            .auxiliaryTypes(String.class, String.class)
            .getter(value)
            .setter(value)
            .build());
  }

  /** Adds an argument; {@code set} gets its value if it is given. */
  public <T> void add(PositionalParamSpec.Builder argument, Class<T> type, Consumer<T> set) {
    Value value = new Value(set);
    arguments.accept(required(argument).type(type).getter(value).setter(value).build());
  }

  /** Adds an argument that may be given several times; {@code set} gets all its values. */
  public <T> void addAll(
      PositionalParamSpec.Builder argument, Class<T> type, Consumer<List<T>> set) {
    Value value = new Value(set);
    arguments.accept(
        required(argument)
            .type(List.class)
            .auxiliaryTypes(type)
            .getter(value)
            .setter(value)
            .build());
  }

  /** Makes an argument required, unless its arity allows none. */
  private static PositionalParamSpec.Builder required(PositionalParamSpec.Builder argument) {
    return argument.required(argument.arity() == null || argument.arity().min() > 0);
  }

  /**
   * The present value of an option. If it is a list or map, picocli gets it here and adds to it.
   */
  private static final class Value implements IGetter, ISetter {
    private final Consumer<Object> set;
    private Object present;

    @SuppressWarnings("unchecked") // picocli converts each value to the declared type
    Value(Consumer<?> set) {
      this.set = (Consumer<Object>) set;
    }

    @Override
    @SuppressWarnings("unchecked")
    public <T> T get() {
      return (T) present;
    }

    @Override
    public <T> T set(T value) {
      T before = get();
      present = value;
      if (value != null) {
        set.accept(value);
      }
      return before;
    }
  }
}
