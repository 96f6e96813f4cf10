package dev.helixbg.llm.synthetic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.GgufWriter;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

class SyntheticModelTest {
  private static final int COLUMNS = 1024;
  private static final int ROWS = 64;

  @TempDir Path folder;

  @ParameterizedTest
  @EnumSource(
      mode = Mode.INCLUDE,
      names = {"F32", "Q8_0", "Q4_K", "Q6_K"})
  void randomWeightsHaveMeanZeroAndKeepTheSizeOfWhatTheyMultiply(TensorType type)
      throws IOException {
    Path path = folder.resolve("random.gguf");
    new GgufWriter()
        .matrix(
            "w", type, COLUMNS, ROWS, SyntheticModel.rows(type, COLUMNS, new SplittableRandom(1)))
        .write(path);
    try (GgufFile file = GgufFile.read(MappedFile.open(path))) {
      Tensor tensor = file.tensors().get("w");
      float[] weights = new float[COLUMNS * ROWS];
      Dequantize.row(type, tensor.data(), 0, weights.length, weights, 0);
      double sum = 0;
      double squares = 0;
      for (float weight : weights) {
        sum += weight;
        squares += (double) weight * weight;
      }
      double deviation = Math.sqrt(squares / weights.length);
      assertEquals(1 / Math.sqrt(COLUMNS), deviation, 0.05 * deviation);
      assertEquals(0, sum / weights.length, 0.05 * deviation);
    }
  }

  @Test
  void theVocabularyHasTheSizeOfQwen3sAndNoTokenTwice() {
    SyntheticVocabulary vocabulary = new SyntheticVocabulary();
    assertEquals(SyntheticVocabulary.SIZE, vocabulary.tokens.size());
    assertEquals(SyntheticVocabulary.SIZE, new HashSet<>(vocabulary.tokens).size());
    assertEquals("<|im_end|>", vocabulary.tokens.get(SyntheticVocabulary.END_OF_TURN));
    assertTrue(vocabulary.merges.size() > 151_000);
  }
}
