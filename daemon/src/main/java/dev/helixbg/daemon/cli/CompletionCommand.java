package dev.helixbg.daemon.cli;

import dev.helixbg.config.text.NearestName;
import dev.helixbg.daemon.cli.flags.ConsoleCommand;
import dev.helixbg.daemon.terminal.ExitCode;
import dev.helixbg.daemon.terminal.Failure;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints what makes a shell complete our command line. */
@Command(
    name = "completion",
    description = {
      "Print a completion script.",
      "bash, zsh: source <(helix-bg completion bash). fish: helix-bg completion fish | source"
    })
final class CompletionCommand extends ConsoleCommand {
  private static final List<String> SHELLS = List.of("bash", "zsh", "fish");

  @Spec private CommandSpec spec;

  @Parameters(
      arity = "0..1",
      paramLabel = "SHELL",
      defaultValue = "bash",
      completionCandidates = Shells.class,
      description = "bash, zsh or fish (default: ${DEFAULT-VALUE}).")
  private String shell;

  static final class Shells extends ArrayList<String> {
    Shells() {
      super(SHELLS);
    }
  }

  @Override
  public Integer call() {
    CommandLine root = spec.root().commandLine();
    console
        .out()
        .print(
            switch (shell) {
              case "bash" -> AutoComplete.bash(root.getCommandName(), root);
              case "zsh" -> new Script(root.getCommandSpec()).zsh();
              case "fish" -> new Script(root.getCommandSpec()).fish();
              default ->
                  throw Failure.usage(
                      "there is completion for "
                          + String.join(", ", SHELLS)
                          + ", not for "
                          + shell
                          + NearestName.meant(shell, SHELLS, ""));
            });
    return ExitCode.OK.number();
  }

  /**
   * What makes zsh and fish complete our command line, with descriptions, made from its definition;
   * picocli does the same for bash. zsh: zshcompsys(1), {@code _arguments} and {@code _describe};
   * fish: complete(1).
   */
  private static final class Script {
    private final CommandSpec root;
    private final StringBuilder out = new StringBuilder();

    private Script(CommandSpec root) {
      this.root = root;
    }

    private String zsh() {
      String name = root.name();
      line("#compdef " + name);
      line("# Made by: " + name + " completion zsh");
      line("_" + name + "() {");
      line("  local context state state_descr line");
      line("  typeset -A opt_args");
      line("  _arguments -C " + quoted("1: :->command") + " " + quoted("*:: :->arguments"));
      line("  case $state in");
      line("  (command)");
      line("    local -a commands=(");
      for (CommandSpec command : commands()) {
        line("      " + quoted(command.name() + ":" + about(command.usageMessage().description())));
      }
      line("    )");
      line("    _describe -t commands command commands ;;");
      line("  (arguments)");
      line("    case $words[1] in");
      for (CommandSpec command : commands()) {
        line("    (" + command.name() + ")");
        out.append("      _arguments -s");
        for (OptionSpec option : options(command)) {
          for (String spelling : option.names()) {
            out.append(" \\\n        ").append(quoted(zshOption(option, spelling)));
          }
        }
        zshWords(command).forEach(words -> out.append(" \\\n        ").append(quoted(words)));
        line(" ;;");
      }
      line("    esac ;;");
      line("  esac");
      line("}");
      // A file of $fpath is called as the function, another one is sourced.
      line("if [ \"$funcstack[1]\" = _" + name + " ]; then");
      line("  _" + name + " \"$@\"");
      line("else");
      line("  compdef _" + name + " " + name);
      line("fi");
      return out.toString();
    }

    private static String zshOption(OptionSpec option, String spelling) {
      String about = about(option.description()).replace("[", "\\[").replace("]", "\\]");
      String many = option.isMultiValue() ? "*" : "";
      String value = takesValue(option) ? ":" + label(option) + ":" + zshValues(option) : "";
      return many + spelling + "[" + about + "]" + value;
    }

    /** What may stand where no option does. */
    private static List<String> zshWords(CommandSpec command) {
      List<String> words = new ArrayList<>();
      if (!command.subcommands().isEmpty()) {
        words.add("1: :(" + String.join(" ", command.subcommands().keySet()) + ")");
        return words;
      }
      for (PositionalParamSpec parameter : command.positionalParameters()) {
        boolean many = parameter.arity().max() > 1 || parameter.index().max() > 1000;
        String where = many ? "*" : String.valueOf(parameter.index().min() + 1);
        words.add(where + ":" + label(parameter) + ":" + zshValues(parameter));
      }
      return words;
    }

