package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.NotesKb;
import dev.helixbg.daemon.terminal.Console;
import dev.helixbg.daemon.terminal.Failure;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.NotesAccount;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Options that name the knowledge base: {@code --kb}, or an argument, or a folder among the other
 * arguments.
 */
public final class KbOption implements Declaration.Shared {
  private Path option;
  private Path notes;
  private boolean memory;

  private final boolean hasArgument;
  private Path argument;
  private NotesKb read;
  private Consumer<String> warnings = warning -> {};

  public KbOption() {
    this(false);
  }

  private KbOption(boolean hasArgument) {
    this.hasArgument = hasArgument;
  }

  /** Returns the usual options, and an argument {@code kb} that can also name the KB. */
  public static KbOption withArgument() {
    return new KbOption(true);
  }

  @Override
  public void declare(Declaration to) {
    warnings = warning -> to.console().warn("%s", warning);
    to.option(
        "--kb=FOLDER",
        "Folder of the knowledge base. Or name it before%n"
            + "the other arguments as a path, such as ./kb.%n"
            + "Default: the setting kb or $HELIX_KB, else the%n"
            + "first of ~/.helix-kb, ~/.helix and%n"
            + "~/.local/share/helix.",
        Path.class,
        given -> option = given);
    to.option(
        "--notes=FOLDER",
        "Folder of Markdown notes, or one Markdown file, to read in place of a knowledge base."
            + " helix-bg only reads the files, with two exceptions: 'tidy' moves exact copies to"
            + " the trash, and 'tidy' and 'act --run' edit memory files.",
        Path.class,
        given -> notes = given);
    to.flag(
        "--memory",
        "Read the memory files of the usual coding agents (CLAUDE.md, MEMORY.md, AGENTS.md,"
            + " GEMINI.md, rules) on this machine and in the current repository, in place of a"
            + " knowledge base. No other file is read.",
        given -> memory = given);
    if (hasArgument) {
      to.add(
          PositionalParamSpec.builder()
              .arity("0..1")
              .paramLabel("kb")
              .description(
                  "Folder of the knowledge base. Default: the",
                  "setting kb or $HELIX_KB, else the first of",
                  "~/.helix-kb, ~/.helix and ~/.local/share/helix."),
          Path.class,
          given -> argument = given);
    }
  }

  /**
   * Returns the command line's words. If the first word is the path of a folder with a data.log,
   * leaves it out, and takes that folder as the knowledge base.
   */
  public List<String> afterFolder(List<String> words) {
    return without(words, word -> word == words.getFirst() && isKb(word));
  }

  /**
   * Returns the command line's words without the first word that is a path or a folder. That word
   * becomes the knowledge base. Words for which {@code isName} is true are kept.
   */
  public List<String> withoutFolder(List<String> words, Predicate<String> isName) {
    return without(words, word -> !isName.test(word) && (isPath(word) || isFolder(word)));
  }

  private List<String> without(List<String> words, Predicate<String> isFolder) {
    List<String> left = new ArrayList<>(words);
    for (String word : words) {
      if (isFolder.test(word)) {
        argument = Path.of(word);
        left.remove(word);
        break;
      }
    }
    return left;
  }

  private static boolean isPath(String word) {
    return word.equals(".") || word.equals("..") || word.contains(File.separator);
  }

  private static boolean isKb(String word) {
    return isPath(word)
        && path(word).filter(path -> Files.exists(Kb.named(path).dataLog())).isPresent();
  }

  private static boolean isFolder(String word) {
    return path(word).filter(Files::isDirectory).isPresent();
  }

  private static Optional<Path> path(String word) {
    try {
      return Optional.of(Path.of(word));
    } catch (InvalidPathException e) {
      return Optional.empty();
    }
  }

  public Optional<Path> named() {
    if (argument != null && option != null && !Kb.named(argument).isSame(Kb.named(option))) {
      throw Failure.usage(
          "two knowledge bases are named, " + argument + " and --kb " + option + ": leave out one");
    }
    Path kb = argument != null ? argument : option;
    if (kb != null && notes != null) {
      throw Failure.usage("a knowledge base is named, " + kb + ", and --notes: leave out one");
    }
    Path named = kb != null ? kb : notes;
    if (memory && named != null) {
      throw Failure.usage(
          "--memory already selects the files to read: leave out --memory or " + named);
    }
    return Optional.ofNullable(named);
  }

  /** Returns the named or default knowledge base, updated from its notes; fails if none exists. */
  public Kb find(Settings settings) {
    Kb found = locate(settings);
    refresh();
    return found;
  }

  /** Does the same as {@link #find}, but does not update a log that is made from notes. */
  public Kb locate(Settings settings) {
    Optional<Path> named = named();
    if (memory) {
      read = NotesKb.ofMemory(Path.of(""), GlobalOptions.locations().home(), settings);
    } else if (notes != null) {
      read = NotesKb.at(notes, settings);
    }
    return read == null ? Kb.find(named, settings, GlobalOptions.locations()) : read.kb();
  }

  /** Updates the log of the located knowledge base from its notes, if it has notes. */
  public void refresh() {
    Optional.ofNullable(read)
        .flatMap(NotesKb::refresh)
        .flatMap(NotesAccount::words)
        .ifPresent(warnings);
  }

  /** Returns the paths of the memory files that were read; empty without --memory. */
  public Optional<String> places(Settings settings, Kb read) {
    return Optional.of(read)
        .filter(_ -> memory)
        .flatMap(kb -> NotesKb.of(kb, settings))
        .flatMap(NotesKb::account)
        .map(
            account ->
                account.memory().stream().map(MemoryFile::path).collect(Collectors.joining(", ")));
  }

  /** Returns arguments that name the same knowledge base in another command. */
  public String again() {
    return memory
        ? " --memory"
        : named()
            .map(path -> (notes == null ? " " : " --notes ") + Console.shellWord(path.toString()))
            .orElse("");
  }
}
