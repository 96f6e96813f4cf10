package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.tensor.Tensor;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A slow core gets less of a product to do, and the result is the same, bit for bit. */
class UnequalCoresTest {
  @AutoClose private final Arena arena = Arena.ofShared();

  @ParameterizedTest
  @CsvSource({"Q4_K, 1, 1", "Q4_K, 40, 2", "Q6_K, 3, 0", "F32, 1, 1", "Q8_0, 12, 3"})
  void whoTakesWhichPartChangesNoBit(TensorType type, int rows, int slow) {
    Tensor weights = CpuProduct.weights(arena, type, 4096, 512);
    AtomicIntegerArray taken = new AtomicIntegerArray(4);
    float[][] alone;
    try (CpuBackend backend = new CpuBackend(1, () -> {})) {
      alone = CpuProduct.of(backend, weights, rows);
    }
    try (CpuBackend backend = new CpuBackend(new SlowedTeam(slow, taken), () -> {})) {
      for (int round = 0; round < 3; round++) {
        assertArrayEquals(alone, CpuProduct.of(backend, weights, rows));
      }
    }
    int fastest = 0;
    for (int member = 0; member < 4; member++) {
      fastest = Math.max(fastest, taken.get(member));
    }
    assertTrue(taken.get(slow) < fastest, "parts by member: " + taken);
  }

  /**
   * Four members, one of which does a part when all others are taken: however busy the machine is,
   * it is the slowest.
   */
  private static final class SlowedTeam extends ThreadTeam {
    private final int slow;
    private final AtomicIntegerArray taken;

    SlowedTeam(int slow, AtomicIntegerArray taken) {
      super(4);
      this.slow = slow;
      this.taken = taken;
    }

    @Override
    public void run(Work work, int parts) {
      AtomicInteger takenNow = new AtomicInteger();
      super.run(
          (member, part) -> {
            taken.incrementAndGet(member);
            takenNow.incrementAndGet();
            if (member == slow) {
              await(takenNow, parts);
            }
            work.run(member, part);
          },
          parts);
    }

    /** Not for ever: where parts are not shared out, the test shall fail. */
    private static void await(AtomicInteger counter, int value) {
      long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
      while (counter.get() < value && System.nanoTime() < deadline) {
        LockSupport.parkNanos(100_000);
      }
    }
  }
}
