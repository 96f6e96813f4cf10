package dev.helixbg.daemon.cli;

import dev.helixbg.config.Setting;
import dev.helixbg.config.SettingsLoader;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * docs/reference.md: commands with their options, exit codes and settings in Markdown, made from
 * the command line definition and the catalogue of settings.
 */
final class ReferencePage {
  private static final int COLUMNS = 120;

  private final StringBuilder out = new StringBuilder();

  /** Options that many commands have. */
  private final Map<String, String> common;

  private ReferencePage(Map<String, String> common) {
    this.common = common;
  }

  /** The page for a command line. */
  static String of(CommandSpec root) {
    // This command has no option of its own.
    Map<String, String> common = described(root.subcommands().get("verify").getCommandSpec());
    common.keySet().removeIf(label -> !label.startsWith("-"));
    return new ReferencePage(common).page(root);
  }

  private String page(CommandSpec root) {
    out.append("# Reference\n\n");
    paragraph(
        "Commands, exit codes and settings, as the program itself knows them: `helix-bg man"
            + " --markdown` prints this page.");
    out.append("\n## Commands\n\n");
    paragraph(
        "The folder of a knowledge base is an argument or `--kb FOLDER`; before a text it must be"
            + " written as a path (`./kb`). In a checkout there is `bench`, too:"
            + " [benchmarks.md](benchmarks.md). Many commands have these options, below by their"
            + " names alone:");
    table(common);
    commands(root, "");
    out.append("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n");
    root.usageMessage().exitCodeList().forEach((code, meaning) -> row(List.of(code, meaning)));
    settings();
    return out.toString();
  }

  private void commands(CommandSpec parent, String prefix) {
    for (CommandLine line : parent.subcommands().values()) {
      CommandSpec command = line.getCommandSpec();
      if (!isDescribed(command)) {
        continue;
      }
      String name = prefix + command.name();
      out.append("\n### `").append(name).append(synopsis(command)).append("`\n\n");
      paragraph(escaped(String.join(" ", command.usageMessage().description())));
      Map<String, String> own = described(command);
      List<String> shared =
          own.entrySet().stream()
              .filter(common.entrySet()::contains)
              .map(argument -> '`' + argument.getKey().split("[ ,]")[0] + '`')
              .toList();
      own.entrySet().removeAll(common.entrySet());
      table(own);
      if (!shared.isEmpty()) {
        out.append('\n');
        paragraph("Also " + String.join(", ", shared) + ".");
      }
      commands(command, name + " ");
    }
  }

  /** Benchmarks are only in a checkout, so that two builds would print two pages. */
  private static boolean isDescribed(CommandSpec command) {
    return !command.usageMessage().hidden() && !command.name().equals("bench");
  }

  /** Parameters of a command, then its options except help and version, each described. */
  private static Map<String, String> described(CommandSpec command) {
    Map<String, String> described = new LinkedHashMap<>();
    List<ArgSpec> arguments = new ArrayList<>(command.positionalParameters());
    arguments.addAll(command.options());
    for (ArgSpec argument : arguments) {
      boolean isHelp =
          argument instanceof OptionSpec option && (option.usageHelp() || option.versionHelp());
      if (!isHelp) {
        described.put(
            label(argument),
            String.join(" ", argument.description())
                .replace("${DEFAULT-VALUE}", String.valueOf(argument.defaultValueString())));
      }
    }
    return described;
  }

  /** A parameter's name, or an option's names and its value. */
  private static String label(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? String.join(", ", option.names())
            + (option.arity().max() == 0 ? "" : " " + option.paramLabel())
        : argument.paramLabel();
  }

  private static String synopsis(CommandSpec command) {
    return command.positionalParameters().stream()
        .map(
            one -> {
              String label = one.paramLabel() + (one.arity().max() > 1 ? "..." : "");
              return one.required() ? " " + label : " [" + label + "]";
            })
        .collect(Collectors.joining());
  }

  private void table(Map<String, String> arguments) {
    if (!arguments.isEmpty()) {
      out.append("\n| | |\n| --- | --- |\n");
      arguments.forEach((label, words) -> row(List.of('`' + label + '`', words)));
    }
  }

  private void settings() {
    out.append("\n## Settings\n\n");
    paragraph(
        "They come from defaults, then `~/.helix/helix-bg.toml` (or `--config FILE`, or"
            + " `$HELIX_BG_CONFIG`), then the environment, then flags; each above the one before."
            + " Every key has an environment variable, such as `HELIX_BG_EMBED_MAX_TOKENS`, and can"
            + " be given as a flag: `--set embed.max_tokens=128`. `helix-bg config` prints all with"
            + " their values and where those came from.");
    out.append('\n');
    out.append("| key | default | meaning | valid |\n| --- | --- | --- | --- |\n");
    for (Setting<?> setting : SettingsLoader.catalog()) {
      String standard = setting.defaultText();
      row(
          List.of(
              '`' + setting.name() + '`',
              standard.isEmpty() ? "" : '`' + standard + '`',
              setting.meaning(),
              setting.valid()));
    }
  }

  /** Lines of {@value #COLUMNS} characters at most, where words are not longer. */
  private void paragraph(String text) {
    String line = "(.{1," + COLUMNS + "})(\\s+|$)";
    out.append(text.replaceAll(line, "$1\n"));
  }

  private void row(List<String> cells) {
    out.append(
        cells.stream()
            .map(ReferencePage::escaped)
            .collect(Collectors.joining(" | ", "| ", " |\n")));
  }

  /** A line of its own, in which nothing ends a cell or begins a tag. */
  private static String escaped(String text) {
    return text.replace('\n', ' ').replace("|", "\\|").replace("<", "&lt;");
  }
}
