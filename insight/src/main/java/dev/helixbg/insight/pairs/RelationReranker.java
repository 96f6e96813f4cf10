package dev.helixbg.insight.pairs;

import dev.helixbg.config.Progress;
import dev.helixbg.config.Sha256;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.PairCalibration;
import dev.helixbg.embed.PairReader;
import dev.helixbg.embed.PairReader.Kind;
import dev.helixbg.embed.PairReader.Reading;
import dev.helixbg.embed.PairReader.Texts;
import dev.helixbg.embed.ParallelLoop;
import dev.helixbg.insight.findings.Finding.Assessment;
import dev.helixbg.insight.findings.Finding.Relation;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Passage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Lets the pair judges read the first pairs of the list of relations, and ranks these pairs. First
 * come pairs of which one entry can probably be removed, then pairs in which one entry repeats the
 * other. Then come other pairs that may be in the report's top section, and then pairs that may
 * not. Each of these four parts is ordered by the log odds of <i>same</i> or <i>overtaken</i>. For
 * pairs other than facts, the weighted score from vectors and words is added to the log odds. Pairs
 * that were not read come last.
 *
 * <p>Readings are saved. If there is no new pair to read, no model is opened.
 *
 * @param opener opens the pair judges, which are closed after the last pair
 * @param said a reliable agent's answer whether one entry of a pair can be removed; empty if there
 *     is none
 */
