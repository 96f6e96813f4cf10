package dev.helixbg.daemon;

import static dev.helixbg.daemon.TortureArea.require;

import dev.helixbg.daemon.kb.KbStore;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.insight.decisions.Decision;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Vectors, answers and decisions in the store of a KB at one moment.
 *
 * @param vectors of entries and passages
 * @param answers of language models, see {@link ProgramStores#answers}
 */
record KeptFiles(Map<TextKey, float[]> vectors, Set<String> answers, List<Decision> decisions) {

  /** Reads them from a store, to which other processes may write. */
  static KeptFiles of(KbStore store) {
    Map<TextKey, float[]> vectors =
        new HashMap<>(VectorStore.ofEntries(store.database()).read().byKey());
    vectors.putAll(VectorStore.ofPassages(store.database()).read().byKey());
    return new KeptFiles(
        vectors,
        new HashSet<>(ProgramStores.answers(store)),
        List.copyOf(store.decisions().read().settled()));
  }

  /** A run deletes unused answers only in one step, and only more than this number of them. */
  private static final int FEW_STALE = 256;

  /**
   * Checks that nothing is missing afterwards. Only unused answers may be missing, if they were
   * many and more than half: a run deletes them in one step.
   *
   * @param wanted keys of the texts that the log has; vectors of other texts may be deleted
   */
  void requireIn(KeptFiles after, Set<TextKey> wanted) {
    Set<TextKey> lost = new HashSet<>(vectors.keySet());
    lost.retainAll(wanted);
    lost.removeAll(after.vectors().keySet());
    require(lost.isEmpty(), "%d vectors that were saved were lost", lost.size());
    Set<String> gone = new HashSet<>(answers);
    gone.removeAll(after.answers());
    boolean unused = gone.size() > FEW_STALE && 2 * gone.size() > answers.size();
    require(gone.isEmpty() || unused, "%d of %d answers are lost", gone.size(), answers.size());
    require(after.decisions().containsAll(decisions), "decisions are lost");
  }

  /** Checks that the database is complete. */
  static void requireWhole(KbStore store) {
    store.database().fault().ifPresent(fault -> require(false, "the database: %s", fault));
    Path aside = store.folder().resolve("kb.db.damaged");
    require(Files.notExists(aside), "the database was moved aside");
  }

  /** Returns the number of temporary files that were left behind. */
  static long leftovers(Path... folders) throws IOException {
    long left = 0;
    for (Path folder : folders) {
      try (Stream<Path> all = Files.walk(folder)) {
        left += all.filter(file -> file.toString().endsWith(".tmp")).count();
      }
    }
    return left;
  }
}
