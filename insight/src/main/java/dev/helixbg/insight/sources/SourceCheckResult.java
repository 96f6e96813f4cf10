package dev.helixbg.insight.sources;

import dev.helixbg.insight.findings.Finding;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * What became of the source code that entries tell of.
 *
 * @param folders that were looked at, in the order of the settings
 * @param moved files that are gone first, then identifiers, then what changed, each in the order of
 *     their entries
 */
public record SourceCheckResult(List<Folder> folders, List<Finding.MovedSource> moved) {
  /** Where no folders are named. */
  public static final SourceCheckResult NONE = new SourceCheckResult(List.of(), List.of());

  /** Without some of the findings. */
  public SourceCheckResult without(Predicate<Finding.MovedSource> some) {
    return new SourceCheckResult(folders, moved.stream().filter(some.negate()).toList());
  }

  /**
   * A folder of sources.
   *
   * @param name its last part
   * @param commit that was checked out, as people write it; nothing where it could not be read
   * @param trouble why it could not be read
   */
  public record Folder(String name, Optional<String> commit, Optional<String> trouble) {}
}
