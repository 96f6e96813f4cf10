package dev.helixbg.insight.sources;

import dev.helixbg.insight.findings.Finding.MovedSource;
import dev.helixbg.insight.findings.Finding.SourceChange;
import dev.helixbg.insight.findings.FindingIds;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.EntryText.Position;
import dev.helixbg.insight.notes.MemoryFile;
import dev.helixbg.insight.notes.MemoryFile.IndexLine;
import dev.helixbg.insight.notes.NotesAccount;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Lines of indexes of memory files that lead nowhere, or elsewhere, as findings. */
public final class IndexLines {
  private IndexLines() {}

  /**
   * @param entries of the notes
   */
  public static List<MovedSource> of(NotesAccount notes, List<NamedEntry> entries) {
    FindingIds ids = new FindingIds();
    List<MovedSource> found = new ArrayList<>();
    for (MemoryFile file : notes.memory()) {
      for (IndexLine line : file.index()) {
        entry(file, line, entries)
            .ifPresent(
                entry ->
                    found.add(
                        new MovedSource(
                            ids.of("line", file.path(), line.target()),
                            entry,
                            line.isGone() ? SourceChange.LINE_DEAD : SourceChange.LINE_WRONG,
                            "",
                            line.target(),
                            file.path() + ":" + line.line(),
                            Optional.empty(),
                            Optional.empty())));
      }
    }
    return found;
  }

  /** The last fact that begins at the line or before it, else the first entry of the file. */
  private static Optional<NamedEntry> entry(
      MemoryFile file, IndexLine line, List<NamedEntry> entries) {
    List<NamedEntry> of =
        entries.stream()
            .filter(one -> one.entry().note().filter(file.path()::equals).isPresent())
            .toList();
    return of.stream()
        .filter(one -> line(one) <= line.line())
        .max(Comparator.comparingInt(IndexLines::line))
        .or(() -> of.stream().findFirst());
  }

  private static int line(NamedEntry one) {
    return one.entry().text().position().map(Position::line).orElse(0);
  }
}
