package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.NotesKb;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Option;

/** Names the knowledge bases of commands that take several folders: each by --kb as well. */
public final class KbsOption {
  @Option(
      names = "--kb",
      paramLabel = "FOLDER",
      description = "Folder of a knowledge base, like the argument kb. May be repeated.")
  private List<Path> options = List.of();

  @Option(
      names = "--notes",
      paramLabel = "FOLDER",
      description = "Folder of Markdown notes, read as a knowledge base. May be repeated.")
  private List<Path> notes = List.of();

  /**
   * The knowledge bases that are named, each once.
   *
   * @param arguments those named without the option
   */
  public List<Kb> named(List<Path> arguments) {
    return Stream.concat(arguments.stream(), options.stream()).map(Kb::named).distinct().toList();
  }

  /** The same, and after them what folders of notes are read as, which may not be made yet. */
  public List<Kb> named(List<Path> arguments, Settings settings) {
    return Stream.concat(
            named(arguments).stream(),
            notes().stream().map(folder -> NotesKb.at(folder, settings).make()))
        .distinct()
        .toList();
  }

  /** The folders of notes that are named, absolute. */
  public List<Path> notes() {
    return notes.stream().map(folder -> folder.toAbsolutePath().normalize()).toList();
  }
}