public record RelationReranker(
    ReadingStore memory,
    PairCalibration ofNotes,
    PairCalibration ofFacts,
    Supplier<? extends PairReader> opener,
    Progress.Display display,
    int threads,
    Function<Relation, Optional<Boolean>> said) {
  private static final int SAVED_AT_ONCE = 32;

  /**
   * Returns the list in its new order.
   *
   * @param first number of pairs to read, from the beginning of the list
   * @throws InterruptedException when the thread is interrupted; earlier readings are saved
   * @throws dev.helixbg.embed.EmbeddingException when the model cannot be used
   */
  public List<Relation> rank(List<Relation> relations, int first) throws InterruptedException {
    Map<String, Texts> texts = texts(relations, first);
    Map<String, Reading> readings = memory.find(texts.keySet());
    read(texts, readings);
    memory.forgetStale(texts.keySet());
    return ranked(relations, first, readings);
  }

  /** Returns the list ranked by saved readings only; reads no pair. */
  public List<Relation> rankRemembered(List<Relation> relations, int first) {
    return ranked(relations, first, memory.find(texts(relations, first).keySet()));
  }

  /** Returns the number of pairs that {@link #rank} would have to read. */
  public int left(List<Relation> relations, int first) {
    Set<String> keys = texts(relations, first).keySet();
    return keys.size() - memory.find(keys).size();
  }

  private static Map<String, Texts> texts(List<Relation> relations, int first) {
    Map<String, Texts> texts = new LinkedHashMap<>();
    for (Relation relation : relations.subList(0, Math.min(first, relations.size()))) {
      Texts both = texts(relation);
      texts.put(key(both), both);
    }
    return texts;
  }

  private List<Relation> ranked(
      List<Relation> relations, int first, Map<String, Reading> readings) {
    Map<Relation, Reading> read = new LinkedHashMap<>();
    List<Relation> others = new ArrayList<>();
    for (Relation relation : relations) {
      Reading reading =
          read.size() + others.size() < first ? readings.get(key(texts(relation))) : null;
      if (reading == null) {
        others.add(relation);
      } else {
        read.put(relation, reading);
      }
    }
    List<Relation> ranked = new ArrayList<>(assessed(read));
    // The sort is stable: equal pairs keep their order.
    ranked.sort(
        Comparator.comparingInt(RelationReranker::part)
            .thenComparingDouble(relation -> -rank(relation)));
    ranked.addAll(others);
    return List.copyOf(ranked);
  }

  private List<Relation> assessed(Map<Relation, Reading> read) {
    Map<Boolean, List<Map.Entry<Relation, Reading>>> judged =
        read.entrySet().stream()
            .filter(one -> PairAssessor.mayLead(one.getKey().a(), one.getKey().b()))
            .collect(Collectors.partitioningBy(one -> one.getKey().areFacts()));
    PairAssessor plain = new PairAssessor(ofNotes, PairFit.NONE);
    ActFrequency frequency =
        ActFrequency.of(
            judged.get(false).stream()
                .mapToDouble(one -> plain.act(one.getValue().logits(), one.getKey().score()))
                .toArray());
    PairAssessor notes =
        new PairAssessor(ofNotes, PairFit.of(answered(judged.get(false)), ofNotes, frequency));
    PairAssessor facts = new PairAssessor(ofFacts, PairFit.NONE);
    List<Map.Entry<Relation, Reading>> all = List.copyOf(read.entrySet());
    return ParallelLoop.map(
        "pairs",
        threads,
        all.size(),
        i -> {
          Relation pair = all.get(i).getKey();
          Reading reading = all.get(i).getValue();
          String older = pair.older().content();
          String newer = pair.newer().content();
          return pair.assessed(
              pair.areFacts()
                  ? facts.ofFacts(reading, pair)
                  : notes.of(reading, pair.score(), older, newer, frequency));
        });
  }

  private List<PairFit.Answered> answered(List<Map.Entry<Relation, Reading>> judged) {
    List<PairFit.Answered> answered = new ArrayList<>();
    judged.forEach(
        one ->
            said.apply(one.getKey())
                .map(
                    act -> new PairFit.Answered(one.getValue().logits(), one.getKey().score(), act))
                .ifPresent(answered::add));
    return answered;
  }

  private static int part(Relation relation) {
    Assessment said = relation.assessment().orElseThrow();
    return said.isActLikely() ? 0 : said.mayBeWorthAnAct() ? 1 : said.mayLead() ? 2 : 3;
  }

  private double rank(Relation relation) {
    double odds = relation.assessment().orElseThrow().logOdds();
    return relation.areFacts() ? odds : odds + ofNotes.scoreWeight() * relation.score();
  }

  private void read(Map<String, Texts> texts, Map<String, Reading> known)
      throws InterruptedException {
    List<String> keys = texts.keySet().stream().filter(key -> !known.containsKey(key)).toList();
    if (keys.isEmpty()) {
      return;
    }
    List<Texts> pairs = keys.stream().map(texts::get).toList();
    long work = pairs.stream().mapToLong(RelationReranker::work).sum();
    Map<String, Reading> unsaved = new HashMap<>();
    try (Progress progress = display.begin("Reading pairs", pairs.size(), work);
        PairReader reader = opener.get()) {
      reader.read(
          pairs,
          (index, reading) -> {
            known.put(keys.get(index), reading);
            unsaved.put(keys.get(index), reading);
            progress.step(1, work(pairs.get(index)));
            if (unsaved.size() >= SAVED_AT_ONCE) {
              save(unsaved);
            }
          });
    } finally {
      save(unsaved);
    }
  }

  private static long work(Texts pair) {
    int most = PairReader.ROOM + 2; // with the special tokens
    return MiniLm.work(
        Passage.estimatedTokens(pair.older(), most) + Passage.estimatedTokens(pair.newer(), most));
  }

  private void save(Map<String, Reading> unsaved) {
    memory.add(unsaved);
    unsaved.clear();
  }

  private static Texts texts(Relation relation) {
    return new Texts(
        relation.areFacts() ? Kind.FACTS : Kind.NOTES,
        text(relation, relation.older()),
        text(relation, relation.newer()));
  }

  private static String text(Relation relation, NamedEntry entry) {
    return entry.content().substring(relation.readFrom(entry));
  }

  private static String key(Texts texts) {
    return Sha256.of(List.of(texts.kind().name(), texts.older(), texts.newer())).substring(0, 32);
  }
}
