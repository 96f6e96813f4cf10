package dev.helixbg.daemon.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class RecommendedModelTest {
  private static final long GB = 1_000_000_000L;

  @Test
  void theLargestThatFitsInAThirdOfTheMemoryAndIsLarger() {
    assertEquals("Qwen3-1.7B", name(600_000_000, 6 * GB));
    assertEquals("Qwen3-4B", name(600_000_000, 8 * GB));
    assertEquals("Qwen3-8B", name(600_000_000, 64 * GB));
    assertEquals(Optional.empty(), RecommendedModel.fitting(600_000_000, 4 * GB));
    assertEquals(Optional.empty(), RecommendedModel.fitting(2 * GB, 7 * GB));
    assertEquals(Optional.empty(), RecommendedModel.fitting(6 * GB, 64 * GB));
  }

  private static String name(long file, long memory) {
    return RecommendedModel.fitting(file, memory).orElseThrow().split(" ")[0];
  }
}
