package dev.helixbg.daemon.watch;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.insight.sources.SourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What tells from outside whether a report would be another one now: the log, the language model,
 * the commits that are checked out in the folders of sources, and what was decided. What helix-bg
 * itself wrote is not looked at.
 *
 * @param model the file of the language model, if there is one
 * @param sources what tells of commits, in fixed order
 * @param decisions the copy of the decisions; empty before the first
 */
public record KbStamp(
    FileState log,
    Optional<FileState> model,
    List<Optional<FileState>> sources,
    Optional<FileState> decisions) {

  /**
   * @param model as {@link ModelFileWatch} sees it
   * @param folders of sources
   * @param decisions gives the file of their copy; asked only where there is a log
   * @throws IOException when the log is missing or cannot be looked at
   */
  static KbStamp of(
      Kb kb, Optional<FileState> model, List<Path> folders, Supplier<Path> decisions, KbFiles files)
      throws IOException {
    FileState log = files.state(kb.dataLog());
    return new KbStamp(
        log,
        model,
        SourceCheck.watched(folders).stream().map(files::stateOrNone).toList(),
        files.stateOrNone(decisions.get()));
  }
}
