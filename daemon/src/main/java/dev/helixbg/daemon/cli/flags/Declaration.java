package dev.helixbg.daemon.cli.flags;

import dev.helixbg.daemon.terminal.Console;
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
 * Declares a command to picocli. Annotations are not used, because reading them takes longer than a
 * short command runs. {@code arguments} receives each option and argument.
 */
public record Declaration(CommandSpec spec, Consumer<ArgSpec> arguments, Console console) {
  /** Options that several commands have. */
  public interface Shared {
    void declare(Declaration to);
  }

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

  public void description(String... paragraphs) {
    spec.usageMessage().description(paragraphs);
  }

  public void add(Shared... shared) {
    for (Shared options : shared) {
      options.declare(this);
    }
  }

  /** Adds several options and arguments; a user must give exactly one of them. */
  public void addOneOf(Shared options) {
    ArgGroupSpec.Builder group = ArgGroupSpec.builder().exclusive(true).multiplicity("1");
    options.declare(new Declaration(spec, group::addArg, console));
    spec.addArgGroup(group.build());
  }

  public void flag(String name, String description, Consumer<Boolean> set) {
    add(OptionSpec.builder(name).description(description), boolean.class, set);
  }

  /** Adds an option with a value, such as {@code -n, --limit=N}. */
  public void option(String form, String description, Consumer<String> set) {
    option(form, description, String.class, set);
  }

  public <T> void option(String form, String description, Class<T> type, Consumer<T> set) {
    add(option(form, description), type, set);
  }

  /** Adds an option that has the value {@code usual} if it is not given. */
  public void option(String form, String description, int usual, Consumer<Integer> set) {
    add(option(form, description).defaultValue(Integer.toString(usual)), int.class, set);
  }

  /** Adds an option that may be given several times; {@code set} gets all its values. */
  public <T> void options(String form, String description, Class<T> type, Consumer<List<T>> set) {
    addAll(option(form, description), type, set);
  }

  /** Adds an option whose value is a list with commas; {@code set} gets its elements. */
  public <T> void list(String form, String description, Class<T> type, Consumer<List<T>> set) {
    addAll(option(form, description).splitRegex(","), type, set);
  }

  void pairs(String form, String description, Consumer<Map<String, String>> set) {
    add(
        option(form, description).auxiliaryTypes(String.class, String.class),
        Map.class,
        set::accept);
  }

  private static OptionSpec.Builder option(String form, String description) {
    String[] parts = form.split("=", 2);
    return OptionSpec.builder(parts[0].split(", ")).paramLabel(parts[1]).description(description);
  }

  public <T> void add(OptionSpec.Builder option, Class<T> type, Consumer<T> set) {
    Value value = new Value(set);
    arguments.accept(option.type(type).getter(value).setter(value).build());
  }

  private <T> void addAll(OptionSpec.Builder option, Class<T> type, Consumer<List<T>> set) {
    add(option.auxiliaryTypes(type), List.class, set::accept);
  }

  public <T> void argument(String label, String description, Class<T> type, Consumer<T> set) {
    add(PositionalParamSpec.builder().paramLabel(label).description(description), type, set);
  }

  public <T> void arguments(
      String arity, String label, String description, Class<T> type, Consumer<List<T>> set) {
    addAll(
        PositionalParamSpec.builder().arity(arity).paramLabel(label).description(description),
        type,
        set);
  }

  public <T> void add(PositionalParamSpec.Builder argument, Class<T> type, Consumer<T> set) {
    Value value = new Value(set);
    boolean required = argument.arity() == null || argument.arity().min() > 0;
    arguments.accept(argument.required(required).type(type).getter(value).setter(value).build());
  }

  public <T> void addAll(
      PositionalParamSpec.Builder argument, Class<T> type, Consumer<List<T>> set) {
    add(argument.auxiliaryTypes(type), List.class, set::accept);
  }

  /** The present value of an option. If it is a list or map, picocli adds elements to it. */
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
