package dev.helixbg.insight.findings;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.helixbg.config.Settings.EmbedSettings;
import dev.helixbg.config.Settings.EmbedSettings.ExecutionProvider;
import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.config.Sha256;
import dev.helixbg.embed.Embedder;
import dev.helixbg.embed.EmbeddingModel;
import dev.helixbg.embed.MiniLm;
import dev.helixbg.embed.cache.TextKey;
import dev.helixbg.insight.log.Entry;
import dev.helixbg.insight.log.EntryText;
import dev.helixbg.insight.log.Passage;
import dev.helixbg.insight.similarity.AllPairs;
import dev.helixbg.insight.similarity.PackedVectors;
import dev.helixbg.insight.similarity.PassageVectors;
import dev.helixbg.insight.similarity.Vectors;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Lists pairs of notes for {@code scripts/train-judge} in the way in which the program lists
 * relations.
 *
 * <p>A folder contains pairs of files. {@code NAME.notes} has JSON Lines with {@code topic} and
 * {@code text}. {@code NAME.asked} has in each line the numbers of two notes whose pair is listed
 * even if it ranks low. For these files, this program writes {@code NAME.pairs}. Its lines have six
 * fields, separated by tabs: the numbers of the two notes, the score of the whole notes, the place
 * in the list that also uses passages (0, −1, −2 …), and the positions from which each note is
 * read. Score and place are empty for a pair that ranks low.
 */
final class PairLists {
  private static final EmbedSettings BUNDLED =
      new EmbedSettings(Path.of("none"), ExecutionProvider.CPU, Precision.FP32, 256);

  /** Number of listed pairs per note. */
  private static final int PER_NOTE = 2;

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The numbers of a pair's two notes, the smaller number first. */
  private record Pair(int a, int b) {
    static Pair of(int one, int other) {
      return new Pair(Math.min(one, other), Math.max(one, other));
    }
  }

  private final Embedder embedder;
  private final int threads;
  private final Path file;

  /** Vectors by the hash of their text. They are reused for other KBs with the same notes. */
  private final Map<String, float[]> vectors = new HashMap<>();

