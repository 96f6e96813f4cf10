package dev.helixbg.insight.sources;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The history of the files of a repository, commit by commit along the first parents. A commit is
 * named by its position, 0 for the newest.
 */
final class GitHistory {
  private static final int MAX_STEPS = 1_000;

  /**
   * @param seconds since 1970 when it was committed
   * @param date of that day where it was committed, {@code yyyy-MM-dd}
   */
  record Commit(String id, long seconds, String date) {
    /** Returns the id as people write it. */
    String shortId() {
      return id.substring(0, 10);
    }
  }

  /**
   * The change of one file by one commit.
   *
   * @param at position of the commit
   * @param from path before, nothing for a new file
   * @param to path afterwards, nothing for a deleted file
   */
  record Change(int at, Optional<String> from, Optional<String> to) {

    boolean leaves(String path) {
      return to.filter(path::equals).isPresent();
    }

    boolean finds(String path) {
      return from.filter(path::equals).isPresent();
    }
  }

  /**
   * A file at some time.
   *
   * @param at position of the commit after which it is this one
   */
  record Version(String path, int at) {}

  /**
   * The later changes of a file.
   *
   * @param changes of it since, oldest first
   * @param path it has now; empty where it was deleted, which is the last change then
   */
  record Trail(List<Change> changes, Optional<String> path) {}

  private final List<Commit> commits = new ArrayList<>();
  private final Map<String, List<Change>> changes = new HashMap<>();
  private final Set<String> files;
  private final Map<String, Set<String>> byName = new HashMap<>();

  /**
   * @param log as {@link GitCommand#log} has it; may end anywhere
   * @param files of the newest commit
   */
  GitHistory(byte[] log, Set<String> files) {
    this.files = files;
    parse(log);
    files.forEach(this::name);
    changes.keySet().forEach(this::name);
  }

  private void name(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    byName.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(path);
  }

  private void parse(byte[] log) {
    int position = 0;
    for (int[] next = {0}; next[0] < log.length; ) {
      Optional<String> token = token(log, next).map(String::stripLeading);
      if (token.isEmpty()) {
        return;
      }
      if (token.get().startsWith("\u0001")) {
        String[] parts = token.get().strip().substring(1).split(" ");
        commits.add(new Commit(parts[0], Long.parseLong(parts[1]), parts[2]));
        position = commits.size() - 1;
      } else if (token.get().startsWith(":")) {
        String[] parts = token.get().substring(1).split(" "); // modes, ids, status
        Optional<String> path = token(log, next);
        boolean renamed = parts[4].startsWith("R");
        Optional<String> other = renamed ? token(log, next) : path;
        if (other.isEmpty()) {
          return;
        }
        boolean was = parts[0].startsWith("100");
        boolean is = parts[1].startsWith("100");
        add(new Change(position, path.filter(_ -> was), other.filter(_ -> is)));
      }
    }
  }

  private void add(Change change) {
    change.from().ifPresent(path -> list(path).add(change));
    change.to().filter(path -> !change.finds(path)).ifPresent(path -> list(path).add(change));
  }

  private List<Change> list(String path) {
    return changes.computeIfAbsent(path, _ -> new ArrayList<>());
  }

  /** Up to the next NUL; empty where the log ends before. */
  private static Optional<String> token(byte[] log, int[] next) {
    int start = next[0];
    for (int i = start; i < log.length; i++) {
      if (log[i] == 0) {
        next[0] = i + 1;
        return Optional.of(new String(log, start, i - start, StandardCharsets.UTF_8));
      }
    }
    next[0] = log.length;
    return Optional.empty();
  }

  Commit commit(int position) {
    return commits.get(position);
  }

  /**
   * Returns the position of the newest commit that is not newer than this time; the number of
   * commits where all are newer.
   */
  int positionAt(long seconds) {
    for (int i = 0; i < commits.size(); i++) {
      if (commits.get(i).seconds() <= seconds) {
        return i;
      }
    }
    return commits.size();
  }

  /** The files of the newest commit. */
  Set<String> files() {
    return files;
  }

  /** All that there are or ever were of a name, without folders. */
  Collection<String> pathsOfName(String name) {
    return byName.getOrDefault(name, Set.of());
  }

  boolean hasEver(String path) {
    return files.contains(path) || changes.containsKey(path);
  }

  /**
   * The file as it was after a commit; as it was first, where it came later only.
   *
   * @return empty where it was not there, before or after
   */
  Optional<Version> at(String path, int position) {
    List<Change> all = changes.getOrDefault(path, List.of());
    for (Change change : all) {
      if (change.at() >= position) {
        return Optional.of(new Version(path, position)).filter(_ -> change.leaves(path));
      }
    }
    if (all.isEmpty()) {
      return Optional.of(new Version(path, position)).filter(_ -> files.contains(path));
    }
    Change first = all.getLast();
    return Optional.of(new Version(path, first.finds(path) ? position : first.at()));
  }

  /** Returns the changes of a file since a version. */
  Trail since(Version version) {
    List<Change> trail = new ArrayList<>();
    String current = version.path();
    int before = version.at();
    while (trail.size() < MAX_STEPS) {
      Optional<Change> next = next(current, before);
      if (next.isEmpty()) {
        return new Trail(trail, Optional.of(current).filter(files::contains));
      }
      trail.add(next.get());
      before = next.get().at();
      current = next.get().to().orElse(current);
    }
    return new Trail(trail, Optional.empty());
  }

  /** The first change of a path after a commit. */
  private Optional<Change> next(String path, int before) {
    List<Change> all = changes.getOrDefault(path, List.of());
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).at() < before) {
        return Optional.of(all.get(i));
      }
    }
    return Optional.empty();
  }
}
