package dev.helixbg.llm.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.ModelOpener;
import dev.helixbg.llm.ModelOptions;
import dev.helixbg.llm.ModelOptions.Device;
import dev.helixbg.llm.TextModel;
import dev.helixbg.llm.cpu.kernel.tile.TileProduct;
import dev.helixbg.llm.gguf.GgufErrors;
import dev.helixbg.llm.gguf.GgufException;
import dev.helixbg.llm.golden.GoldenModel;
import dev.helixbg.llm.model.Qwen3.PassLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
  void anOpenModelTellsItsNameAndContext() {
    try (TextModel model = ModelOpener.open(GoldenModel.Q4_0.path(), options(8))) {
      assertEquals("helix golden", model.name());
      assertEquals(64, model.contextLimit());
      assertEquals(List.of(), model.warnings());
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

  /** The CPU's attention has buffers for heads of at most {@link TileProduct#DEPTH} values. */
  @Test
  void everyHeadThatAFileMayHaveFitsTheKernels() {
    assertTrue(Qwen3Config.MAX_HEAD_SIZE <= TileProduct.DEPTH);
  }
}
