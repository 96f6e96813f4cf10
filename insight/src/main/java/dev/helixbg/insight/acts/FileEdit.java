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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * The change that an act makes in one file of facts, planned for the file's present bytes.
 *
 * @param sha256 SHA-256 of the present bytes, in hex
 * @param spans changed places, in order
 */
public record FileEdit(String file, String sha256, List<FactFile.Span> spans) {

  /**
   * Returns the edits of an act that removes facts. The act may also give one fact a new text. The
   * list is empty for other acts, and if the files no longer contain the facts.
   */
  public static List<FileEdit> of(Change change, Supplier<NoteFiles> notes, NotesItems items) {
    Map<Entry, String> instead = new LinkedHashMap<>();
    List<NamedEntry> gone = List.of();
    if (change instanceof Change.Rewrite rewrite) {
      instead.put(rewrite.kept().entry(), rewrite.text());
      gone = rewrite.gone();
    } else if (change instanceof Change.Remove remove) {
      gone = remove.gone();
    }
    List<Entry> changed = new ArrayList<>(instead.keySet());
    gone.forEach(one -> changed.add(one.entry()));
    if (changed.isEmpty() || !changed.stream().allMatch(Entry::isFact)) {
      return List.of();
    }
    Map<String, List<Entry>> byFile =
        changed.stream()
            .collect(
                Collectors.groupingBy(
                    one -> one.note().orElseThrow(), LinkedHashMap::new, Collectors.toList()));
    NoteFiles files = notes.get();
    List<FileEdit> edits = new ArrayList<>();
    for (Map.Entry<String, List<Entry>> one : byFile.entrySet()) {
      Map<Entry, String> ofFile = new HashMap<>(instead);
      ofFile.keySet().retainAll(one.getValue());
      one.getValue().removeAll(ofFile.keySet());
      of(one.getKey(), one.getValue(), ofFile, files, items).ifPresent(edits::add);
    }
    return edits.size() == byFile.size() ? edits : List.of();
  }

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
    try {
      PrivateFiles.requireFile(file.get());
      byte[] bytes = Files.readAllBytes(file.get());
      return FactFile.of(path, bytes, files.named(), items)
          .flatMap(facts -> facts.without(gone, instead))
          .map(spans -> new FileEdit(file.get().toString(), Sha256.of(bytes), spans));
    } catch (IOException e) {
      return Optional.empty(); // the file cannot be read at the moment
    }
  }
}
