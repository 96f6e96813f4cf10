package dev.helixbg.insight.sources;

import dev.helixbg.config.text.NormalForm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Removals and renames of files along the first parents. The newest commit has position 0. */
final class GitHistory {
  private static final Pattern DATED_COMMIT =
      Pattern.compile("\u0001([0-9a-f]+) (\\d{1,18}) (\\d{1,18}) (\\d{4,}-\\d\\d-\\d\\d)");

  /**
   * A commit, its times in seconds since 1970, and its committer date, {@code yyyy-MM-dd}.
   *
   * @param authored the time at which the change was first committed, which a rebase keeps
   */
  record Commit(String id, long seconds, long authored, String date) {}

  /**
   * The removal of a file from its path by the commit at the position {@code at}. A renamed file
   * has a new path, {@code to}.
   */
  record Removal(int at, Optional<String> to) {}

  /**
   * A file that is no longer at its path.
   *
   * @param since the last commit that removed the file from the path
   * @param now the present path; empty for a deleted file
   */
  record Gone(Commit since, Optional<String> now) {}

  private final List<Commit> commits = new ArrayList<>();

  /** Removals by path, newest first. */
  private final Map<String, List<Removal>> removals = new HashMap<>();

  /** Position of the commit that first added each path. */
  private final Map<String, Integer> arrivals = new HashMap<>();

  private final Set<String> files;
  private final Map<String, Set<String>> byName = new HashMap<>();

  /** Reads the output of {@link GitCommand#log}, which may be cut off. Converts paths to NFC. */
  GitHistory(byte[] log, Set<String> files) {
    this.files = files.stream().map(NormalForm::composed).collect(Collectors.toSet());
    parse(NormalForm.composed(new String(log, StandardCharsets.UTF_8)));
    this.files.forEach(this::name);
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
        Matcher dated = DATED_COMMIT.matcher(token);
        commits.add(
            dated.matches()
                ? new Commit(
                    dated.group(1),
                    Long.parseLong(dated.group(2)),
                    Long.parseLong(dated.group(3)),
                    dated.group(4))
                // later than all entries, so that no entry is compared with this commit
                : new Commit(
                    token.substring(1).split(" ")[0],
                    Long.MAX_VALUE,
                    Long.MAX_VALUE,
                    "an unknown date"));
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
   * Returns the position of the last commit at or before a time in seconds since 1970. If there is
   * none, returns the number of commits.
   */
  int positionAt(long seconds) {
    return IntStream.range(0, commits.size())
        .filter(i -> commits.get(i).seconds() <= seconds)
        .findFirst()
        .orElse(commits.size());
  }

  /**
   * Whether a path exists in the newest commit. A path inside a submodule or a link counts as
   * present, because git does not list the files there.
   */
  boolean isPresent(String path) {
    int slash = path.lastIndexOf('/');
    return files.contains(path) || slash > 0 && isPresent(path.substring(0, slash));
  }

  /** Returns all present and past paths of files with this name. */
  Collection<String> pathsOfName(String name) {
    return byName.getOrDefault(name, Set.of());
  }

  boolean hasEver(String path) {
    return files.contains(path) || removals.containsKey(path);
  }

  /** Whether a file was added after the commit at {@code position}. */
  boolean cameAfter(int position, String path) {
    return arrivals.getOrDefault(path, position) < position;
  }

  /** Follows a file after a commit; empty if no later commit removed the file from its path. */
  Optional<Gone> gone(String path, int position) {
    Optional<Removal> last = Optional.empty();
    String current = path;
    Optional<Removal> next = removal(current, position);
    while (next.isPresent()) {
      last = current.equals(path) ? next : last;
      current = next.get().to().orElse(current);
      next = removal(current, next.get().at());
    }
    Optional<String> now = Optional.of(current).filter(this::isPresent);
    return last.map(removal -> new Gone(commits.get(removal.at()), now));
  }

  /** Returns the first removal of a path after the commit at {@code position}. */
  private Optional<Removal> removal(String path, int position) {
    return removals.getOrDefault(path, List.of()).reversed().stream()
        .filter(one -> one.at() < position)
        .findFirst();
  }
}
