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
 * Removals and renames of a repository's files, commit by commit along the first parents. A commit
 * is named by its position, 0 for the newest.
 */
final class GitHistory {
  /**
   * @param seconds since 1970 when it was committed
   * @param date of that day where it was committed, {@code yyyy-MM-dd}
   */
  record Commit(String id, long seconds, String date) {}

  /**
   * The end of a file under its path.
   *
   * @param at position of the commit
   * @param to path afterwards; nothing for a deleted file
   */
  record Removal(int at, Optional<String> to) {}

  /**
   * The last removal of a file since some commit.
   *
   * @param now the path that it has; nothing where it was deleted
   */
  record Gone(Commit since, Optional<String> now) {}

  private final List<Commit> commits = new ArrayList<>();

  /** By path, newest first. */
  private final Map<String, List<Removal>> removals = new HashMap<>();

  /** Position of the commit that first brought each path. */
  private final Map<String, Integer> arrivals = new HashMap<>();

  private final Set<String> files;
  private final Map<String, Set<String>> byName = new HashMap<>();

  /**
   * @param log as {@link GitCommand#log} has it; may end anywhere
   * @param files of the newest commit
   */
  GitHistory(byte[] log, Set<String> files) {
    this.files = files;
    parse(new String(log, StandardCharsets.UTF_8));
    files.forEach(this::name);
    removals.keySet().forEach(this::name);
  }

  private void name(String path) {
    String name = path.substring(path.lastIndexOf('/') + 1);
    byName.computeIfAbsent(name, _ -> new LinkedHashSet<>()).add(path);
  }

  private void parse(String log) {
    String[] tokens = log.substring(0, log.lastIndexOf('\0') + 1).split("\0");
    for (int i = 0; i < tokens.length; i++) {
      String token = tokens[i].strip();
      if (token.startsWith("\u0001")) {
        String[] parts = token.substring(1).split(" ");
        commits.add(new Commit(parts[0], Long.parseLong(parts[1]), parts[2]));
      } else if (token.startsWith("R") && i + 2 < tokens.length) {
        removed(tokens[++i], Optional.of(tokens[i + 1]));
        arrivals.put(tokens[++i], commits.size() - 1);
      } else if (++i < tokens.length && token.equals("D")) {
        removed(tokens[i], Optional.empty());
      } else if (i < tokens.length && token.equals("A")) {
        arrivals.put(tokens[i], commits.size() - 1);
      }
    }
  }

  private void removed(String path, Optional<String> to) {
    removals.computeIfAbsent(path, _ -> new ArrayList<>()).add(new Removal(commits.size() - 1, to));
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
    return files.contains(path) || removals.containsKey(path);
  }

  /** Whether a file first came after a commit. */
  boolean cameAfter(int position, String path) {
    return arrivals.getOrDefault(path, position) < position;
  }

  /** Follows a file from a commit on; empty where it was not removed since. */
  Optional<Gone> gone(String path, int position) {
    Optional<Removal> last = Optional.empty();
    String current = path;
    Optional<Removal> next = removal(current, position);
    while (next.isPresent()) {
      last = current.equals(path) ? next : last;
      current = next.get().to().orElse(current);
      next = removal(current, next.get().at());
    }
    Optional<String> now = Optional.of(current).filter(files::contains);
    return last.map(removal -> new Gone(commits.get(removal.at()), now));
  }

  /** The first removal of a path after a commit. */
  private Optional<Removal> removal(String path, int position) {
    return removals.getOrDefault(path, List.of()).reversed().stream()
        .filter(one -> one.at() < position)
        .findFirst();
  }
}
