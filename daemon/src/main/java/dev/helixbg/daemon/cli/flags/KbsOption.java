package dev.helixbg.daemon.cli.flags;

import dev.helixbg.config.Settings;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.NotesKb;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

public final class KbsOption implements Declaration.Shared {
  private List<Path> options = List.of();
  private List<Path> notes = List.of();

  @Override
  public void declare(Declaration to) {
    to.options(
        "--kb=FOLDER",
        "Folder of a knowledge base; the same as the argument kb. May be repeated.",
        Path.class,
        given -> options = given);
    to.options(
        "--notes=FOLDER",
        "Folder of Markdown notes, read as a knowledge base. May be repeated.",
        Path.class,
        given -> notes = given);
  }

  public List<Kb> named(List<Path> arguments) {
    return unique(Stream.concat(arguments.stream(), options.stream()).map(Kb::named));
  }

  /** Returns the named KBs, and the KBs made from the named notes, which may not have a log yet. */
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

  public List<Path> notes() {
    return notes.stream().map(folder -> folder.toAbsolutePath().normalize()).toList();
  }
}
