package dev.helixbg.insight.sources;

import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.sources.GitHistory.Gone;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds files that an entry names, and that were removed from the repository after the entry was
 * written. The times of entries are local times of {@code zone}.
 */
record RepositoryCheck(String name, GitHistory history, ZoneId zone) {
  /** Time after a note within which the files that it names are often committed. */
  private static final long GRACE_SECONDS = 3_600;

  /** The files that an entry names: those that are missing, and the names of all others. */
  record Outcome(List<Missing> missing, Set<String> present) {
    static final Outcome NOTHING = new Outcome(List.of(), Set.of());
  }

  /** A file that is gone: its name as the entry writes it, and its path in the repository. */
  record Missing(String folder, String named, String path, Gone gone) {}

  Outcome of(NamedEntry entry, List<SourceMentions.File> files) {
    long written = written(entry);
    int position = history.positionAt(written + GRACE_SECONDS);
    List<Missing> missing = new ArrayList<>();
    Set<String> present = new HashSet<>();
    for (SourceMentions.File file : files) {
      Optional<String> path = path(file, position);
      if (path.filter(history::isPresent).isPresent()) {
        present.add(file.written());
      } else {
        path.flatMap(known -> history.gone(known, position))
            .filter(gone -> gone.since().authored() > written)
            .map(gone -> new Missing(name, file.written(), path.get(), gone))
            .ifPresent(missing::add);
      }
    }
    return new Outcome(missing, present);
  }

  /** Returns an entry's time in seconds since 1970; {@link Long#MIN_VALUE} if it has none. */
  private long written(NamedEntry entry) {
    long minutes = entry.entry().timestampMin();
    if (minutes == 0) {
      return Long.MIN_VALUE;
    }
    return LocalDateTime.ofEpochSecond(60 * minutes, 0, ZoneOffset.UTC)
        .atZone(zone)
        .toEpochSecond();
  }

  /**
   * Finds the path that an entry refers to: the exact path, if a file has or had it; otherwise, the
   * only path that ends with the name in the entry. Paths of existing files come first, because a
   * mention of an existing file is not a finding.
   */
  private Optional<String> path(SourceMentions.File file, int position) {
    String path = file.path();
    List<String> exact = new ArrayList<>(List.of(path));
    if (path.startsWith(name + "/")) {
      exact.add(path.substring(name.length() + 1));
    }
    int inside = path.lastIndexOf("/" + name + "/");
    if (inside >= 0) {
      exact.add(path.substring(inside + name.length() + 2));
    }
    Optional<String> known = exact.stream().filter(history::hasEver).findFirst();
    if (known.isPresent() || !file.hasExtension() || path.startsWith("/") || path.startsWith("~")) {
      return known;
    }
    List<String> ending =
        history.pathsOfName(file.name()).stream()
            .filter(one -> one.endsWith("/" + path))
            .sorted()
            .toList();
    List<String> here = ending.stream().filter(history::isPresent).toList();
    if (!here.isEmpty()) {
      return only(here);
    }
    // Candidates are the files that existed when the note was written. If there were none, the note
    // may be older than its file, and files added later are candidates.
    List<String> gone =
        ending.stream().filter(one -> history.gone(one, position).isPresent()).toList();
    List<String> there = gone.stream().filter(one -> !history.cameAfter(position, one)).toList();
    return only(there.isEmpty() ? gone : there);
  }

  private static Optional<String> only(List<String> paths) {
    return paths.size() == 1 ? Optional.of(paths.getFirst()) : Optional.empty();
  }
}
