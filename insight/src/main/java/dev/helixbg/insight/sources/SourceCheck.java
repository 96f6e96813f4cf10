package dev.helixbg.insight.sources;

import dev.helixbg.config.Sha256;
import dev.helixbg.insight.findings.Finding;
import dev.helixbg.insight.findings.Finding.MovedSource;
import dev.helixbg.insight.findings.Finding.Since;
import dev.helixbg.insight.findings.Finding.SourceChange;
import dev.helixbg.insight.findings.FindingIds;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.sources.GitCommand.SourceException;
import dev.helixbg.insight.sources.GitCommand.UnreadableException;
import dev.helixbg.insight.sources.GitHistory.Commit;
import dev.helixbg.insight.sources.RepositoryCheck.Missing;
import dev.helixbg.insight.sources.RepositoryCheck.Outcome;
import java.nio.file.Path;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Finds files that entries name, but that are missing in the commits that are checked out in the
 * user's repositories. While a folder stays at its commit, only new entries are checked. Not
 * thread-safe.
 */
public final class SourceCheck {
  /** Maximum number of findings about one entry. */
  private static final int MAX_FINDINGS = 5;

  /** Length of an abbreviated commit id, in digits. */
  private static final int COMMIT = 10;

  private static final String SHALLOW =
      "it is a shallow clone, so files that were removed before its first commit are not found; to"
          + " get the whole history: git fetch --unshallow";

  private final List<Path> folders;
  private final ZoneId zone;
  private final Map<Path, Known> known = new HashMap<>();

  /** Outcomes for entries at a commit, by {@link #identity}. An unreadable commit is tried once. */
  private record Known(
      GitRepository repository, Map<String, Outcome> about, AtomicBoolean isUnreadable) {
    Known(GitRepository repository) {
      this(repository, new HashMap<>(), new AtomicBoolean());
    }
  }

  /** Checks folders with one repository each. Times of entries are local times of {@code zone}. */
  public SourceCheck(List<Path> folders, ZoneId zone) {
    this.folders = folders;
    this.zone = zone;
  }

  /** Returns a hash, in hex, that changes when the commit or the history of a folder changes. */
  public static String state(List<Path> folders) {
    List<String> parts = new ArrayList<>();
    for (Path folder : folders) {
      parts.add(folder.toString());
      try {
        GitRepository repository = GitRepository.in(folder);
        parts.add(repository.commit() + repository.shallow());
      } catch (SourceException e) {
        parts.add(e.getMessage());
      }
    }
    return Sha256.of(parts);
  }

  /** Returns the files that change when a commit or a history changes; some may not exist. */
  public static List<Path> watched(List<Path> folders) {
    return folders.stream().flatMap(folder -> GitRepository.watched(folder).stream()).toList();
  }

  public SourceCheckResult of(List<NamedEntry> entries) throws InterruptedException {
    List<SourceCheckResult.Folder> looked = new ArrayList<>();
    List<Map<String, Outcome>> outcomes = new ArrayList<>();
    known.keySet().retainAll(folders);
    for (Path folder : folders) {
      String name = String.valueOf(folder.getFileName());
      try {
        Known found = look(folder, entries);
        outcomes.add(found.about);
        String commit = found.repository.commit().substring(0, COMMIT);
        Optional<String> trouble =
            Optional.of(SHALLOW).filter(_ -> !found.repository.shallow().isEmpty());
        looked.add(new SourceCheckResult.Folder(name, Optional.of(commit), trouble));
      } catch (SourceException e) {
        if (Thread.interrupted()) {
          throw (InterruptedException) new InterruptedException().initCause(e);
        }
        looked.add(
            new SourceCheckResult.Folder(name, Optional.empty(), Optional.of(e.getMessage())));
      }
    }
    return new SourceCheckResult(looked, together(entries, outcomes));
  }

  private Known look(Path folder, List<NamedEntry> entries) throws SourceException {
    GitRepository repository = GitRepository.in(folder);
    Known now =
        known.compute(
            folder,
            (_, old) ->
                old != null && old.repository.equals(repository) ? old : new Known(repository));
    Map<String, NamedEntry> fresh = new HashMap<>();
    entries.forEach(entry -> fresh.put(identity(entry), entry));
    now.about.keySet().retainAll(fresh.keySet());
    fresh.keySet().removeAll(now.about.keySet());
    fresh.values().removeIf(entry -> SourceMentions.of(entry.entry()).isEmpty());
    if (fresh.isEmpty()) {
      return now;
    }
    if (now.isUnreadable.get()) {
      throw new UnreadableException();
    }
    try (GitCommand git = GitCommand.of(repository)) {
      RepositoryCheck check =
          new RepositoryCheck(repository.name(), new GitHistory(git.log(), git.files()), zone);
      fresh.forEach(
          (identity, entry) ->
              now.about.put(identity, check.of(entry, SourceMentions.of(entry.entry()))));
      return now;
    } catch (UnreadableException e) {
      now.isUnreadable.set(!Thread.currentThread().isInterrupted());
      throw e;
    }
  }

  /** Returns the data of an entry on which its findings depend. */
  private static String identity(NamedEntry entry) {
    return entry.key() + entry.entry().timestampMin() + "\n" + entry.text().source().orElse("");
  }

  /**
   * Joins the outcomes of all folders. A file that is present in any folder is not missing. A file
   * that is missing in several folders counts once.
   */
  private static List<MovedSource> together(
      List<NamedEntry> entries, List<Map<String, Outcome>> outcomes) {
    FindingIds ids = new FindingIds();
    List<MovedSource> moved = new ArrayList<>();
    for (NamedEntry entry : entries) {
      String identity = identity(entry);
      List<Outcome> all =
          outcomes.stream().map(one -> one.getOrDefault(identity, Outcome.NOTHING)).toList();
      Set<String> known = new HashSet<>();
      all.forEach(one -> known.addAll(one.present()));
      all.stream()
          .flatMap(one -> one.missing().stream())
          .filter(one -> known.add(one.named()))
          .limit(MAX_FINDINGS)
          .forEach(one -> moved.add(moved(entry, one, ids)));
    }
    return List.copyOf(moved);
  }

  private static MovedSource moved(NamedEntry entry, Missing one, FindingIds ids) {
    Commit commit = one.gone().since();
    return new MovedSource(
        ids.of("source", entry.key(), SourceChange.GONE.title(), one.named()),
        entry,
        SourceChange.GONE,
        one.folder(),
        one.named(),
        one.path(),
        one.gone().now().filter(SourceMentions::isPlace),
        Optional.of(new Since(commit.id().substring(0, COMMIT), commit.date())));
  }

  /** The folders, in the order of the settings; the missing files, in the order of the entries. */
  public record SourceCheckResult(List<Folder> folders, List<Finding.MovedSource> moved) {
    /** Puts findings on wrong lines of indexes before the other findings. */
    public SourceCheckResult with(List<Finding.MovedSource> lines) {
      return new SourceCheckResult(folders, Stream.concat(lines.stream(), moved.stream()).toList());
    }

    public SourceCheckResult without(Predicate<Finding.MovedSource> some) {
      return new SourceCheckResult(folders, moved.stream().filter(some.negate()).toList());
    }

    /**
     * A folder's name, and its abbreviated commit if the repository could be read. The trouble is
     * the reason why the repository could not be read, or was not read completely.
     */
    public record Folder(String name, Optional<String> commit, Optional<String> trouble) {}
  }
}
