package dev.helixbg.embed.onnx;

import dev.helixbg.embed.store.AtomicFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * Writes a file that has the names and shapes of a MiniLM export, with random weights. It has no
 * attention nodes, so it can be rewritten but not run.
 */
public final class TinyExport {

  private static final int WIDTH = 384;

  private final GraphWriter graph = new GraphWriter(Optional.empty());
  private final Random random = new Random(5);

  /** Writes an export with eight words, four positions and one layer. */
  public static void write(Path target) throws IOException {
    write(target, 8, 4, 1);
  }

  public static void write(Path target, int words, int positions, int layers) throws IOException {
    TinyExport export = new TinyExport();
    export.build(words, positions, layers);
    AtomicFile.replace(target, export.graph::writeTo);
  }

  static Path without(String weight, Path export, Path target) throws IOException {
    String content = Files.readString(export, StandardCharsets.ISO_8859_1);
    String renamed = content.replace(weight, "X" + weight.substring(1));
    return Files.writeString(target, renamed, StandardCharsets.ISO_8859_1);
  }

  private void build(int words, int positions, int layers) {
    graph.input("input_ids", 7, "batch_size", "sequence_length");
    graph.input("attention_mask", 7, "batch_size", "sequence_length");
    weight("embeddings.word_embeddings.weight", words, WIDTH);
    weight("embeddings.position_embeddings.weight", positions, WIDTH);
    weight("embeddings.token_type_embeddings.weight", 2, WIDTH);
    normalisation("embeddings.");
    for (int i = 0; i < layers; i++) {
      String layer = "encoder.layer." + i + ".";
      for (String name : List.of("query", "key", "value")) {
        linear(layer + "attention.self." + name + ".", WIDTH, WIDTH, true);
      }
      linear(layer + "attention.output.dense.", WIDTH, WIDTH, false);
      normalisation(layer + "attention.output.");
      linear(layer + "intermediate.dense.", WIDTH, 4 * WIDTH, true);
      linear(layer + "output.dense.", 4 * WIDTH, WIDTH, false);
      normalisation(layer + "output.");
    }
    graph.output("last_hidden_state", "batch_size", "sequence_length", WIDTH);
  }

  private void normalisation(String block) {
    weight(block + "LayerNorm.weight", WIDTH);
    weight(block + "LayerNorm.bias", WIDTH);
  }

  private void linear(String stem, int rows, int columns, boolean biasFirst) {
    weight(stem + "bias", columns);
    weight("onnx::MatMul_" + stem.length() + stem.hashCode(), rows, columns);
    String matrix = "onnx::MatMul_" + stem.length() + stem.hashCode();
    graph.node(GraphWriter.STANDARD, "MatMul", List.of("x", matrix), stem + "y");
    List<String> inputs =
        biasFirst ? List.of(stem + "bias", stem + "y") : List.of(stem + "y", stem + "bias");
    graph.node(GraphWriter.STANDARD, "Add", inputs, stem + "z");
  }

  private void weight(String name, long... dims) {
    int size = 1;
    for (long dim : dims) {
      size *= (int) dim;
    }
    float[] values = new float[size];
    for (int i = 0; i < size; i++) {
      values[i] = random.nextFloat() - 0.5f;
    }
    graph.floats(name, OnnxFile.bytes(values), dims);
  }
}
