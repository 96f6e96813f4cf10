package dev.helixbg.llm.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.gguf.GgufErrors;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class Qwen3LoadTest {
  @TempDir Path folder;

  private void load(TinyModel tiny, Consumer<Qwen3> test) throws IOException {
    try (GgufFile file = GgufFile.read(MappedFile.open(tiny.write(folder)));
        ScalarBackend backend = new ScalarBackend()) {
      test.accept(Qwen3.of(file, backend, new PassLimits(4096, 8, 1)));
    }
  }

  @Test
  void everyDimensionComesFromTheFile() throws IOException {
    load(
        new TinyModel(),
        model -> {
          Qwen3Config config = model.config();
          assertEquals(3, config.heads());
          assertEquals(48, config.queryWidth());
          assertEquals(16, config.kvWidth());
          assertEquals(40, model.vocabulary());
          assertEquals(64, model.cacheShape().limit());
        });
  }

  /** An unused tensor would be refused, so the model uses the separate output matrix. */
  @Test
  void aSeparateOutputMatrixIsUsed() throws IOException {
    load(
        new TinyModel().tensor("output.weight", TensorType.F32, 32, 40),
        model -> assertEquals(40, model.vocabulary()));
  }

  @Test
  void oddNumbersThatMeanWhatIsMeantAreRead() throws IOException {
    load(
        new TinyModel()
            .with("qwen3.context_length", 2_000_000)
            .with("qwen3.pooling_type", new int[] {1})
            .with("qwen3.rope.scaling.factor", 1f)
            .with("general.name", new int[] {1}),
        model -> {
          assertEquals(1, model.config().kvHeads());
          assertEquals(1 << 20, model.config().contextLength());
        });
  }

  @Test
  void aModelThatPoolsNothingIsAChatModel() throws IOException {
    load(new TinyModel().with("qwen3.pooling_type", 0), model -> {});
  }

  static Stream<Arguments> wrongModels() {
    return Stream.of(
        wrongValue("general.architecture", "llama", "\"llama\""),
        wrongValue("general.architecture", null, "missing"),
        wrongValue("qwen3.block_count", 0, "not between"),
        wrongValue("qwen3.block_count", null, "missing"),
        wrongValue("qwen3.embedding_length", "32", "a whole number is expected"),
        wrongValue("qwen3.attention.head_count_kv", 2, "cannot share"),
        wrongValue("qwen3.attention.head_count_kv", 4, "not between 1 and 3"),
        wrongValue("qwen3.attention.key_length", 15, "odd"),
        wrongValue("qwen3.attention.value_length", 32, "equal to the key length, 16"),
        wrongValue("qwen3.rope.dimension_count", 8, "equal to the key length, 16"),
        wrongValue("qwen3.rope.freq_base", 0f, "positive"),
        wrongValue("qwen3.rope.freq_base", Float.NaN, "positive"),
        wrongValue("qwen3.rope.scaling.type", "yarn", "use the standard version"),
        wrongValue("qwen3.rope.scale_linear", 4f, "use the standard version"),
        wrongValue("split.count", 3, "one of 3 files of a split model"),
        wrongValue("qwen3.pooling_type", 3, "embedding model"),
        wrongValue("general.name", "Qwen3 Embedding 0.6B", "embedding model"),
        wrong("blk.0.attn_v.weight", tiny().without("blk.0.attn_v.weight"), "missing"),
        wrong("token_embd.weight", tiny().without("token_embd.weight"), "missing"),
        wrong("blk.1.attn_norm.weight", tiny().with("qwen3.block_count", 2), "missing"),
        wrong("blk.0.attn_q.weight", 32, 32, "its shape is [32, 32], not [32, 48]"),
        wrong("blk.0.ffn_down.weight", 32, 64, "not [64, 32]"),
        wrong("output.weight", 32, 39, "not [32, 40]"),
        wrong(
            "blk.0.attn_q_norm.weight",
            tiny().tensor("blk.0.attn_q_norm.weight", TensorType.F16, 16, 0),
            "not F32 [16]"),
        wrong("output_norm.weight", 32, 1, "not F32 [32]"),
        wrong("blk.0.attn_q.bias", 48, 0, "no such tensor"));
  }

  private static TinyModel tiny() {
    return new TinyModel();
  }

  private static Arguments wrongValue(String key, Object value, String words) {
    return wrong(key, tiny().with(key, value), words);
  }

  private static Arguments wrong(String tensor, long columns, long rows, String words) {
    return wrong(tensor, tiny().tensor(tensor, TensorType.F32, columns, rows), words);
  }

  private static Arguments wrong(String name, TinyModel model, String words) {
    return Arguments.argumentSet(name + " " + words, name, model, words);
  }

  @ParameterizedTest
  @MethodSource("wrongModels")
  void aWrongModelIsRefusedByNameAtLoad(String name, TinyModel model, String words) {
    GgufException error = GgufErrors.refused(words, () -> load(model, loaded -> {}));
    assertEquals(name, GgufErrors.name(error));
  }
}
