package dev.helixbg.insight.sources;

import dev.helixbg.insight.findings.Finding.MovedSource;
import dev.helixbg.insight.findings.Finding.SourceChange;
import dev.helixbg.insight.findings.FindingIds;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText.Position;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.MemoryFile.IndexLine;
import dev.helixbg.insight.notes.NotesAccount;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Lines of indexes of memory files that lead nowhere, as findings: one for a file. */
public final class IndexLines {
  private static final int LISTED = 20;

  private IndexLines() {}

  /**
   * @param entries of the notes
   */
  public static List<MovedSource> of(NotesAccount notes, List<NamedEntry> entries) {
    FindingIds ids = new FindingIds();
    return notes.memory().stream()
        .filter(file -> !file.index().isEmpty())
        .flatMap(file -> entry(file, entries).map(one -> finding(file, one, ids)).stream())
        .toList();
  }

  /** All lines of one file; the first target is what it names. */
  private static MovedSource finding(MemoryFile file, NamedEntry entry, FindingIds ids) {
    List<IndexLine> lines = file.index();
    List<String> targets = lines.stream().map(IndexLine::target).toList();
    List<String> places = lines.stream().map(line -> "" + line.line()).limit(LISTED).toList();
    int more = lines.size() - places.size();
    return new MovedSource(
        ids.of("line", file.path(), String.join("\n", targets)),
        entry,
        SourceChange.LINE_DEAD,
        "",
        lines.getFirst().target(),
        file.path() + ":" + String.join(", ", places) + (more > 0 ? ", and " + more + " more" : ""),
        Optional.empty(),
        Optional.empty());
  }

  /**
   * The last fact that begins at the first of the lines or before it, else the first entry of the
   * file.
   */
  private static Optional<NamedEntry> entry(MemoryFile file, List<NamedEntry> entries) {
    List<NamedEntry> of =
        entries.stream()
            .filter(one -> one.entry().note().filter(file.path()::equals).isPresent())
            .toList();
    return of.stream()
        .filter(one -> line(one) <= file.index().getFirst().line())
        .max(Comparator.comparingInt(IndexLines::line))
        .or(() -> of.stream().findFirst());
  }

  private static int line(NamedEntry one) {
    return one.entry().text().position().map(Position::line).orElse(0);
  }
}
