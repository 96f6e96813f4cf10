package dev.helixbg.insight.sources;

import dev.helixbg.insight.findings.Finding.MovedSource;
import dev.helixbg.insight.findings.Finding.Since;
import dev.helixbg.insight.findings.Finding.SourceChange;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.sources.GitHistory.Change;
import dev.helixbg.insight.sources.GitHistory.Trail;
import dev.helixbg.insight.sources.GitHistory.Version;
import dev.helixbg.insight.sources.SourceCheck.Outcome;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * One pass over entries and one repository: the files that the entries name, as they were when they
 * were written, and what became of them.
 */
final class RepositoryCheck {
  /** Who writes a note commits what it tells of a little later. */
  private static final long GRACE_SECONDS = 3_600;

  private final String name;
  private final ZoneId zone;
  private final GitHistory history;

  /**
   * @param name of the repository's folder
   */
  RepositoryCheck(String name, GitHistory history, ZoneId zone) {
    this.name = name;
    this.history = history;
    this.zone = zone;
  }

  /** Returns the outcome for each entry. */
  Map<NamedEntry, Outcome> of(List<NamedEntry> entries) {
    Map<NamedEntry, Outcome> outcomes = new LinkedHashMap<>();
    for (NamedEntry entry : entries) {
      int position = position(entry);
      List<MovedSource> moved = new ArrayList<>();
      Set<String> present = new HashSet<>();
      for (SourceMentions.File file : SourceMentions.of(entry.entry()).files()) {
        Optional<String> path = path(file, position);
        path.filter(history.files()::contains).ifPresent(_ -> present.add(file.written()));
        path.flatMap(known -> history.at(known, position))
            .flatMap(then -> gone(entry, file, then))
            .ifPresent(moved::add);
      }
      outcomes.put(entry, new Outcome(moved, present));
    }
    return outcomes;
  }

  private int position(NamedEntry entry) {
    long minutes = entry.entry().timestampMin();
    if (minutes == 0) {
      return history.positionAt(Long.MIN_VALUE);
    }
    long seconds =
        LocalDateTime.ofEpochSecond(60 * minutes, 0, ZoneOffset.UTC).atZone(zone).toEpochSecond();
    return history.positionAt(seconds + GRACE_SECONDS);
  }

  /**
   * The file that is meant. One that is there is preferred to one that was: then a name does not
   * miss anything.
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
    List<String> here = ending.stream().filter(history.files()::contains).toList();
    if (!here.isEmpty()) {
      return here.size() == 1 ? Optional.of(here.getFirst()) : Optional.empty();
    }
    // Candidates are the files that existed then; else, for a note older than its file, the one
    // that came.
    List<Version> then =
        ending.stream().flatMap(one -> history.at(one, position).stream()).toList();
    List<Version> there = then.stream().filter(one -> one.at() == position).toList();
    List<Version> meant = there.isEmpty() ? then : there;
    return meant.size() == 1 ? Optional.of(meant.getFirst().path()) : Optional.empty();
  }

  /** Returns the finding that a file is gone; empty where it exists, or came back. */
  private Optional<MovedSource> gone(NamedEntry entry, SourceMentions.File file, Version then) {
    if (history.files().contains(then.path())) {
      return Optional.empty();
    }
    Trail trail = history.since(then);
    Optional<Change> going =
        trail.changes().stream()
            .filter(one -> one.finds(then.path()) && !one.leaves(then.path()))
            .reduce((_, last) -> last);
    return going.map(
        change -> {
          GitHistory.Commit commit = history.commit(change.at());
          return new MovedSource(
              "",
              entry,
              SourceChange.GONE,
              name,
              file.written(),
              then.path(),
              trail.path().filter(SourceMentions::isPlace),
              Optional.of(new Since(trail.changes().size(), commit.shortId(), commit.date())));
        });
  }
}
