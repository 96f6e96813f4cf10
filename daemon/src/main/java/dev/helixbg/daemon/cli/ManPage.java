package dev.helixbg.daemon.cli;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The manual page in roff, as man(7) describes it, made from the command line definition. */
final class ManPage {
  private final StringBuilder out = new StringBuilder();

  String page(CommandSpec root) {
    String name = root.name();
    out.append(".TH \"").append(name.toUpperCase(Locale.ROOT)).append("\" 1\n");
    section("NAME");
    text(name + " - " + String.join(" ", root.usageMessage().description()));
    section("SYNOPSIS");
    text(name + " COMMAND [OPTIONS] [ARGUMENTS]");
    section("COMMANDS");
    commands(root, "");
    section("EXIT STATUS");
    root.usageMessage()
        .exitCodeList()
        .forEach((code, meaning) -> item("\\fB" + escaped(code) + "\\fR", meaning));
    section("FILES");
    item("~/.helix/helix-bg.toml", "settings; 'helix-bg config' shows them all");
    item("~/.helix/helix-bg.sock", "control socket of the daemon");
    item("~/.helix/logs/helix-bg.log", "log of the daemon");
    return out.toString();
  }

  private void commands(CommandSpec parent, String prefix) {
    for (CommandLine line : parent.subcommands().values()) {
      CommandSpec command = line.getCommandSpec();
      if (command.usageMessage().hidden()) {
        continue;
      }
      String name = prefix + command.name();
      out.append(".SS ").append(escaped(name + synopsis(command))).append('\n');
      text(String.join(" ", command.usageMessage().description()));
      for (ArgSpec argument : arguments(command)) {
        String label = escaped(label(argument));
        item((argument.isPositional() ? "\\fI" : "\\fB") + label + "\\fR", description(argument));
      }
      commands(command, name + " ");
    }
  }

  /** A command's parameters, then its options except help and version. */
  static List<ArgSpec> arguments(CommandSpec command) {
    return Stream.concat(
            command.positionalParameters().stream(),
            command.options().stream()
                .filter(o -> !o.hidden() && !o.usageHelp() && !o.versionHelp()))
        .toList();
  }

  /** How an argument is written: a parameter's name, or an option's names and its value. */
  static String label(ArgSpec argument) {
    return switch (argument) {
      case OptionSpec option ->
          String.join(", ", option.names())
              + (option.arity().max() == 0 ? "" : " " + option.paramLabel());
      default -> argument.paramLabel();
    };
  }

  static String synopsis(CommandSpec command) {
    StringBuilder synopsis = new StringBuilder();
    for (PositionalParamSpec parameter : command.positionalParameters()) {
      String many = parameter.arity().max() > 1 ? "..." : "";
      synopsis
          .append(parameter.required() ? " " : " [")
          .append(parameter.paramLabel())
          .append(many)
          .append(parameter.required() ? "" : "]");
    }
    return synopsis.toString();
  }

  static String description(ArgSpec argument) {
    return String.join(" ", argument.description())
        .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValueString()));
  }

  private void section(String title) {
    out.append(".SH ").append(title).append('\n');
  }

  private void item(String term, String words) {
    out.append(".TP\n").append(term).append('\n');
    text(words);
  }

  private void text(String words) {
    String line = escaped(words);
    out.append(line.startsWith(".") || line.startsWith("'") ? "\\&" : "").append(line).append('\n');
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replace("\n", " ");
  }
}
