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

/**
 * What tells from outside whether anything about a KB has changed: its log, the decisions on
 * findings, what models said, and the files that helix-bg made of all that, which somebody may
 * delete or damage.
 *
 * @param said answers and reviews, like the others in fixed order; empty where there is none
 * @param others decisions, vectors and reports
 */
record KbStamp(FileState log, List<Optional<FileState>> said, List<Optional<FileState>> others) {

  /**
   * @throws IOException when the log is missing or cannot be looked at
   */
  static KbStamp of(Kb kb, KbFiles files) throws IOException {
    return new KbStamp(files.state(kb.dataLog()), said(kb, files), others(kb, files));
  }

  /** The same log beside the other files as they are now. */
  KbStamp withOthers(Kb kb, KbFiles files) throws IOException {
    return new KbStamp(log, said(kb, files), others(kb, files));
  }

  /** The same with answers and reviews as another one has them. */
  KbStamp withSaidOf(KbStamp other) {
    return new KbStamp(log, other.said, others);
  }

  private static List<Optional<FileState>> said(Kb kb, KbFiles files) throws IOException {
    return List.of(state(kb.answers(), files), state(kb.insights().resolve(History.NAME), files));
  }

  private static List<Optional<FileState>> others(Kb kb, KbFiles files) throws IOException {
    ReportFolder report = ReportFolder.of(kb);
    List<Optional<FileState>> states = new ArrayList<>();
    for (Path file :
        List.of(
            kb.insights().resolve(DecisionFile.NAME),
            kb.folder().resolve(EmbeddingCache.VECTORS),
            kb.folder().resolve(EmbeddingCache.KEYS),
            report.html(),
            report.markdown(),
            report.json())) {
      states.add(state(file, files));
    }
    return List.copyOf(states);
  }

  private static Optional<FileState> state(Path file, KbFiles files) throws IOException {
    try {
      return Optional.of(files.state(file));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** One line that is the same for the same state; without inodes, which a restore changes. */
  String text() {
    StringBuilder text = new StringBuilder(text(log));
    said.forEach(state -> text.append(' ').append(state.map(KbStamp::text).orElse("-")));
    others.forEach(state -> text.append(' ').append(state.map(KbStamp::text).orElse("-")));
    return text.toString();
  }

  private static String text(FileState state) {
    return state.size() + "@" + state.modified();
  }
}