  /**
   * Reads the stored vectors.
   *
   * @param file file of vectors from earlier runs, to which new vectors are added
   */
  private PairLists(Embedder embedder, int threads, Path file) throws IOException {
    this.embedder = embedder;
    this.threads = threads;
    this.file = file;
    if (Files.exists(file)) {
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
        while (in.available() > 0) {
          String key = in.readUTF();
          float[] vector = new float[MiniLm.DIMENSION];
          for (int i = 0; i < vector.length; i++) {
            vector[i] = in.readFloat();
          }
          vectors.put(key, vector);
        }
      } catch (EOFException e) {
        // The last vector is cut off, because an earlier run was killed.
      }
    }
  }

  /**
   * Writes the lists.
   *
   * @param args the folder and the number of threads
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    Path folder = Path.of(args[0]).toAbsolutePath();
    int threads = Integer.parseInt(args[1]);
    List<Path> kbs;
    try (Stream<Path> files = Files.list(folder)) {
      kbs = files.filter(file -> file.toString().endsWith(".notes")).sorted().toList();
    }
    Path cache = Files.createDirectories(folder.resolve("cache"));
    try (Embedder embedder = EmbeddingModel.locate(BUNDLED, cache, threads).open()) {
      PairLists lists = new PairLists(embedder, threads, folder.resolve("vectors"));
      for (Path kb : kbs) {
        String name = kb.getFileName().toString().replaceFirst("\\.notes$", "");
        lists.write(kb, kb.resolveSibling(name + ".asked"), kb.resolveSibling(name + ".pairs"));
        System.err.println(name);
      }
    }
  }

  private void write(Path notes, Path asked, Path target) throws IOException, InterruptedException {
    List<Entry> entries = new ArrayList<>();
    for (String line : Files.readAllLines(notes)) {
      JsonNode note = JSON.readTree(line);
      String text = note.get("text").asText();
      entries.add(
          new Entry(entries.size(), note.get("topic").asText(), text, 0, EntryText.parse(text)));
    }
    List<Integer> owners = new ArrayList<>();
    List<Passage> passages = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < entries.size(); i++) {
      for (Passage passage : Passage.of(entries.get(i), BUNDLED.maxTokens())) {
        owners.add(i);
        passages.add(passage);
        texts.add(passage.embeddedText(entries.get(i), BUNDLED.maxTokens()));
      }
    }
    Vectors own = embedded(entries.stream().map(Entry::embeddedText).toList());
    PassageVectors behind =
        new PassageVectors(
            owners.stream().mapToInt(Integer::intValue).toArray(), passages, embedded(texts));
    Map<Pair, double[]> scores = new LinkedHashMap<>();
    for (String line : Files.readAllLines(asked)) {
      String[] numbers = line.split("\t");
      Pair pair = Pair.of(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
      scores.put(pair, unlisted(pair));
    }
    for (Finding.Relation relation : list(entries, own, PassageVectors.NONE)) {
      scores.computeIfAbsent(pair(relation), PairLists::unlisted)[0] = relation.score();
    }
    int place = 0;
    for (Finding.Relation relation : list(entries, own, behind)) {
      double[] both = scores.computeIfAbsent(pair(relation), PairLists::unlisted);
      both[0] = Double.isNaN(both[0]) ? relation.score() : both[0];
      both[1] = -place++;
    }
    ComparedVectors all = ComparedVectors.of(own, behind, ComparedVectors.MAX_PASSAGES);
    try (Writer out = Files.newBufferedWriter(target)) {
      for (Map.Entry<Pair, double[]> listed : scores.entrySet()) {
        Pair pair = listed.getKey();
        ComparedVectors.Match match = all.best(pair.a, pair.b, all::cosines);
        out.write(
            String.format(
                Locale.ROOT,
                "%d\t%d\t%s\t%s\t%d\t%d%n",
                pair.a,
                pair.b,
                score(listed.getValue()[0]),
                score(listed.getValue()[1]),
                all.viewStart(match.a()),
                all.viewStart(match.b())));
      }
    }
  }

  private static String score(double score) {
    return Double.isNaN(score) ? "" : String.format(Locale.ROOT, "%.5f", score);
  }

  private static double[] unlisted(Pair pair) {
    return new double[] {Double.NaN, Double.NaN};
  }

  private static Pair pair(Finding.Relation relation) {
    return Pair.of((int) relation.a().entry().offset(), (int) relation.b().entry().offset());
  }

  private List<Finding.Relation> list(List<Entry> entries, Vectors own, PassageVectors passages) {
    List<String> keys = new ArrayList<>();
    for (Entry entry : entries) {
      keys.add(TextKey.of("pair-lists", entry.offset() + entry.embeddedText()).hex());
    }
    int[] order = Analysis.orderByKey(keys);
    ComparedVectors texts = ComparedVectors.of(own, passages, ComparedVectors.MAX_PASSAGES);
    NearestNeighbours.Both nearest = NearestNeighbours.Both.empty(texts, order);
    try (PackedVectors packed = PackedVectors.pack(texts.vectors())) {
      AllPairs.among(packed, Float.NEGATIVE_INFINITY, threads, nearest);
    }
    List<NamedEntry> named = NamedEntry.all(entries, entry -> keys.get((int) entry.offset()));
    return new RankedRelations(named, texts, nearest, ExactCopies.of(named), order, threads)
        .best(PER_NOTE * entries.size(), new FindingIds());
  }

  private Vectors embedded(List<String> texts) throws IOException, InterruptedException {
    List<String> missing =
        texts.stream().filter(text -> !vectors.containsKey(Sha256.of(text))).distinct().toList();
    try (DataOutputStream out =
        new DataOutputStream(
            new BufferedOutputStream(
                Files.newOutputStream(
                    file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)))) {
      embedder.embed(
          missing,
          (i, vector) -> {
            vectors.put(Sha256.of(missing.get(i)), vector);
            keep(Sha256.of(missing.get(i)), vector, out);
          });
    }
    return Vectors.of(texts.stream().map(text -> vectors.get(Sha256.of(text))).toList());
  }

  private static void keep(String key, float[] vector, DataOutputStream out) {
    try {
      out.writeUTF(key);
      for (float value : vector) {
        out.writeFloat(value);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
