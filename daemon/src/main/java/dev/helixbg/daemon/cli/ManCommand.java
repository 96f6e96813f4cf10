package dev.helixbg.daemon.cli;

import dev.helixbg.config.Setting;
import dev.helixbg.config.SettingsLoader;
import dev.helixbg.daemon.cli.flags.Declaration;
import dev.helixbg.daemon.terminal.ExitCode;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;

/** Prints the help of every command as one page, in roff (see man(7)) or Markdown. */
final class ManCommand extends ConsoleCommand {
  private boolean markdown;

  private CommandSpec spec;

  @Override
  protected void declare(Declaration to) {
    spec = to.spec();
    to.description("Print the manual page. To read it: helix-bg man | man -l -");
    to.flag("--markdown", "Print the page docs/reference.md instead.", given -> markdown = given);
  }

  @Override
  protected void run() {
    CommandLine root = spec.root().commandLine();
    console.out().print(markdown ? markdown(root) : roff(root));
  }

  private static String roff(CommandLine root) {
    String name = root.getCommandName();
    StringBuilder page = new StringBuilder();
    page.append(".TH \"").append(name.toUpperCase(Locale.ROOT)).append("\" 1\n.SH NAME\n");
    page.append(
        escaped(
            name + " - " + root.getCommandSpec().usageMessage().description()[0].replace(":", "")));
    page.append("\n.SH SYNOPSIS\n.nf\n").append(escaped(help(root))).append(".fi\n.SH COMMANDS\n");
    root.getSubcommands()
        .forEach(
            (command, line) ->
                page.append(
                    ".SS %s\n.nf\n%s.fi\n".formatted(escaped(command), escaped(help(line)))));
    return page.toString();
  }

  private static String escaped(String text) {
    return text.replace("\\", "\\e").replace("-", "\\-").replaceAll("(?m)^([.'])", "\\\\&$1");
  }

  private static String markdown(CommandLine root) {
    StringBuilder page =
        new StringBuilder(
            """
            # Reference

            Commands, exit codes and settings; `helix-bg man --markdown` prints this page. Name the folder of a knowledge base
            by an argument or by `--kb FOLDER`. In commands with a further argument, such as the text of `search`, write the
            folder as a path (`./kb`). A checkout of the sources also has the command `bench`: [benchmarks.md](benchmarks.md).

            ## Commands
            """);
    root.getSubcommands()
        .forEach(
            (command, line) -> {
              if (!command.equals("bench")) { // the help of bench differs in an installation
                page.append("\n### `%s`\n\n```\n%s```\n".formatted(command, help(line)));
              }
            });
    page.append("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n");
    for (ExitCode code : ExitCode.values()) {
      page.append("| %d | %s |\n".formatted(code.number(), code.meaning()));
    }
    page.append(
        """

        ## Settings

        Settings come from defaults, `~/.helix/helix-bg.toml` (or `--config FILE`, or `$HELIX_BG_CONFIG`), the environment, and
        flags; each source overrides the sources before it. Every key has an environment variable, such as
        `HELIX_BG_EMBED_MAX_TOKENS`, and can be given as a flag: `--set embed.max_tokens=128`. `helix-bg config` prints all
        settings with their values and the source of each value.

        | key | default | meaning | valid |
        | --- | --- | --- | --- |
        """);
    for (Setting<?> setting : SettingsLoader.catalog()) {
      String usual = setting.defaultText().isEmpty() ? "" : '`' + setting.defaultText() + '`';
      page.append(
          "| `%s` | %s | %s | %s |\n"
              .formatted(setting.name(), usual, setting.meaning(), setting.valid()));
    }
    return page.toString();
  }

  private static String help(CommandLine line) {
    return line.getUsageMessage(Ansi.OFF);
  }
}
