package dev.helixbg.embed.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.Square;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the engine can read each file that is written from an export. */
class EncoderFileTest {
  @TempDir Path folder;
  private Path export;
  private Path target;

  @BeforeEach
  void write() throws IOException {
    export = folder.resolve("tiny.onnx");
    target = folder.resolve("encoder.weights");
    TinyExport.write(export);
  }

  @ParameterizedTest
  @CsvSource({"BYTES,false", "BYTES,true", "SHORTS,false", "FINE_BYTES,false"})
  void theEngineReadsIt(Square kind, boolean judge) throws IOException {
    assumeTrue(Encoder.isAvailable(kind), "no processor that multiplies them");
    rewrite(kind, judge);
    try (Encoder encoder = new Encoder(target)) {
      int[][] ids = {{7, 0, 3, 3}, {5}};
      int second = judge ? 1 : 0; // single texts have only type 0
      float[] states = encoder.states(ids, new int[][] {{0, second, 0, second}, {0}});
      assertEquals(384 * (judge ? 2 : 5), states.length);
      for (float state : states) {
        assertTrue(Float.isFinite(state));
      }
    }
  }

  /** In each product of a layer, the factors of the inputs and of the weights cancel each other. */
  @Test
  void smoothingChangesNoResult() throws IOException {
    assumeTrue(Encoder.isAvailable(Square.FINE_BYTES), "no processor with VNNI");
    float[] plain = states(Square.SHORTS);
    float[] smoothed = states(Square.FINE_BYTES);
    double product = 0;
    double squares = 0;
    double otherSquares = 0;
    for (int i = 0; i < plain.length; i++) {
      product += (double) plain[i] * smoothed[i];
      squares += (double) plain[i] * plain[i];
      otherSquares += (double) smoothed[i] * smoothed[i];
    }
    double cosine = product / Math.sqrt(squares * otherSquares);
    assertTrue(cosine > 0.995, "cosine " + cosine);
  }

  private float[] states(Square kind) throws IOException {
    rewrite(kind, false);
    try (Encoder encoder = new Encoder(target)) {
      return encoder.states(new int[][] {{7, 0, 3, 3}, {5}}, new int[][] {new int[4], new int[1]});
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "embeddings.word_embeddings.weight",
        "embeddings.position_embeddings.weight",
        "embeddings.LayerNorm.bias",
        "encoder.layer.0.attention.self.key.bias",
        "encoder.layer.0.intermediate.dense.bias",
        "encoder.layer.0.output.LayerNorm.weight"
      })
  void missingWeightsAreNamed(String name) throws IOException {
    TinyExport.without(name, export, export);
    OnnxFormatException e =
        assertThrows(OnnxFormatException.class, () -> rewrite(Square.BYTES, false));
    assertTrue(e.getMessage().contains(name), e.getMessage());
    assertTrue(Files.notExists(target));
  }

  private void rewrite(Square kind, boolean judge) throws IOException {
    try (OnnxFile source = OnnxFile.open(export)) {
      EncoderFile.write(source, kind, judge, target);
    }
  }
}
