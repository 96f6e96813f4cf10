package dev.helixbg.embed;

import dev.helixbg.config.Sha256;
import dev.helixbg.embed.onnx.OnnxFile.Change;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Trained weights of a pair judge, written by {@code scripts/train-judge write}: the resource
 * {@code judge.weights} for notes, {@code facts.weights} for facts. The resource has four parts:
 * changes to the weights of the bundled MiniLM; the head, which is the last matrix and computes the
 * logits; the calibration; and probes, which are pairs of texts with known logits.
 *
 * <p>Format, big-endian: {@link #FORMAT} as a string (two bytes of length, UTF-8); the SHA-256 of
 * all bytes that follow this hash; the four values of {@link PairCalibration}; the head [4, 384]
 * and its four biases; the SHA-256 of the graph to which the changes apply, as a string; number of
 * layers; number of changes, then for each change a name, rows, columns, a float for each column, a
 * byte for each value; token types [4, 384]; number of probes, then for each probe two strings and
 * four logits.
 *
 * @param layers number of layers of the exported model that are used
 * @param tokenTypes embeddings of the token types, in rows of 384 values: a row for tokens of the
 *     first text, a row for tokens of the second text, and the same two rows for tokens that both
 *     texts contain
 */
record PairWeights(
    String graphHash,
    int layers,
    List<Change> changes,
    float[] tokenTypes,
    List<Probe> probes,
    Beginning beginning) {
  static final String FORMAT = "helix-bg judge 5";
  static final int CLASSES = PairReader.Relation.values().length;

  private static final int TYPES = 4;
  private static final int HASH_BYTES = 32;

  /**
   * Beginning of the file. If a judge is already prepared, only the beginning is read.
   *
   * @param hash 64 hexadecimal digits, not verified
   */
  record Beginning(String hash, PairCalibration calibration, Head head) {}

  /** The last matrix, which computes the logits: {@code weights} [4, 384] and {@code bias} [4]. */
  record Head(float[] weights, float[] bias) {

    float[] logits(float[] seen) {
      float[] logits = bias.clone();
      for (int i = 0; i < CLASSES; i++) {
        double sum = 0;
        for (int k = 0; k < MiniLm.DIMENSION; k++) {
          sum += (double) weights[i * MiniLm.DIMENSION + k] * seen[k];
        }
        logits[i] += (float) sum;
      }
      return logits;
    }
  }

  /** Two texts, and the logits that were computed for them after the training. */
  record Probe(String older, String newer, float[] logits) {}

  static Beginning beginning(PairReader.Kind kind) {
    return read(kind, in -> beginning(new DataInputStream(in)));
  }

  /** Reads the weights; throws if they are missing, damaged, or for another model. */
  static PairWeights bundled(PairReader.Kind kind) {
    return read(
        kind,
        in -> {
          PairWeights weights = parse(in.readAllBytes());
          if (!weights.graphHash.equals(ModelSource.GRAPH_HASH)) {
            throw new IOException("it is for another model");
          }
          return weights;
        });
  }

  private interface Parser<T> {
    T of(InputStream in) throws IOException;
  }

  private static <T> T read(PairReader.Kind kind, Parser<T> parser) {
    String resource = kind == PairReader.Kind.FACTS ? "facts.weights" : "judge.weights";
    try (InputStream in = PairWeights.class.getResourceAsStream(resource)) {
      if (in == null) {
        throw new IOException("it is missing");
      }
      return parser.of(in);
    } catch (IOException e) {
      throw new EmbeddingException(
          "the pair judge of this program cannot be used: %s: %s. Reinstall helix-bg"
              .formatted(resource, e.getMessage()),
          e);
    }
  }

  static PairWeights parse(byte[] file) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(file))) {
      Beginning beginning = beginning(in);
      int start = Short.BYTES + FORMAT.length() + HASH_BYTES;
      if (!beginning.hash.equals(
          Sha256.of(new ByteArrayInputStream(file, start, file.length - start)))) {
        throw new IOException("it is damaged");
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
      List<Probe> probes = new ArrayList<>();
      for (int left = in.readInt(); left > 0; left--) {
        probes.add(new Probe(in.readUTF(), in.readUTF(), numbers(in, CLASSES)));
      }
      return new PairWeights(
          graphHash, layers, List.copyOf(changes), tokenTypes, List.copyOf(probes), beginning);
    }
  }

  private static Beginning beginning(DataInputStream in) throws IOException {
    try {
      if (!in.readUTF().equals(FORMAT)) {
        throw new IOException("it is of another format than \"" + FORMAT + "\"");
      }
      String hash = HexFormat.of().formatHex(in.readNBytes(HASH_BYTES));
      float[] values = numbers(in, 4);
      Head head = new Head(numbers(in, CLASSES * MiniLm.DIMENSION), numbers(in, CLASSES));
      return new Beginning(
          hash, new PairCalibration(values[0], values[1], values[2], values[3]), head);
    } catch (EOFException e) {
      throw new IOException("it is cut off", e);
    }
  }

  private static float[] numbers(DataInputStream in, int count) throws IOException {
    float[] numbers = new float[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = in.readFloat();
    }
    return numbers;
  }
}
