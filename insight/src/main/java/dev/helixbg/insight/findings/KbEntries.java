package dev.helixbg.insight.findings;

import dev.helixbg.embed.cache.KnownVectors;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.embed.cache.VectorIds;
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
 * @param way id of the entries' vectors
 */
public record KbEntries(
    List<NamedEntry> named,
    Vectors vectors,
    PassageVectors passages,
    LogAccount log,
    Coverage coverage,
    String way) {

  /**
   * Reads the entries whose vectors are in a store.
   *
   * @param ids of the embedding model's vectors
   * @param modelTokens the most tokens that it takes of a text
   */
  public static KbEntries read(Path dataLog, Database store, VectorIds ids, int modelTokens) {
    LogReading log = DataLog.read(dataLog);
    KnownVectors cached = VectorStore.ofEntries(store).read();
    KnownVectors ofPassages = VectorStore.ofPassages(store).read();
    String id = cached.id(ids.entries(), log.entries().stream().map(Entry::embeddedText));
    String idOfPassages =
        ofPassages.id(
            ids.passages(),
            log.entries().stream()
                .flatMap(
                    entry ->
                        Passage.of(entry, modelTokens).stream()
                            .map(passage -> passage.embeddedText(entry, modelTokens))));
    List<NamedEntry> named = new ArrayList<>();
    List<float[]> vectors = new ArrayList<>();
    List<Integer> owners = new ArrayList<>();
    List<Passage> passages = new ArrayList<>();
    List<float[]> passageVectors = new ArrayList<>();
    List<TextKey> keys = keys(id, log);
    Iterator<TextKey> names = (id.equals(ids.name()) ? keys : keys(ids.name(), log)).iterator();
    List<NamedEntry> live = NamedEntry.all(log.entries(), entry -> names.next().hex());
    int indexed = 0;
    for (int i = 0; i < live.size(); i++) {
      NamedEntry one = live.get(i);
      Entry entry = one.entry();
      Optional<float[]> vector = cached.vector(keys.get(i));
      if (vector.isPresent()) {
        boolean whole = true;
        for (Passage passage : Passage.of(entry, modelTokens)) {
          Optional<float[]> found =
              ofPassages.vector(TextKey.of(idOfPassages, passage.embeddedText(entry, modelTokens)));
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
        new Coverage(indexed, live.size()),
        id);
  }

  /**
   * Returns the keys of the entries' texts, one each: hashing them is most of the work of reading a
   * KB.
   */
  private static List<TextKey> keys(String id, LogReading log) {
    return log.entries().stream().map(entry -> TextKey.of(id, entry.embeddedText())).toList();
  }
}
