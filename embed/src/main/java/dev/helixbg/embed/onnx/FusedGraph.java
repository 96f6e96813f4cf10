package dev.helixbg.embed.onnx;

import dev.helixbg.config.Settings.EmbedSettings.Precision;
import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Rewrites an exported MiniLM (a BERT encoder of width 384) to fused operators of ONNX Runtime.
 * ONNX Runtime's own optimiser does not introduce fused operators in this export.
 *
 * <p>The export keeps the names of biases but not of matrices, so a matrix is found through the
 * node that adds a bias to its product. The number of heads and the epsilon are MiniLM's, because
 * the export does not contain them. The caller must compare the vectors of both graphs.
 *
 * <p>In INT8 precision, attention and the first feed-forward matrix have one scale per column, and
 * activations one scale per tensor. The second feed-forward matrix, whose inputs have outliers, has
 * one scale per block of 128 weights, and so have its inputs.
 *
 * <p>The inputs are {@code input_ids}, {@code attention_mask} and, for a pair judge, {@code
 * token_type_ids}: int32 [batch, sequence]. The output {@code last_hidden_state} is float [batch,
 * sequence, 384]; for a pair judge [batch, 1, 384], the state of the first token.
 */
public record FusedGraph(OnnxFile source, Precision precision, boolean judge, GraphWriter graph) {

  private static final int WIDTH = 384;
  private static final int HEADS = 12;
  private static final int FEED_FORWARD = 4 * WIDTH;
  private static final int BLOCK = 128;
  private static final float EPSILON = 1e-12f;
  private static final int INT8_MAX = 127;
  private static final int UINT8_ZERO = 128;
  private static final String TYPES = "token_type_ids";

  /** Returns the file of large weights, which must be beside a rewritten model. */
  public static Path weightsOf(Path graph) {
    return graph.resolveSibling(graph.getFileName() + ".weights");
  }

  /**
   * Writes the rewritten model and the file of its large weights, or replaces both.
   *
   * @param judge whether token types are an input, as for a pair judge; otherwise all types are 0
   * @throws OnnxFormatException when the source is not a model that can be rewritten
   */
  public static void write(OnnxFile source, Precision precision, boolean judge, Path target)
      throws IOException {
    GraphWriter graph = new GraphWriter(Optional.of(weightsOf(target).getFileName().toString()));
    new FusedGraph(source, precision, judge, graph).build();
    AtomicFile.replace(weightsOf(target), graph::writeLargeTo);
    AtomicFile.replace(target, graph::writeTo);
  }

  private void build() throws IOException {
    graph.input("input_ids", GraphWriter.INT32, "batch", "sequence");
    graph.input("attention_mask", GraphWriter.INT32, "batch", "sequence");
    if (judge) {
      graph.input(TYPES, GraphWriter.INT32, "batch", "sequence");
    }
    int layers = source.layers();
    String state = embeddings();
    for (int layer = 0; layer < layers - 1; layer++) {
      state = feedForward(layer, attention(layer, state, state), "state." + layer);
    }
    String asking = judge ? first(state) : state;
    state = feedForward(layers - 1, attention(layers - 1, asking, state), "last_hidden_state");
    graph.output(state, "batch", judge ? 1 : "sequence", WIDTH);
  }

  /** Adds a node for the state of the first token, [batch, 1, 384], and returns its name. */
  private String first(String state) {
    String zero = graph.weight("first", GraphWriter.INT32, ByteBuffer.allocate(Integer.BYTES), 1);
    String result = state + ".first";
    graph.node(GraphWriter.STANDARD, "Gather", List.of(state, zero), result, "axis", 1);
    return result;
  }

  /** Adds the embeddings. If token types are not an input, all tokens have type 0. */
  private String embeddings() throws IOException {
    ByteBuffer words = source.rows("embeddings.word_embeddings.weight");
    float[] positions = OnnxFile.floats(source.rows("embeddings.position_embeddings.weight"));
    float[] types = OnnxFile.floats(source.rows(OnnxFile.TYPES));
    for (int i = 0; i < positions.length && !judge; i++) {
      positions[i] += types[i % WIDTH];
    }
    List<String> inputs =
        List.of(
            "input_ids",
            judge ? TYPES : "",
            graph.floats("words", words, words.remaining() / Float.BYTES / WIDTH, WIDTH),
            table("positions", positions),
            judge ? table("types", types) : "",
            vector("embeddings.LayerNorm.weight"),
            vector("embeddings.LayerNorm.bias"));
    graph.fused("EmbedLayerNormalization", inputs, "state.embedded", "epsilon", EPSILON);
    return "state.embedded";
  }

  private String table(String name, float[] rows) {
    return graph.floats(name, OnnxFile.bytes(rows), rows.length / WIDTH, WIDTH);
  }

