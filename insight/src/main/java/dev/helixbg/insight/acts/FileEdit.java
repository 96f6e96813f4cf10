package dev.helixbg.insight.acts;

import dev.helixbg.config.Settings.NotesItems;
import dev.helixbg.config.Sha256;
import dev.helixbg.config.files.PrivateFiles;
import dev.helixbg.insight.acts.Act.Change;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.notes.FactFile;
import dev.helixbg.insight.notes.NoteFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The change that an act makes in one memory file, planned for the file's present bytes.
 *
 * @param sha256 SHA-256 of the present bytes, in hex
 * @param spans changed parts of the file, in order
 */
public record FileEdit(String file, String sha256, List<FactFile.Span> spans) {

  /**
   * Returns the edits, one for each file, of an act that removes facts. The act may also give one
   * fact a new text. The list is empty for other acts, and if the files no longer contain the
   * facts.
   */
  public static List<FileEdit> of(Change change, Supplier<NoteFiles> notes, NotesItems items) {
    Map<Entry, String> instead =
        change instanceof Change.Rewrite rewrite
            ? Map.of(rewrite.kept().entry(), rewrite.text())
            : Map.of();
    List<NamedEntry> gone =
        switch (change) {
          case Change.Rewrite rewrite -> rewrite.gone();
          case Change.Remove remove -> remove.gone();
          default -> List.of();
        };
    List<Entry> removed = gone.stream().map(NamedEntry::entry).toList();
    List<Entry> changed = Stream.concat(instead.keySet().stream(), removed.stream()).toList();
    if (changed.isEmpty() || !changed.stream().allMatch(Entry::isFact)) {
      return List.of();
    }
    NoteFiles files = notes.get();
    List<String> paths = changed.stream().map(one -> one.note().orElseThrow()).distinct().toList();
    List<FileEdit> edits =
        paths.stream().flatMap(path -> of(path, removed, instead, files, items).stream()).toList();
    return edits.size() == paths.size() ? edits : List.of();
  }

  /** Returns the edit of one file; the given facts may also be of other files. */
  private static Optional<FileEdit> of(
      String path,
      List<Entry> gone,
      Map<Entry, String> instead,
      NoteFiles files,
      NotesItems items) {
    Optional<Path> file = files.file(path);
    if (file.isEmpty()) {
      return Optional.empty();
    }
    Predicate<Entry> isHere = one -> one.note().orElseThrow().equals(path);
    Map<Entry, String> here = new HashMap<>(instead);
    here.keySet().removeIf(isHere.negate());
    try {
      PrivateFiles.requireFile(file.get());
      byte[] bytes = Files.readAllBytes(file.get());
      return FactFile.of(path, bytes, files.named(), items)
          .flatMap(facts -> facts.without(gone.stream().filter(isHere).toList(), here))
          .map(spans -> new FileEdit(file.get().toString(), Sha256.of(bytes), spans));
    } catch (IOException e) {
      return Optional.empty(); // the file cannot be read at the moment
    }
  }
}
