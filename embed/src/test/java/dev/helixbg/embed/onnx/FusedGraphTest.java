package dev.helixbg.embed.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.config.Settings.EmbedSettings.Precision;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FusedGraphTest {

  @TempDir static Path folder;
  private static Path export;
  private static byte[] bytes;

  @BeforeAll
  static void write() throws IOException {
    export = folder.resolve("tiny.onnx");
    TinyExport.write(export);
    bytes = Files.readAllBytes(export);
  }

  @Test
  void rewrittenGraphHasOnlyFusedOperatorsAndProducts() throws IOException {
    assertEquals(
        List.of(
            "EmbedLayerNormalization",
            "MatMul",
            "MatMul",
            "MatMul",
            "MultiHeadAttention",
            "MatMul",
            "SkipLayerNormalization",
            "MatMul",
            "BiasGelu",
            "MatMul",
            "SkipLayerNormalization"),
        operators(Precision.FP32));
  }

  @Test
  void eightBitGraphTakesBlocksForTheMatrixWithOutliers() throws IOException {
    List<String> operators = operators(Precision.INT8);
    assertEquals(5, operators.stream().filter("DynamicQuantizeMatMul"::equals).count());
    assertEquals(1, operators.stream().filter("MatMulNBits"::equals).count());
    assertTrue(operators.stream().noneMatch("MatMul"::equals));
  }

  @Test
  void weightsAreTakenOverUnchanged() throws IOException {
    try (OnnxFile source = OnnxFile.open(export);
        OnnxFile fused = OnnxFile.open(rewrite(export, Precision.FP32))) {
      String bias = "encoder.layer.0.intermediate.dense.bias";
      assertEquals(source.weight(bias, 1536), fused.weight(bias, 1536));
      ByteBuffer words = source.weight("embeddings.word_embeddings.weight", 8, 384);
      assertEquals(words, fused.weight("words", 8, 384));
      assertEquals(List.of("batch_size", "sequence_length"), source.symbolicDims());
    }
  }

  @Test
  void largeWeightsAreInAFileOfTheirOwn() throws IOException {
    Path target = rewrite(export, Precision.FP32);
    assertTrue(Files.size(target) < 100_000, "of the matrices only where they are");
    byte[] apart = Files.readAllBytes(FusedGraph.weightsOf(target));
    assertEquals(4 * (4 * 384 * 384 + 2 * 384 * 1536), apart.length);
    try (OnnxFile source = OnnxFile.open(export)) {
      ByteBuffer first = source.matrix("encoder.layer.0.attention.self.query.bias", 384, 384);
      assertEquals(first, ByteBuffer.wrap(apart, 0, first.remaining()));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "embeddings.word_embeddings.weight",
        "embeddings.LayerNorm.bias",
        "encoder.layer.0.attention.self.key.bias",
        "encoder.layer.0.output.LayerNorm.weight"
      })
  void everyMissingWeightIsNamed(String name) throws IOException {
    Path broken = TinyExport.without(name, export, folder.resolve("renamed.onnx"));
    OnnxFormatException e =
        assertThrows(OnnxFormatException.class, () -> rewrite(broken, Precision.INT8));
    assertTrue(e.getMessage().contains(name), e.getMessage());
  }

  @Test
  void otherModelsAreRefused() throws IOException {
    for (byte[] other : List.of(new byte[0], "hello".getBytes(), new byte[1000])) {
      Path file = Files.write(folder.resolve("other.onnx"), other);
      assertThrows(OnnxFormatException.class, () -> rewrite(file, Precision.FP32));
    }
  }

  /** A file that is cut off anywhere is refused with an {@code OnnxFormatException}. */
  @Test
  void truncatedFilesAreRefused() throws IOException {
    Random random = new Random(1);
    Path file = folder.resolve("cut.onnx");
    for (int i = 0; i < 60; i++) {
      int length = i < 20 ? i : random.nextInt(bytes.length);
      Files.write(file, Arrays.copyOf(bytes, length));
      assertThrows(OnnxFormatException.class, () -> rewrite(file, Precision.FP32));
    }
  }

  @Test
  void damagedStructureIsRefusedOrHarmless() throws IOException {
    Random random = new Random(2);
    List<Integer> structure = structure();
    Path file = folder.resolve("damaged.onnx");
    int refused = 0;
    for (int i = 0; i < 160; i++) {
      byte[] damaged = bytes.clone();
      for (int k = 0; k <= i % 3; k++) {
        damaged[structure.get(random.nextInt(structure.size()))] = (byte) random.nextInt(256);
      }
      Files.write(file, damaged);
      try {
        rewrite(file, i % 8 == 0 ? Precision.INT8 : Precision.FP32);
      } catch (OnnxFormatException e) {
        refused++;
      }
    }
    assertTrue(refused > 80, refused + " refused");
  }

  /**
   * Returns positions around the names in the file, from 16 bytes before to 64 bytes after a name's
   * beginning. The data of the weights is elsewhere.
   */
  private static List<Integer> structure() {
    List<Integer> positions = new ArrayList<>();
    for (String name : List.of("embeddings.", "encoder.layer", "MatMul", "Add", "input_ids")) {
      byte[] wanted = name.getBytes(StandardCharsets.UTF_8);
      for (int at = indexOf(wanted, 0); at >= 0; at = indexOf(wanted, at + 1)) {
        for (int i = Math.max(0, at - 16); i < Math.min(bytes.length, at + 64); i++) {
          positions.add(i);
        }
      }
    }
    return positions;
  }

  private static int indexOf(byte[] wanted, int from) {
    for (int at = from; at <= bytes.length - wanted.length; at++) {
      if (bytes[at] == wanted[0]
          && Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }

  private static List<String> operators(Precision precision) throws IOException {
    try (OnnxFile fused = OnnxFile.open(rewrite(export, precision))) {
      return fused.nodes.stream().map(OnnxFile.Node::operator).toList();
    }
  }

  private static Path rewrite(Path file, Precision precision) throws IOException {
    Path target = folder.resolve("rewritten.onnx");
    try (OnnxFile source = OnnxFile.open(file)) {
      FusedGraph.write(source, precision, false, target);
    }
    return target;
  }
}
