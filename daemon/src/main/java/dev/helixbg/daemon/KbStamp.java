package dev.helixbg.daemon;

import dev.helixbg.embed.cache.EmbeddingCache;
import dev.helixbg.insight.decisions.DecisionFile;
import dev.helixbg.insight.log.FileState;
import dev.helixbg.insight.review.History;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What tells from outside whether anything about a KB has changed: its log, the decisions on
 * findings, what models said, and the files that helix-bg made of all that, which somebody may
 * delete or damage.
 *
 * @param said answers and reviews, like the others in fixed order; empty where there is none
 * @param vectors the cache, its keys and its journal
 * @param others decisions and reports
 */
record KbStamp(
    FileState log,
    List<Optional<FileState>> said,
    List<Optional<FileState>> vectors,
    List<Optional<FileState>> others) {

  /**
   * @throws IOException when the log is missing or cannot be looked at
   */
  static KbStamp of(Kb kb, KbFiles files) throws IOException {
    return new KbStamp(
        files.state(kb.dataLog()), said(kb, files), vectors(kb, files), others(kb, files));
  }

  /** The same log beside the other files as they are now. */
  KbStamp withOthers(Kb kb, KbFiles files) throws IOException {
    return new KbStamp(log, said(kb, files), vectors(kb, files), others(kb, files));
  }

  /** The same with answers and reviews as another one has them. */
  KbStamp withSaidOf(KbStamp other) {
    return new KbStamp(log, other.said, vectors, others);
  }

  /** The same with the vectors as they are now. */
  KbStamp withVectors(Kb kb, KbFiles files) throws IOException {
    return new KbStamp(log, said, vectors(kb, files), others);
  }

  /** Whether the cache is not what the log says it should be. */
  boolean vectorsWait() {
    return vectors.getLast().isPresent();
  }

  private static List<Optional<FileState>> said(Kb kb, KbFiles files) throws IOException {
    return states(files, kb.answers(), kb.insights().resolve(History.NAME));
  }

  private static List<Optional<FileState>> vectors(Kb kb, KbFiles files) throws IOException {
    return states(
        files,
        kb.folder().resolve(EmbeddingCache.VECTORS),
        kb.folder().resolve(EmbeddingCache.KEYS),
        kb.folder().resolve(EmbeddingCache.JOURNAL));
  }

  private static List<Optional<FileState>> others(Kb kb, KbFiles files) throws IOException {
    ReportFolder report = ReportFolder.of(kb);
    return states(
        files,
        kb.insights().resolve(DecisionFile.NAME),
        report.html(),
        report.markdown(),
        report.json());
  }

  private static List<Optional<FileState>> states(KbFiles files, Path... paths) throws IOException {
    List<Optional<FileState>> states = new ArrayList<>();
    for (Path file : paths) {
      try {
        states.add(Optional.of(files.state(file)));
      } catch (NoSuchFileException e) {
        states.add(Optional.empty());
      }
    }
    return List.copyOf(states);
  }

  /** One line that is the same for the same state; without inodes, which a restore changes. */
  String text() {
    StringBuilder text = new StringBuilder(text(log));
    Stream.of(said, vectors, others)
        .flatMap(List::stream)
        .forEach(state -> text.append(' ').append(state.map(KbStamp::text).orElse("-")));
    return text.toString();
  }

  private static String text(FileState state) {
    return state.size() + "@" + state.modified();
  }
}