  /** Adds a layer's attention: queries of {@code asking}, keys and values of {@code state}. */
  private String attention(int layer, String asking, String state) throws IOException {
    String self = OnnxFile.layer(layer) + "attention.self.";
    String output = OnnxFile.layer(layer) + "attention.output.";
    float[] biases = new float[3 * WIDTH];
    String[] projected = new String[3];
    List<String> names = List.of("query", "key", "value");
    for (int i = 0; i < names.size(); i++) {
      String bias = self + names.get(i) + ".bias";
      source.weight(bias, WIDTH).asFloatBuffer().get(biases, i * WIDTH, WIDTH);
      projected[i] = product(i == 0 ? asking : state, bias, WIDTH, WIDTH, false);
    }
    String bias = graph.floats(self + "bias", OnnxFile.bytes(biases), 3 * WIDTH);
    String attended = self + "attended";
    graph.fused(
        "MultiHeadAttention",
        List.of(projected[0], projected[1], projected[2], bias, "attention_mask"),
        attended,
        "num_heads",
        HEADS);
    String mixed = product(attended, output + "dense.bias", WIDTH, WIDTH, false);
    return addAndNormalise(mixed, asking, output, output + "state");
  }

  private String feedForward(int layer, String state, String result) throws IOException {
    String up = OnnxFile.layer(layer) + "intermediate.dense.bias";
    String down = OnnxFile.layer(layer) + "output.";
    String wide = product(state, up, WIDTH, FEED_FORWARD, false);
    String activated = wide + ".gelu";
    String upBias = graph.floats(up, source.weight(up, FEED_FORWARD), FEED_FORWARD);
    graph.fused("BiasGelu", List.of(wide, upBias), activated);
    String narrow = product(activated, down + "dense.bias", FEED_FORWARD, WIDTH, true);
    return addAndNormalise(narrow, state, down, result);
  }

  private String addAndNormalise(String product, String skipped, String block, String result)
      throws IOException {
    List<String> inputs =
        List.of(
            product,
            skipped,
            vector(block + "LayerNorm.weight"),
            vector(block + "LayerNorm.bias"),
            vector(block + "dense.bias"));
    graph.fused("SkipLayerNormalization", inputs, result, "epsilon", EPSILON);
    return result;
  }

  private String vector(String name) throws IOException {
    return graph.floats(name, source.weight(name, WIDTH), WIDTH);
  }

  /**
   * Adds the product of an input and the matrix that belongs to a bias. {@code outliers} tells
   * whether some values of the input are much larger than the others.
   */
  private String product(String input, String bias, int rows, int columns, boolean outliers)
      throws IOException {
    String stem = bias.substring(0, bias.length() - "bias".length());
    String name = stem + "weight";
    String result = stem + "product";
    ByteBuffer weight = source.matrix(bias, rows, columns);
    if (precision == Precision.FP32) {
      String matrix = graph.floats(name, weight, rows, columns);
      graph.node(GraphWriter.STANDARD, "MatMul", List.of(input, matrix), result);
    } else if (outliers) {
      blockwise(input, OnnxFile.floats(weight), rows, columns, name, result);
    } else {
      columnwise(input, OnnxFile.floats(weight), rows, columns, name, result);
    }
    return result;
  }

  private void columnwise(
      String input, float[] weight, int rows, int columns, String name, String result) {
    byte[] quantised = new byte[rows * columns];
    float[] scales = new float[columns];
    for (int column = 0; column < columns; column++) {
      float scale = scale(weight, column, columns, rows);
      scales[column] = scale;
      for (int at = column; at < weight.length; at += columns) {
        quantised[at] = (byte) Math.round(weight[at] / scale);
      }
    }
    List<String> inputs =
        List.of(
            input,
            graph.weight(name, GraphWriter.INT8, ByteBuffer.wrap(quantised), rows, columns),
            graph.floats(name + ".scales", OnnxFile.bytes(scales), columns),
            graph.weight(name + ".zeros", GraphWriter.INT8, ByteBuffer.allocate(columns), columns));
    graph.fused("DynamicQuantizeMatMul", inputs, result);
  }

  /** Adds a product with weights [columns, blocks, block] of bytes; the byte 128 means 0. */
  private void blockwise(
      String input, float[] weight, int rows, int columns, String name, String result) {
    int blocks = rows / BLOCK;
    byte[] quantised = new byte[rows * columns];
    float[] scales = new float[columns * blocks];
    int to = 0;
    for (int column = 0; column < columns; column++) {
      for (int block = 0; block < blocks; block++) {
        int from = block * BLOCK * columns + column;
        float scale = scale(weight, from, columns, BLOCK);
        scales[column * blocks + block] = scale;
        for (int i = 0; i < BLOCK; i++) {
          int rounded = Math.round(weight[from + i * columns] / scale);
          quantised[to++] = (byte) (rounded + UINT8_ZERO);
        }
      }
    }
    List<String> inputs =
        List.of(
            input,
            graph.weight(
                name, GraphWriter.UINT8, ByteBuffer.wrap(quantised), columns, blocks, BLOCK),
            graph.floats(name + ".scales", OnnxFile.bytes(scales), (long) columns * blocks));
    graph.fused(
        "MatMulNBits",
        inputs,
        result,
        "K",
        rows,
        "N",
        columns,
        "bits",
        8,
        "block_size",
        BLOCK,
        "accuracy_level", // 4: activations in eight bits
        4);
  }

  /** Returns the scale that maps the largest magnitude to 127; 1 if all values are 0. */
  private static float scale(float[] values, int from, int step, int count) {
    float largest = 0;
    for (int i = 0; i < count; i++) {
      largest = Math.max(largest, Math.abs(values[from + i * step]));
    }
    return largest == 0 ? 1 : largest / INT8_MAX;
  }
}
