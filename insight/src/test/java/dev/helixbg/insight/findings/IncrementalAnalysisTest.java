package dev.helixbg.insight.findings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Compares each update of a changing KB with a full analysis, for 50 random histories. The command
 * scripts/proofs tests 1,000 histories.
 */
class IncrementalAnalysisTest {
  private static final int HISTORIES = Boolean.getBoolean("proofs.all") ? 1_000 : 20;
  private static final int STEPS = 12;

  /** A KB whose entries are added, edited, deleted and compacted at random. */
  private static final class History {
    private final Random random;
    private final int topics;
    private final float[][] centres;
    private final double spread;
    private List<Note> notes = new ArrayList<>();
    private int written;

    private record Note(String topic, String text, float[] vector, List<float[]> passages) {}

    History(Random random) {
      this.random = random;
      this.topics = 1 + random.nextInt(6);
      this.spread = 0.1 + random.nextDouble();
      int dimension = 4 + random.nextInt(20);
      this.centres = Corpus.centres(random, 1 + random.nextInt(8), dimension);
    }

    private Note note() {
      if (!notes.isEmpty() && random.nextInt(6) == 0) {
        return notes.get(random.nextInt(notes.size())); // a text that the KB already has
      }
      int centre = random.nextInt(centres.length);
      return new Note(
          "t" + (random.nextInt(3) == 0 ? random.nextInt(topics) : centre % topics),
          "failed text " + written++,
          Corpus.unit(random, centres[centre], spread),
          passages());
    }

    private List<float[]> passages() {
      List<float[]> passages = new ArrayList<>();
      for (int i = random.nextInt(7) - 4; i > 0; i--) {
        passages.add(Corpus.unit(random, centres[random.nextInt(centres.length)], spread));
      }
      return passages;
    }

    void step() {
      switch (random.nextInt(8)) {
        case 0, 1, 2 -> { // append
          for (int i = random.nextInt(12); i >= 0; i--) {
            notes.add(note());
          }
        }
        case 3, 4 -> { // edit: the new text is appended, and the old text is deleted
          if (!notes.isEmpty()) {
            Note old = notes.remove(random.nextInt(notes.size()));
            float[] moved = Corpus.unit(random, old.vector(), 0.2);
            notes.add(
                new Note(old.topic(), old.text() + " edited " + written++, moved, passages()));
          }
        }
        case 5 -> { // delete
          for (int i = random.nextInt(6); i >= 0 && !notes.isEmpty(); i--) {
            notes.remove(random.nextInt(notes.size()));
          }
        }
        case 6 -> { // the cache was lost, and texts are embedded again: the last bits differ
          List<Note> again = new ArrayList<>();
          for (Note note : notes) {
            float[] vector = note.vector().clone();
            vector[0] = random.nextInt(3) == 0 ? Math.nextUp(vector[0]) : vector[0];
            again.add(new Note(note.topic(), note.text(), vector, note.passages()));
          }
          notes = again;
        }
        default -> { // nothing, or everything is deleted
          if (random.nextInt(12) == 0) {
            notes.clear();
          }
        }
      }
    }

    /** Returns the notes as entries of a log; each compaction changes all offsets. */
    Corpus corpus() {
      Corpus corpus = new Corpus();
      corpus.offset += random.nextInt(3);
      for (Note note : notes) {
        corpus.add(note.topic(), note.text(), note.vector());
        for (int i = 0; i < note.passages().size(); i++) {
          corpus.addPassage(i, i + 4, note.passages().get(i));
        }
      }
      return corpus;
    }
  }

  @Test
  void everyUpdateFindsWhatAFullAnalysisFinds() {
    long pairs = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      Random random = new Random(seed);
      History history = new History(random);
      IncrementalAnalysis running = new IncrementalAnalysis();
      for (int step = 0; step < STEPS; step++) {
        history.step();
        Corpus corpus = history.corpus();
        Findings expected =
            new IncrementalAnalysis()
                .update(corpus.named(), corpus.vectors(), corpus.passageVectors(), 1 + step % 2);
        Findings found =
            running.update(corpus.named(), corpus.vectors(), corpus.passageVectors(), 1 + seed % 2);
        assertEquals(expected, found, "history " + seed + ", step " + step);
        pairs += found.relations().size();
      }
    }
    assertTrue(pairs > 10L * HISTORIES, "only " + pairs + " pairs were found");
  }
}
