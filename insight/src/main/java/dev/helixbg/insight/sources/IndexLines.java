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
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds wrong lines in indexes of memory files: lines whose target does not exist, or has none of
 * the line's words. Each index has at most one finding for each of these two faults.
 */
public final class IndexLines {
  private static final int LISTED = 20;

  private IndexLines() {}

  public static List<MovedSource> of(NotesAccount notes, List<NamedEntry> entries) {
    FindingIds ids = new FindingIds();
    List<MovedSource> found = new ArrayList<>();
    for (MemoryFile file : notes.memory()) {
      Map<Boolean, List<IndexLine>> wrong =
          file.index().stream().collect(Collectors.partitioningBy(IndexLine::isGone));
      Stream.of(wrong.get(true), wrong.get(false))
          .filter(lines -> !lines.isEmpty())
          .flatMap(
              lines ->
                  entry(file, lines.getFirst(), entries)
                      .map(entry -> finding(file, lines, entry, ids))
                      .stream())
          .forEach(found::add);
    }
    return found;
  }

  /** Returns a finding on all lines with the same fault; it names the target of the first line. */
  private static MovedSource finding(
      MemoryFile file, List<IndexLine> lines, NamedEntry entry, FindingIds ids) {
    IndexLine first = lines.getFirst();
    List<String> targets = lines.stream().map(IndexLine::target).toList();
    List<String> places = lines.stream().map(line -> "" + line.line()).limit(LISTED).toList();
    int more = lines.size() - places.size();
    return new MovedSource(
        ids.of("line", file.path(), String.join("\n", targets)),
        entry,
        first.isGone() ? SourceChange.LINE_DEAD : SourceChange.LINE_WRONG,
        "",
        first.target(),
        file.path() + ":" + String.join(", ", places) + (more > 0 ? ", and " + more + " more" : ""),
        Optional.empty(),
        Optional.empty());
  }

  /** Returns the last fact at or before a line. If there is none, returns the first entry. */
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
    return one.text().position().map(Position::line).orElse(0);
  }
}
