package dev.helixbg.llm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.helixbg.llm.gpu.driver.GpuException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class GpuRetryTest {
  private static final String LOST = "the GPU could not finish its work: it was lost";

  private final List<String> news = new ArrayList<>();
  private final GpuRetry retry = new GpuRetry(news::add);
  private final List<Boolean> runs = new ArrayList<>();

  /** Returns work that fails {@code times} times, then returns the device on which it ran. */
  private GpuRetry.Work<String, RuntimeException> failing(int times) {
    runs.clear();
    return onCpu -> {
      runs.add(onCpu);
      if (runs.size() <= times) {
        throw GpuException.failed(LOST);
      }
      return onCpu ? "cpu" : "gpu";
    };
  }

  @Test
  void aFailureIsFollowedByOneMoreTryAndThenByTheCpuForGood() {
    assertEquals("gpu", retry.run(true, failing(1)));
    assertEquals(List.of(LOST + "; trying once more"), news);
    assertEquals("cpu", retry.run(true, failing(2)));
    assertEquals(List.of(false, false, true), runs);
    assertEquals(LOST + "; the CPU takes over", news.getLast());
    assertEquals("cpu", retry.run(true, failing(0)));
  }

  @Test
  void aSuccessEndsTheRow() {
    for (int i = 0; i < 3; i++) {
      assertEquals("gpu", retry.run(true, failing(1)));
    }
  }

  @Test
  void withoutACpuTheSecondFailureIsTheLast() {
    assertEquals("gpu", retry.run(false, failing(1)));
    assertThrows(GpuException.class, () -> retry.run(false, failing(2)));
    assertEquals(2, runs.size());
    assertThrows(GpuException.class, () -> retry.run(false, failing(1)));
    assertEquals(1, runs.size(), "it failed the last time, too");
  }

  @Test
  void whatAGpuRefusesIsNotTriedAgain() {
    List<GpuException> refusals =
        List.of(GpuException.absent("there is none", null), new GpuException("it is too old"));
    for (GpuException refusal : refusals) {
      assertThrows(
          GpuException.class,
          () ->
              retry.run(
                  true,
                  onCpu -> {
                    throw refusal;
                  }));
    }
    assertEquals(List.of(), news);
  }
}
