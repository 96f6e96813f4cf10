package dev.helixbg.embed.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.helixbg.embed.encoder.Encoder;
import dev.helixbg.embed.encoder.Square;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is written of an export is what the engine reads, whatever the export holds. */
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
  @CsvSource({"BYTES,false", "BYTES,true", "SHORTS,false"})
  void theEngineReadsIt(Square kind, boolean judge) throws IOException {
    assumeTrue(Encoder.isAvailable(), "no processor that multiplies bytes");
    rewrite(kind, judge);
    try (Encoder encoder = Encoder.open(target)) {
      int[][] ids = {{7, 0, 3, 3}, {5}};
      int second = judge ? 1 : 0; // of texts there is one type
      float[] states = encoder.states(ids, new int[][] {{0, second, 0, second}, {0}});
      assertEquals(384 * (judge ? 2 : 5), states.length);
      for (float state : states) {
        assertTrue(Float.isFinite(state));
      }
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
    String content = Files.readString(export, StandardCharsets.ISO_8859_1);
    String renamed = content.replace(name, "X" + name.substring(1));
    Files.writeString(export, renamed, StandardCharsets.ISO_8859_1);
    OnnxFormatException e =
        assertThrows(OnnxFormatException.class, () -> rewrite(Square.BYTES, false));
    assertTrue(e.getMessage().contains(name), e.getMessage());
    assertTrue(Files.notExists(target));
  }

  @Test
  void otherModelsAreRefused() throws IOException {
    Files.write(export, new byte[1000]);
    assertThrows(OnnxFormatException.class, () -> rewrite(Square.BYTES, true));
  }

  private void rewrite(Square kind, boolean judge) throws IOException {
    try (OnnxFile source = OnnxFile.open(export)) {
      EncoderFile.write(source, kind, judge, target);
    }
  }
}
