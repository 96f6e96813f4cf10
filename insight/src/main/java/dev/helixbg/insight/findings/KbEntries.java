package dev.helixbg.insight.findings;

import dev.helixbg.embed.Arithmetic;
import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorStore;
import dev.helixbg.embed.store.Database;
import dev.helixbg.insight.log.DataLog;
import dev.helixbg.insight.log.DataLog.LogReading;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.LogAccount;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;

/**
 * The live entries of a KB that have a vector: all of them, once a run has ended.
 *
 * @param named those that have a vector, by offset
 * @param vectors of the entries
 * @param passages of the entries, those that have a vector
 * @param log they were read from
 * @param coverage how many of all entries have vectors for all of their text
 */
public record KbEntries(
    List<NamedEntry> named,
    Vectors vectors,
    PassageVectors passages,
    LogAccount log,
    Coverage coverage) {
  public KbEntries {
    if (vectors.count() != named.size()) {
      throw new IllegalArgumentException("entries and vectors must be as many");
    }
  }

  /**
   * Those whose vectors are in a store.
   *
   * @param modelId of the embedding model
   * @param arithmetic of its vectors
   * @param modelTokens the most tokens that it takes of a text
   */
  public static KbEntries read(
      Path dataLog, Database store, String modelId, Arithmetic arithmetic, int modelTokens) {
    LogReading log = DataLog.read(dataLog);
    KnownVectors cached = VectorStore.ofEntries(store).read();
    KnownVectors ofPassages = VectorStore.ofPassages(store).read();
    List<NamedEntry> named = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    List<Integer> owners = new ArrayList<>();
    List<Passage> passages = new ArrayList<>();
    List<float[]> passageVectors = new ArrayList<>();
    // Hashing them is most of the work of reading a KB.
    List<TextKey> names =
        log.entries().stream().map(entry -> TextKey.of(modelId, entry.embeddedText())).toList();
    Iterator<TextKey> next = names.iterator();
    List<NamedEntry> live = NamedEntry.all(log.entries(), entry -> next.next().hex());
    int indexed = 0;
    for (int i = 0; i < live.size(); i++) {
      NamedEntry one = live.get(i);
      Entry entry = one.entry();
      Optional<float[]> vector = cached.vector(names.get(i).by(arithmetic));
      if (vector.isPresent()) {
        boolean whole = true;
        for (Passage passage : Passage.of(entry, modelTokens)) {
          Optional<float[]> found =
              ofPassages.vector(
                  TextKey.of(modelId, passage.embeddedText(entry, modelTokens)).by(arithmetic));
          if (found.isPresent()) {
            owners.add(named.size());
            passages.add(passage);
            passageVectors.add(found.get());
          }
          whole &= found.isPresent();
        }
        indexed += whole ? 1 : 0;
        named.add(one);
        vectors.add(vector.get());
      }
    }
    return new KbEntries(
        named,
        Vectors.of(vectors),
        PassageVectors.of(owners, passages, passageVectors),
        log.account(),
        new Coverage(indexed, live.size()));
  }
}
