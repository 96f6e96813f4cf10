package dev.helixbg.daemon.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.ForkedJvm;
import dev.helixbg.config.text.HostileText;
import dev.helixbg.daemon.ExternalTool;
import dev.helixbg.daemon.cli.flags.KbsOption;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.ExitCode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests help, the manual and completion, which are made from the declared commands. */
class CommandLineTest {
  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private CommandLine line() {
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    return HelixBg.commandLine(new Console(print, print, false, false), NoInterruption.make());
  }

  private String output(String... arguments) {
    assertEquals(0, line().execute(arguments));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void everyCommandSaysWhatItIsFor() {
    line()
        .getSubcommands()
        .forEach(
            (name, command) ->
                assertTrue(command.getCommandSpec().usageMessage().description().length > 0, name));
  }

  /** Help breaks lines after dots and slashes. A broken path could not be copied. */
  @Test
  void noPathIsBrokenInTheHelpOfACommand() {
    CommandLine line = line();
    assertNoPathIsBroken(line.getUsageMessage());
    line.getSubcommands().values().forEach(c -> assertNoPathIsBroken(c.getUsageMessage()));
  }

  private static void assertNoPathIsBroken(String help) {
    assertFalse(
        Pattern.compile("([~.]/|[/ (]\\.|\\s/)$", Pattern.MULTILINE).matcher(help).find(), help);
  }

  @Test
  void theReferenceInTheRepositoryIsTheOneThatTheProgramPrints() throws IOException {
    assertEquals(
        Files.readString(Path.of("../docs/reference.md")),
        output("man", "--markdown"),
        "run: scripts/helix-bg man --markdown > docs/reference.md");
  }

  /** Such an error is a StackOverflowError or a missing class. */
  @Test
  void anErrorOfTheJvmIsOneLineAndAnExitCode() {
    OutputStream overflowing =
        new OutputStream() {
          @Override
          public void write(int b) {
            throw new StackOverflowError("of a test");
          }
        };
    PrintStream broken = new PrintStream(overflowing, true, StandardCharsets.UTF_8);
    PrintStream err = new PrintStream(out, true, StandardCharsets.UTF_8);
    Console console = new Console(broken, err, false, false);
    assertEquals(1, HelixBg.run(console, Map::of, NoInterruption.make(), "config"));
    String said = out.toString(StandardCharsets.UTF_8);
    assertTrue(said.startsWith("helix-bg: a fault in helix-bg: "), said);
    assertEquals(1, said.lines().count(), said);
  }

  @Test
  void benchWithoutBenchmarksSaysWhereTheyAre() {
    int code = line().execute("bench", "llm", "model.gguf", "-n", "4");
    String said = out.toString(StandardCharsets.UTF_8);
    assertEquals(ExitCode.USAGE.number(), code);
    assertTrue(said.startsWith("helix-bg: an installed helix-bg has no benchmarks"), said);
    assertEquals(1, said.lines().count(), said);
  }

  @Test
  void aFolderForACopyThatCannotBeMadeIsFoundBeforeAnyWork(@TempDir Path folder)
      throws IOException {
    Path inMissing = folder.resolve("missing/out");
    assertEquals(
        ExitCode.WRITE.number(), line().execute("one-shot", "--copy-report", "" + inMissing));
    assertEquals(
        "helix-bg: cannot write the report to %s: there is no folder %s%n"
            .formatted(inMissing, inMissing.getParent()),
        out.toString(StandardCharsets.UTF_8));
    Path file = Files.writeString(folder.resolve("report.md"), "x");
    out.reset();
    assertEquals(ExitCode.WRITE.number(), line().execute("one-shot", "--copy-report", "" + file));
    assertEquals(
        "helix-bg: cannot write the report to %s: %s is not a folder%n".formatted(file, file),
        out.toString(StandardCharsets.UTF_8));
    assertFalse(Files.exists(inMissing.getParent()));
  }

  private String refused(String... arguments) {
    out.reset();
    PrintStream print = new PrintStream(out, true, StandardCharsets.UTF_8);
    Console console = new Console(print, print, false, false);
    assertEquals(
        ExitCode.USAGE.number(), HelixBg.run(console, Map::of, NoInterruption.make(), arguments));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void whatWasMistypedIsNamedWithWhatWasProbablyMeant() {
    assertEquals(
        "helix-bg: there is no command findngs; did you mean findings?\n"
            + "helix-bg: try: helix-bg --help\n",
        refused("findngs", "--json"));
    assertEquals(
        "helix-bg: there is no option --jsno; did you mean --json?\n"
            + "helix-bg: try: helix-bg findings --help\n",
        refused("findings", "--jsno"));
    assertTrue(refused("search", "--topik=x", "y").contains("did you mean --topic?"));
    assertTrue(refused("service", "--dryrun").contains("did you mean --dry-run?"));
    assertTrue(refused("metal-tset").startsWith("helix-bg: there is no command metal-tset\n"));
    assertTrue(refused("verify", "a", "b").startsWith("helix-bg: one argument too many: b\n"));
    assertTrue(refused("service").contains("ACTION"));
    assertTrue(refused("service", "bogus").contains("expected one of [install, uninstall, "));
    assertTrue(refused("config", "--set", "threds=1").endsWith("; did you mean threads?\n"));
    assertTrue(refused("config", "--jsno").contains("no option --jsno; did you mean --json?"));
    assertTrue(refused("config", "bogus").contains("one argument too many: bogus"));
    for (String text : HostileText.CORPUS) {
      HostileText.assertHarmless(refused(text), "a command");
      HostileText.assertHarmless(refused("verify", "--" + text), "an option");
      HostileText.assertHarmless(refused("help", text), "help");
      HostileText.assertHarmless(refused("service", text), "an action");
      HostileText.assertHarmless(refused("config", text), "a setting");
    }
  }

  /** A searched text may begin with an annotation such as {@code @Transactional}. */
  @Test
  void anArgumentThatBeginsWithAtIsNoFileOfArguments() throws IOException {
    Path file = Files.writeString(folder.resolve("Override"), "--help");
    assertEquals(
        "helix-bg: one argument too many: @%s%nhelix-bg: try: helix-bg config --help%n"
            .formatted(file),
        refused("config", "@" + file));
    assertEquals(
        "helix-bg: one argument too many: @%s%nhelix-bg: try: helix-bg config --help%n"
            .formatted(folder),
        refused("config", "@" + folder));
  }

  @Test
  void aSettingMayContainAQuotationMark() {
    PrintStream err = System.err;
    try {
      System.setErr(new PrintStream(out, true, StandardCharsets.UTF_8));
      assertFalse(output("config", "--set", "kb=/tmp/a\"b").contains("WARN"), out.toString());
    } finally {
      System.setErr(err);
    }
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("/tmp/a\\\"b"), out.toString());
  }

  /** picocli alone would handle --help first, and ignore the mistyped argument. */
  @Test
  void whatWasMistypedIsAnErrorBesideHelp() {
    assertTrue(refused("mistyped", "--help").startsWith("helix-bg: there is no command mistyped"));
    assertTrue(refused("serch", "--version").contains("; did you mean search?"));
    assertTrue(refused("verify", "--help", "--mistyped").contains("no option --mistyped"));
    String path = refused("verify", "--notes", "a\0b");
    assertFalse(path.contains("java."), path);
    assertTrue(path.contains("cannot be a file name"), path);
    assertTrue(refused("stop", "--help", "now").contains("one argument too many: now"));
  }

  @Test
  void helpOfACommandIsThatOfItsOption() {
    String all = output("help");
    assertTrue(all.contains("one-shot") && all.contains("Exit codes:"), all);
    out.reset();
    String one = output("help", "service");
    out.reset();
    assertEquals(output("service", "--help"), one);
    assertTrue(refused("help", "srevice").contains("'srevice'"));
  }

  /** A command on a knowledge base accepts its folder as an argument and by --kb. */
  @Test
  void everyCommandOnAKnowledgeBaseTakesItInBothWays() {
    TreeSet<String> both = new TreeSet<>();
    line()
        .getSubcommands()
        .forEach(
            (name, command) -> {
              if (command.getCommandSpec().optionsMap().containsKey("--kb")) {
                assertTrue(!command.getCommandSpec().positionalParameters().isEmpty(), name);
                both.add(name);
              }
            });
    assertEquals(
        new TreeSet<>(
            List.of(
                ("one-shot daemon search related findings act dismiss done undo"
                        + " mcp service study tidy verify doctor")
                    .split(" "))),
        both);
  }

  @Test
  void theManualPageHasEveryCommandAndOption() {
    String page = output("man");
    assertTrue(page.startsWith(".TH \"HELIX-BG\" 1\n"), page);
    for (String command : shown()) {
      assertTrue(page.contains(".SS " + command.replace("-", "\\-")), command);
    }
    assertTrue(page.contains("\\-\\-dry\\-run"), page);
    assertTrue(page.contains("Exit codes:"));
  }

  @Test
  void theManualPageIsRoffWithoutWarnings() throws IOException, InterruptedException {
    ExternalTool.require("groff");
    Path page = folder.resolve("helix-bg.1");
    Files.writeString(page, output("man"));
    assertEquals("", said("groff", "-man", "-Tutf8", "-ww", "-z", page.toString()));
  }

  @Test
  void bashTakesTheCompletionScript() throws IOException, InterruptedException {
    assertEquals("dismiss", completed("dis"));
    assertEquals(
        shown(),
        new TreeSet<>(List.of(completed("").split("\\s+"))),
        "every command, none forgotten");
  }

  /** zsh takes the same script by its own emulation of bash's completion. */
  @Test
  void zshTakesTheCompletionScript() throws IOException, InterruptedException {
    ExternalTool.require("zsh");
    Path script = folder.resolve("completion");
    Files.writeString(script, output("completion"));
    assertEquals("", said("zsh", "-n", script.toString()));
    String completer =
        said(
            "zsh",
            "-f",
            "-c",
            "autoload -U +X compinit && compinit -u; source $1; print -r -- $_comps[helix-bg]",
            "test",
            script.toString());
    assertTrue(completer.matches(".*_complete_helix-bg.*\n"), completer);
  }

  /** The locale of Egypt has its own digits. */
  @Test
  void numbersLookTheSameInEveryRegion() throws IOException, InterruptedException {
    Path err = folder.resolve("err");
    List<String> egypt = List.of("-Duser.language=ar", "-Duser.country=EG");
    ProcessBuilder related =
        new ProcessBuilder(ForkedJvm.command(egypt, HelixBg.class, "related", " "));
    assertEquals(2, related.redirectError(err.toFile()).start().waitFor());
    assertTrue(Files.readString(err).contains("1 to 8,000 characters"), Files.readString(err));
  }

  /** Runs a program in an empty folder; returns its output with its messages. */
  private String said(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("HOME", folder.toString());
    Path empty = Files.createDirectories(folder.resolve("empty"));
    return ExternalTool.said(builder.directory(empty.toFile()));
  }

  /** Returns the commands that the help lists. */
  private TreeSet<String> shown() {
    TreeSet<String> names = new TreeSet<>(line().getSubcommands().keySet());
    names.removeIf(
        name -> line().getSubcommands().get(name).getCommandSpec().usageMessage().hidden());
    return names;
  }

  /** Returns bash's proposals for the first word after the program's name. */
  private String completed(String word) throws IOException, InterruptedException {
    Path script = folder.resolve("completion");
    Files.writeString(script, output("completion"));
    return said(
            "bash",
            "-c",
            "source \"$1\"; COMP_WORDS=(helix-bg \"$2\"); COMP_CWORD=1; _complete_helix-bg;"
                + " echo \"${COMPREPLY[@]}\"",
            "test",
            script.toString(),
            word)
        .strip();
  }

  /** Configurations of MCP clients have paths with ~, which no shell replaces. */
  @Test
  void aPathMayBeginInTheHomeFolder() {
    assertEquals(ExitCode.KB.number(), line().execute("verify", "--kb=~/no such kb"));
    String said = out.toString(StandardCharsets.UTF_8);
    assertTrue(said.contains(" " + System.getenv("HOME") + "/no such kb is not a folder"), said);
  }

  /** Otherwise a daemon would watch the KB twice. */
  @Test
  void aKnowledgeBaseWithTwoPathsIsOne() throws IOException {
    Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
    assertEquals(List.of(Kb.named(folder)), new KbsOption().named(List.of(folder, link)));
  }
}
