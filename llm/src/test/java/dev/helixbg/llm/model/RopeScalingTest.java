package dev.helixbg.llm.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.helixbg.llm.backend.RopeAngles;
import dev.helixbg.llm.backend.host.HostRope;
import dev.helixbg.llm.gguf.GgufFile;
import dev.helixbg.llm.gguf.MappedFile;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that scale their rotation, by every key that does so. */
class RopeScalingTest {
  @TempDir Path folder;

  private Qwen3Config config(TinyModel model) throws IOException {
    try (GgufFile file = GgufFile.read(MappedFile.open(model.write(folder)))) {
      return Qwen3Config.from(file.metadata());
    }
  }

  @Test
  void withoutScalingOrWithNoneNothingIsScaled() throws IOException {
    double[] plain = RopeAngles.of(16, 10_000).turns();
    assertArrayEquals(plain, config(new TinyModel()).ropeAngles().turns());
    TinyModel none =
        new TinyModel().with("qwen3.rope.scaling.type", "none").with("qwen3.rope.scale_linear", 8f);
    assertArrayEquals(plain, config(none).ropeAngles().turns());
  }

  /**
   * Qwen3's 128K files. The values are of a Python script of the published formulas: pairs up to 23
   * keep their turns, from 40 on they turn by a quarter.
   */
  @Test
  void yarnGivesTheReferenceAngles() throws IOException {
    TinyModel model =
        new TinyModel()
            .with("qwen3.context_length", 131_072)
            .with("qwen3.rope.scaling.type", "yarn")
            .with("qwen3.rope.scaling.factor", 4f)
            .with("qwen3.rope.scaling.original_context_length", 32_768);
    RopeAngles angles = config(model).ropeScaling().angles(128, 1e6);
    assertEquals(1.138629436111989, angles.magnitude(), 1e-15);
    int[] pairs = {0, 20, 23, 24, 30, 39, 40, 41, 63};
    double[] turns = {
      1,
      0.01333521432163324,
      0.006978305848598663,
      0.005375321490790102,
      0.001064360981247002,
      6.490394320837029e-05,
      4.445698525097307e-05,
      3.582531425592407e-05,
      3.102344401879299e-07
    };
    for (int i = 0; i < pairs.length; i++) {
      assertEquals(turns[i], angles.turns()[pairs[i]], turns[i] * 1e-12, "pair " + pairs[i]);
    }
    try (Arena arena = Arena.ofConfined()) {
      HostRope rope = new HostRope(arena, angles, 8);
      rope.fillTo(8);
      double cosine = rope.table().get(ValueLayout.JAVA_FLOAT, rope.cosines(7) + 4 * 30);
      assertEquals(angles.magnitude() * Math.cos(7 * turns[4]), cosine, 1e-6);
    }
  }
}
