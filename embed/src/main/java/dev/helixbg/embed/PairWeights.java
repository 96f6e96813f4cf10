package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.onnx.OnnxFile.Change;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * Trained weights of a pair judge: the resource {@code judge.weights} for notes, {@code
 * facts.weights} for facts, written by {@code scripts/train-judge write}. The file contains the
 * changes of weights in layers of the bundled MiniLM. It also contains the weights of the head (the
 * last matrix, which computes the logits), the calibration, and probes (pairs of texts whose logits
 * are known).
 *
 * <p>Format, big-endian: {@link #FORMAT} and the SHA-256 of the graph that the changes are for, as
 * strings (two bytes of length, UTF-8); number of layers; number of changes, then for each change a
 * name, rows, columns, a float for each column, a byte for each value; token types [4, 384]; the
 * head [4, 384] and its four biases; the four values of {@link PairCalibration}; number of probes,
 * then for each probe two strings and four logits; the SHA-256 of all preceding bytes.
 *
 * @param layers number of layers of the exported model that are used
 * @param tokenTypes embeddings of the four token types, in rows of 384 values: a row for the first
 *     text and a row for the second text, then two such rows for tokens that both texts contain
 */
record PairWeights(
    String graphHash,
    int layers,
    List<Change> changes,
    float[] tokenTypes,
    float[] head,
    float[] headBias,
    PairCalibration calibration,
    List<Probe> probes,
    String hash) {
  static final String FORMAT = "helix-bg judge 3";
  static final int CLASSES = PairReader.Relation.values().length;

  private static final int TYPES = 4;
  private static final int HASH_BYTES = 32;

  /**
   * Two texts, the older text first, and the logits that were computed for them after the training.
   */
  record Probe(String older, String newer, float[] logits) {}

  /**
   * Reads the bundled weights.
   *
   * @throws EmbeddingException when the weights are missing, damaged, or for another model
   */
  static PairWeights bundled(PairReader.Kind kind) {
    String resource = kind == PairReader.Kind.FACTS ? "facts.weights" : "judge.weights";
    try (InputStream in = PairWeights.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw unusable(resource, "it is missing", null);
      }
      PairWeights weights = parse(in.readAllBytes());
      if (!weights.graphHash.equals(ModelSource.GRAPH_HASH)) {
        throw unusable(resource, "it is for another model", null);
      }
      return weights;
    } catch (IOException e) {
      throw unusable(resource, e.getMessage(), e);
    }
  }

  private static EmbeddingException unusable(String resource, String why, IOException cause) {
    return new EmbeddingException(
        "the pair judge of this program cannot be used: %s: %s. Reinstall helix-bg"
            .formatted(resource, why),
        cause);
  }

  static PairWeights parse(byte[] file) throws IOException {
    int size = file.length - HASH_BYTES;
    if (size < 0) {
      throw new IOException("it is cut off");
    }
    byte[] content = Arrays.copyOf(file, size);
    String hash = Sha256.of(content);
    if (!hash.equals(HexFormat.of().formatHex(file, size, file.length))) {
      throw new IOException("it is damaged");
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
      if (!in.readUTF().equals(FORMAT)) {
        throw new IOException("it is of another format than \"" + FORMAT + "\"");
      }
      String graphHash = in.readUTF();
      int layers = in.readInt();
      List<Change> changes = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        String name = in.readUTF();
        int rows = in.readInt();
        int columns = in.readInt();
        float[] scales = numbers(in, columns);
        changes.add(new Change(name, rows, scales, in.readNBytes(rows * columns)));
      }
      float[] tokenTypes = numbers(in, TYPES * MiniLm.DIMENSION);
      float[] head = numbers(in, CLASSES * MiniLm.DIMENSION);
      float[] headBias = numbers(in, CLASSES);
      float[] calibration = numbers(in, 4);
      List<Probe> probes = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        probes.add(new Probe(in.readUTF(), in.readUTF(), numbers(in, CLASSES)));
      }
      return new PairWeights(
          graphHash,
          layers,
          List.copyOf(changes),
          tokenTypes,
          head,
          headBias,
          new PairCalibration(calibration[0], calibration[1], calibration[2], calibration[3]),
          List.copyOf(probes),
          hash);
    }
  }

  private static float[] numbers(DataInputStream in, int count) throws IOException {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = in.readFloat();
    }
    return numbers;
  }

  /** Returns the logits of a pair, given the network's output for the first token. */
  float[] logits(float[] seen) {
    float[] logits = headBias.clone();
    for (int i = 0; i < CLASSES; i++) {
      double sum = 0;
      for (int k = 0; k < MiniLm.DIMENSION; k++) {
        sum += (double) head[i * MiniLm.DIMENSION + k] * seen[k];
      }
      logits[i] += (float) sum;
    }
    return logits;
  }
}
