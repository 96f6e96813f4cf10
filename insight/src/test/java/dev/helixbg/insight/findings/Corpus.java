package dev.helixbg.insight.findings;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import dev.helixbg.insight.terms.TermVectors;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** Entries with vectors chosen by the test. */
public final class Corpus {

  final List<Entry> entries = new ArrayList<>();
  final List<String> keys = new ArrayList<>();
  final List<float[]> vectors = new ArrayList<>();
  final List<Integer> owners = new ArrayList<>();
  final List<Passage> passages = new ArrayList<>();
  final List<float[]> passageVectors = new ArrayList<>();
  long offset = 8;

  /** Adds an entry; the same topic and content get the same key. */
  Corpus add(String topic, String content, float... vector) {
    entries.add(entry(offset, topic, content));
    keys.add(key(topic + " " + content));
    vectors.add(vector);
    offset += 12 + content.length();
    return this;
  }

  /** Adds an entry whose body may contain lines of metadata, as in a log. */
  Corpus addBody(String topic, String body, float... vector) {
    EntryText text = Entry.of(0, topic, body, 0).text();
    add(topic, text.content(), vector);
    Entry last = entries.removeLast();
    entries.add(new Entry(last.offset(), topic, body, 0, text));
    return this;
  }

  /** Sets the time at which the last added entry was written. */
  Corpus writtenAt(int minute) {
    Entry last = entries.removeLast();
    entries.add(new Entry(last.offset(), last.topic(), last.body(), minute, last.text()));
    return this;
  }

  /** Adds a passage of the last added entry. */
  Corpus addPassage(int start, int end, float... vector) {
    owners.add(entries.size() - 1);
    passages.add(new Passage(start, end));
    passageVectors.add(vector);
    return this;
  }

  PassageVectors passageVectors() {
    return new PassageVectors(
        owners.stream().mapToInt(Integer::intValue).toArray(),
        passages,
        Vectors.of(passageVectors));
  }

  static Entry entry(long offset, String topic, String content) {
    EntryText text = EntryText.parse(content);
    return new Entry(offset, topic, content, 0, text);
  }

  static String key(String text) {
    return UUID.nameUUIDFromBytes(text.getBytes(UTF_8)).toString().replace("-", "");
  }

  /** Returns a corpus with clusters of unit vectors, and with some repeated texts. */
  static Corpus random(Random random) {
    int dimension = 4 + random.nextInt(40);
    int count = random.nextInt(120);
    int topics = 1 + random.nextInt(8);
    int clusters = 1 + random.nextInt(12);
    return random(random, dimension, count, topics, clusters, 0.1 + random.nextDouble());
  }

  static Corpus random(
      Random random, int dimension, int count, int topics, int clusters, double spread) {
    float[][] centres = centres(random, clusters, dimension);
    Corpus corpus = new Corpus();
    for (int i = 0; i < count; i++) {
      if (i > 0 && random.nextInt(8) == 0) {
        int copied = random.nextInt(i);
        Entry entry = corpus.entries.get(copied);
        corpus.add(entry.topic(), entry.text().content(), corpus.vectors.get(copied));
        corpus.copyPassages(corpus, copied);
      } else {
        int cluster = random.nextInt(clusters);
        int topic = random.nextInt(4) == 0 ? random.nextInt(topics) : cluster % topics;
        corpus.add(
            "t" + topic,
            "text " + i + " of words w" + i % 7,
            unit(random, centres[cluster], spread));
        for (int p = random.nextInt(8) - 5; p > 0; p--) {
          int start = random.nextInt(8);
          corpus.addPassage(
              start, start + 8, unit(random, centres[random.nextInt(clusters)], spread));
        }
      }
    }
    return corpus;
  }

  static float[][] centres(Random random, int count, int dimension) {
    float[][] centres = new float[count][];
    for (int c = 0; c < count; c++) {
      centres[c] = unit(random, new float[dimension], 1);
    }
    return centres;
  }

  private void copyPassages(Corpus from, int entry) {
    for (int i = 0; i < from.owners.size(); i++) {
      if (from.owners.get(i) == entry) {
        Passage passage = from.passages.get(i);
        addPassage(passage.start(), passage.end(), from.passageVectors.get(i));
      }
    }
  }

  /** Returns the centre plus Gaussian noise, scaled to unit length. */
  public static float[] unit(Random random, float[] centre, double spread) {
    double[] moved = new double[centre.length];
    double squares = 0;
    for (int k = 0; k < centre.length; k++) {
      moved[k] = centre[k] + spread * random.nextGaussian() / Math.sqrt(centre.length);
      squares += moved[k] * moved[k];
    }
    float[] vector = new float[centre.length];
    for (int k = 0; k < centre.length; k++) {
      vector[k] = (float) (moved[k] / Math.sqrt(squares));
    }
    return vector;
  }

  /** Returns a corpus with the same texts and vectors in another order, at new offsets. */
  Corpus reordered(List<Integer> by) {
    Corpus other = new Corpus();
    other.offset = 1_000;
    for (int i : by) {
      Entry entry = entries.get(i);
      other.add(entry.topic(), entry.text().content(), vectors.get(i));
      other.copyPassages(this, i);
    }
    return other;
  }

  Vectors vectors() {
    return Vectors.of(vectors);
  }

  TermVectors termVectors() {
    ComparedVectors texts = texts();
    int[] of = texts.owners();
    return TermVectors.of(of.length, i -> texts.text(i, entries.get(of[i])), entries.size(), 2);
  }

  ComparedVectors texts() {
    return ComparedVectors.of(vectors(), passageVectors(), ComparedVectors.MAX_PASSAGES);
  }

  Findings analyse() {
    return analyse(2);
  }

  Findings analyse(int threads) {
    return Analysis.run(named(), vectors(), passageVectors(), threads);
  }

  /** Returns the entries, numbered within their topics. */
  List<NamedEntry> named() {
    Map<String, Integer> next = new HashMap<>();
    List<NamedEntry> named = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      int index = next.merge(entries.get(i).topic(), 1, Integer::sum) - 1;
      named.add(new NamedEntry(entries.get(i), index, keys.get(i), false));
    }
    return named;
  }
}
