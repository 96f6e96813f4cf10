package dev.helixbg.insight.judge;

import dev.helixbg.embed.Cosine;
import dev.helixbg.insight.findings.NamedEntry;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Labels without a language model: the description that is nearest to an entry by embedding. */
public final class NearestLabels {
  private NearestLabels() {}

  /** The labels as entries, so that they are embedded and remembered like any other text. */
  public static List<Entry> asEntries() {
    List<Entry> entries = new ArrayList<>();
    for (Label label : Label.values()) {
      EntryText text = EntryText.parse(label.description());
      entries.add(new Entry(label.ordinal(), label.title(), label.description(), 0, text));
    }
    return entries;
  }

  /**
   * The nearest label of every entry.
   *
   * @param vectors of the entries, in their order
   * @param labelVectors of the labels, in theirs
   * @return guesses by the entries' keys
   */
  public static Map<String, Guess> of(
      List<NamedEntry> entries, List<float[]> vectors, List<float[]> labelVectors) {
    Map<String, Guess> guesses = HashMap.newHashMap(entries.size());
    for (int i = 0; i < entries.size(); i++) {
      float[] vector = vectors.get(i);
      guesses.computeIfAbsent(entries.get(i).key(), key -> nearest(vector, labelVectors));
    }
    return guesses;
  }

  private static Guess nearest(float[] vector, List<float[]> labelVectors) {
    int best = 0;
    int next = 0;
    double bestScore = Double.NEGATIVE_INFINITY;
    double nextScore = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < labelVectors.size(); i++) {
      double score = Cosine.of(vector, labelVectors.get(i));
      if (score > bestScore) {
        next = best;
        nextScore = bestScore;
        best = i;
        bestScore = score;
      } else if (score > nextScore) {
        next = i;
        nextScore = score;
      }
    }
    Label[] labels = Label.values();
    return new Guess(
        Guess.Origin.EMBEDDING, labels[best], bestScore, labels[next], nextScore, false);
  }
}
