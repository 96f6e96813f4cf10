package dev.helixbg.daemon.cli;

import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The manual page in roff, as man(7) describes it: the help of every command. */
final class ManPage {
  private ManPage() {}

  static String of(CommandLine root) {
    String name = root.getCommandName();
    StringBuilder page = new StringBuilder();
    page.append(".TH \"").append(name.toUpperCase(Locale.ROOT)).append("\" 1\n.SH NAME\n");
    page.append(
        escaped(
            name + " - " + root.getCommandSpec().usageMessage().description()[0].replace(":", "")));
    page.append("\n.SH SYNOPSIS\n.nf\n").append(help(root)).append(".fi\n.SH COMMANDS\n");
    root.getSubcommands()
        .forEach(
            (command, line) -> {
              page.append(".SS ").append(escaped(command)).append("\n.nf\n").append(help(line));
              page.append(".fi\n");
            });
    return page.toString();
  }

  private static String help(CommandLine line) {
    return escaped(line.getUsageMessage(Ansi.OFF));
  }

  /** Text of which no line begins a request of roff. */
  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1");
  }
}
