package dev.helixbg.llm.generate;

import static dev.helixbg.llm.gguf.GgufErrors.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.Backend.Activations;
import dev.helixbg.llm.backend.Batch;
import dev.helixbg.llm.backend.InterceptedBackend;
import dev.helixbg.llm.backend.KvCache;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.generate.Generator.GenerationOptions;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NotANumberTest {
  private static final PassLimits LIMITS = new PassLimits(64, 32, 16);
  private static final int[] PROMPT = {5, 6, 7};

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nothingIsChosenAmongWhatIsNoNumber(boolean all) {
    for (Backend backend : List.of(new CpuBackend(1, () -> {}), new ScalarBackend())) {
      try (backend;
          GgufFile file = GgufFile.read(MappedFile.open(GoldenModel.Q4_0.path()))) {
        Qwen3 model = Qwen3.of(file, damaged(backend, all), LIMITS);
        ForwardPasses work = new ForwardPasses(model, LIMITS);
        KvCache cache = backend.cache(model.cacheShape());
        refused("not numbers", () -> generate(work, cache));
        refused(
            "not numbers",
            () ->
                Generator.generateAll(
                    work, cache, List.of(PROMPT), new GenerationOptions(3, Set.of()), () -> false));
        refused(
            "not numbers",
            () ->
                new ChoiceScorer(work)
                    .score(
                        cache,
                        List.of(PROMPT),
                        List.of(new int[] {0}, new int[] {9}),
                        () -> false));
        assertEquals(PROMPT.length, cache.length(), "what was read stays");
      }
    }
  }

  private static void generate(ForwardPasses work, KvCache cache) {
    GenerationOptions options = new GenerationOptions(3, Set.of());
    Generator.generate(work, cache, PROMPT, options, id -> {}, () -> false);
  }

  private static Backend damaged(Backend backend, boolean all) {
    return InterceptedBackend.of(
        backend,
        (method, arguments, usual) -> {
          Object answer = usual.call();
          if (method.equals("logits")) {
            Activations logits = (Activations) arguments[4];
            float[] row = new float[logits.columns()];
            for (int i = 0; i < ((Batch) arguments[0]).wanted(); i++) {
              logits.read(i, row);
              for (int id = 0; id < row.length; id++) {
                row[id] = all || id == row.length / 2 ? Float.NaN : row[id];
              }
              logits.write(i, row);
            }
          }
          return answer;
        });
  }
}
