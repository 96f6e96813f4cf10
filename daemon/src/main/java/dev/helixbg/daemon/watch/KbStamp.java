package dev.helixbg.daemon.watch;

import dev.helixbg.config.files.FileState;
import dev.helixbg.daemon.kb.Kb;
import dev.helixbg.daemon.kb.KbFiles;
import dev.helixbg.daemon.kb.ReportFolder;
import dev.helixbg.daemon.kb.SealedReports;
import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.review.ReviewHistory;
import dev.helixbg.insight.sources.SourceCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What tells from outside whether anything about a KB has changed: its log, the language model, the
 * decisions on findings, what models said, which commits are checked out in the folders of sources,
 * and the files that helix-bg made of all that, which somebody may delete or damage.
 *
 * @param model the file of the language model, if there is one
 * @param sources what tells of commits in the folders of sources
 * @param said answers and reviews, like the others in fixed order; empty where there is none
 * @param entries the cache of entries' vectors, its keys and its journal
 * @param passages the same of passages
 * @param others decisions, reports and their seal
 */
public record KbStamp(
    FileState log,
    Optional<FileState> model,
    List<Optional<FileState>> sources,
    List<Optional<FileState>> said,
    List<Optional<FileState>> entries,
    List<Optional<FileState>> passages,
    List<Optional<FileState>> others) {

  /**
   * Without sources.
   *
   * @see #of(Kb, Optional, List, KbFiles)
   */
  public static KbStamp of(Kb kb, Optional<FileState> model, KbFiles files) throws IOException {
    return of(kb, model, List.of(), files);
  }

  /**
   * @param model as {@link ModelFileWatch} sees it; empty: not looked at
   * @param folders of sources
   * @throws IOException when the log is missing or cannot be looked at
   */
  static KbStamp of(Kb kb, Optional<FileState> model, List<Path> folders, KbFiles files)
      throws IOException {
    List<Optional<FileState>> sources = states(files, SourceCheck.watched(folders));
    return of(files.state(kb.dataLog()), model, sources, kb, files);
  }

  private static KbStamp of(
      FileState log,
      Optional<FileState> model,
      List<Optional<FileState>> sources,
      Kb kb,
      KbFiles files) {
    EmbeddingCache cache = new EmbeddingCache(kb.folder());
    return new KbStamp(
        log,
        model,
        sources,
        said(kb, files),
        states(files, files(cache)),
        states(files, files(cache.ofPassages())),
        others(kb, files));
  }

  /** The same log and model beside the other files as they are now. */
  KbStamp withOthers(Kb kb, KbFiles files) {
    return of(log, model, sources, kb, files);
  }

  /** The same with answers and reviews as another one has them. */
  KbStamp withSaidOf(KbStamp other) {
    return new KbStamp(log, model, sources, other.said, entries, passages, others);
  }

  /** The same with the vectors of passages as another one has them. */
  KbStamp withPassagesOf(KbStamp other) {
    return new KbStamp(log, model, sources, said, entries, other.passages, others);
  }

  /** The same with all vectors as they are now. */
  KbStamp withVectors(Kb kb, KbFiles files) {
    KbStamp now = of(log, model, sources, kb, files);
    return new KbStamp(log, model, sources, said, now.entries, now.passages, others);
  }

  /** Those of entries and of passages. */
  List<Optional<FileState>> vectors() {
    return Stream.concat(entries.stream(), passages.stream()).toList();
  }

  /**
   * Whether vectors wait in a journal, where no other program reads them.
   *
   * @param ofPassages whether those of passages count
   */
  public boolean vectorsWait(boolean ofPassages) {
    return entries.getFirst().isPresent() || ofPassages && passages.getFirst().isPresent();
  }

  private static List<Optional<FileState>> said(Kb kb, KbFiles files) {
    return states(files, List.of(kb.answers(), kb.insights().resolve(ReviewHistory.NAME)));
  }

  /** All files of vectors. */
  static List<Path> vectorFiles(Kb kb) {
    EmbeddingCache cache = new EmbeddingCache(kb.folder());
    return Stream.concat(files(cache).stream(), files(cache.ofPassages()).stream()).toList();
  }

  /** The journal first. */
  private static List<Path> files(EmbeddingCache cache) {
    return List.of(cache.journal(), cache.vectors(), cache.keys());
  }

  private static List<Optional<FileState>> others(Kb kb, KbFiles files) {
    ReportFolder report = ReportFolder.of(kb);
    return states(
        files,
        List.of(
            kb.insights().resolve(DecisionFile.NAME),
            kb.insights().resolve(SealedReports.NAME),
            report.html(),
            report.markdown(),
            report.json()));
  }

  private static List<Optional<FileState>> states(KbFiles files, List<Path> paths) {
    return paths.stream().map(files::stateOrNone).toList();
  }
}
