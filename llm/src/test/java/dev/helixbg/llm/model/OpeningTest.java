package dev.helixbg.llm.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.InterceptedBackend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.gguf.GgufErrors;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.ModelWarmUp.Passes;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What opening a model takes, and that it gives it back when it fails. */
class OpeningTest {
  @TempDir Path folder;

  private static ModelOptions options(int rows) {
    PassLimits limits = new PassLimits(64, rows, 1);
    return new ModelOptions(Device.CPU, 3, limits);
  }

  private static Set<Thread> threads(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(name))
        .collect(Collectors.toSet());
  }

  @Test
  void whatWasTakenIsGivenBackWhenMemoryRunsOut() throws IOException {
    Path copy = Files.copy(GoldenModel.Q4_0.path(), folder.resolve("model.gguf"));
    Set<Thread> before = threads("helix-llm-");
    assertThrows(OutOfMemoryError.class, () -> ModelOpener.open(copy, options(Integer.MAX_VALUE)));
    Set<Thread> left = threads("helix-llm-");
    left.removeAll(before);
    assertEquals(Set.of(), left);
    Path maps = Path.of("/proc/self/maps");
    if (Files.exists(maps)) {
      assertFalse(Files.readString(maps).contains(copy.toRealPath().toString()), "still mapped");
    }
  }

  @Test
  void aSmallFileThatClaimsHugeHeadsIsRefused() throws IOException {
    Path file =
        new TinyModel()
            .with("qwen3.attention.head_count", 511)
            .with("qwen3.attention.key_length", 1022)
            .write(folder);
    GgufException error =
        assertThrows(GgufException.class, () -> ModelOpener.open(file, options(8)));
    assertEquals("blk.0.attn_q.weight", GgufErrors.name(error));
  }

  /** What is longer than a panel of the CPU's attention would be written over its neighbours. */
  @Test
  void everyHeadThatAFileMayHaveFitsTheKernels() {
    assertTrue(Qwen3Config.MAX_HEAD_SIZE <= TileProduct.DEPTH);
  }

  /** Kernels are compiled beside the checks of the tensors, by what the head claims. */
  @Test
  void warmingUpTakesLittleMemoryWhateverTheHeads() {
    for (int heads : new int[] {1, 5, 63}) {
      for (int headSize : new int[] {2, 80, 128, 1022}) {
        AtomicLong bytes = new AtomicLong();
        Qwen3Config config =
            new Qwen3Config(64, 1, 32, 64, heads, 1, headSize, 1e6, RopeScaling.NONE, 1e-6f);
        try (CpuBackend cpu = new CpuBackend(1)) {
          Backend counting =
              InterceptedBackend.of(
                  cpu,
                  (method, arguments, usual) -> {
                    if (method.equals("matrix")) {
                      bytes.addAndGet(((Tensor) arguments[0]).data().byteSize());
                    }
                    return usual.call();
                  });
          ModelWarmUp.run(counting, config, List.of(TensorType.Q4_K), new Passes(1, 1));
        }
        String shape = heads + " heads of " + headSize + ": " + bytes + " bytes";
        assertTrue(bytes.get() < 32 << 20, shape);
      }
    }
  }
}
