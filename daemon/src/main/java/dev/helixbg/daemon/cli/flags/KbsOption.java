package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.NotesKb;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Model.OptionSpec;

/** Options that name the knowledge bases of commands that accept several. */
public final class KbsOption implements Declaration.Shared {
  private List<Path> options = List.of();
  private List<Path> notes = List.of();

  @Override
  public void declare(Declaration to) {
    to.addAll(
        OptionSpec.builder("--kb")
            .paramLabel("FOLDER")
            .description(
                "Folder of a knowledge base; the same as the argument kb. May be repeated."),
        Path.class,
        given -> options = given);
    to.addAll(
        OptionSpec.builder("--notes")
            .paramLabel("FOLDER")
            .description("Folder of Markdown notes, read as a knowledge base. May be repeated."),
        Path.class,
        given -> notes = given);
  }

  /** Returns the named knowledge bases, each once. */
  public List<Kb> named(List<Path> arguments) {
    return unique(Stream.concat(arguments.stream(), options.stream()).map(Kb::named));
  }

  /**
   * Returns the named KBs, then the KBs made from the named notes. A KB made from notes may have no
   * log yet.
   */
  public List<Kb> named(List<Path> arguments, Settings settings) {
    return unique(
        Stream.concat(
            named(arguments).stream(),
            notes().stream().map(folder -> NotesKb.at(folder, settings).make())));
  }

  private static List<Kb> unique(Stream<Kb> kbs) {
    List<Kb> unique = new ArrayList<>();
    kbs.filter(kb -> unique.stream().noneMatch(kb::isSame)).forEachOrdered(unique::add);
    return unique;
  }

  /** Returns the absolute paths of the named folders of notes. */
  public List<Path> notes() {
    return notes.stream().map(folder -> folder.toAbsolutePath().normalize()).toList();
  }
}