    private static String zshValues(ArgSpec argument) {
      List<String> choices = choices(argument);
      if (!choices.isEmpty()) {
        return "(" + String.join(" ", choices) + ")";
      }
      return isFolder(argument) ? "_files -/" : isFile(argument) ? "_files" : "";
    }

    private String fish() {
      line("# Made by: " + root.name() + " completion fish");
      line("function __helix_bg_is");
      line("    set -l words (commandline -opc)");
      line("    test \"$words[2]\" = \"$argv[1]\"");
      line("end");
      line("complete -c " + root.name() + " -f");
      for (CommandSpec command : commands()) {
        fish("", "-a " + command.name(), about(command.usageMessage().description()));
      }
      for (CommandSpec command : commands()) {
        for (OptionSpec option : options(command)) {
          StringBuilder words = new StringBuilder();
          for (String spelling : option.names()) {
            boolean isLong = spelling.startsWith("--");
            words.append(isLong ? " -l " : " -s ").append(spelling.replaceFirst("^--?", ""));
          }
          if (takesValue(option)) {
            words.append(" ").append(fishValues(option, "-x"));
          }
          fish(command.name(), words.toString().strip(), about(option.description()));
        }
        if (!command.subcommands().isEmpty()) {
          fish(
              command.name(), "-a " + quoted(String.join(" ", command.subcommands().keySet())), "");
          continue;
        }
        for (PositionalParamSpec parameter : command.positionalParameters()) {
          String values = fishValues(parameter, "");
          if (!values.isEmpty()) {
            fish(command.name(), values, "");
          }
        }
      }
      return out.toString();
    }

    private void fish(String command, String words, String about) {
      out.append("complete -c ").append(root.name());
      out.append(" -n ").append(quoted(("__helix_bg_is " + command).strip())).append(' ');
      line(words + (about.isEmpty() ? "" : " -d " + quoted(about)));
    }

    private static String fishValues(ArgSpec argument, String otherwise) {
      List<String> choices = choices(argument);
      if (!choices.isEmpty()) {
        return "-x -a " + quoted(String.join(" ", choices));
      }
      return isFolder(argument)
          ? "-x -a " + quoted("(__fish_complete_directories)")
          : isFile(argument) ? "-r -F" : otherwise;
    }

    /** Those that users are told of. */
    private List<CommandSpec> commands() {
      return root.subcommands().values().stream()
          .map(CommandLine::getCommandSpec)
          .filter(command -> !command.usageMessage().hidden())
          .toList();
    }

    private static List<OptionSpec> options(CommandSpec command) {
      return command.options().stream().filter(option -> !option.hidden()).toList();
    }

    private static boolean takesValue(OptionSpec option) {
      return option.arity().max() > 0;
    }

    private static List<String> choices(ArgSpec argument) {
      List<String> choices = new ArrayList<>();
      if (argument.completionCandidates() != null) {
        argument.completionCandidates().forEach(choices::add);
      } else if (argument.type().isEnum()) {
        for (Object constant : argument.type().getEnumConstants()) {
          choices.add(constant.toString().toLowerCase(Locale.ROOT));
        }
      }
      return choices;
    }

    private static boolean isFile(ArgSpec argument) {
      Class<?> type = argument.auxiliaryTypes()[0];
      return type == Path.class || type == File.class;
    }

    /** A knowledge base is one. */
    private static boolean isFolder(ArgSpec argument) {
      String label = label(argument).toLowerCase(Locale.ROOT);
      return isFile(argument) && (label.startsWith("kb") || label.equals("folder"));
    }

    private static String label(ArgSpec argument) {
      return argument.paramLabel().replaceAll("[<>:=]", " ").strip();
    }

    /** The first sentence, on one line. */
    private static String about(String... description) {
      String text = String.join(" ", description).replaceAll("\\s+", " ").replace("%n", " ");
      return text.replaceFirst("\\.( .*)?$", "").replace("%%", "%");
    }

    private static String quoted(String text) {
      return "'" + text.replace("'", "'\\''") + "'";
    }

    private void line(String text) {
      out.append(text).append('\n');
    }
  }
}
