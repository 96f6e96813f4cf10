package dev.helixbg.llm.cpu;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.cpu.kernel.RowKernel;
import dev.helixbg.llm.cpu.kernel.Unpacker;
import dev.helixbg.llm.cpu.kernel.row.RowKernels;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.TensorType;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Which of two kernels is taken, by kernels whose speed and results are made up. */
class RowTrialTest {
  private static final long FAST = 50_000;
  private static final float OFF_BY_ROUNDING = 1.005f;

  /** Waits, and gives each row its number times a factor. */
  private record Made(long nanos, float factor) implements RowKernel {
    @Override
    public void multiply(
        long weights, int columns, long x, long y, int from, int to, int step, Unpacker own) {
      long end = System.nanoTime() + nanos;
      while (System.nanoTime() - end < 0) {
        LockSupport.parkNanos(1);
      }
      for (int row = from; row < to; row += step) {
        Lanes.MEMORY.set(Lanes.FLOAT, y + 4L * row, factor * (row + 1));
      }
    }
  }

  private static boolean prefers(Made bytes, Made other) {
    return RowTrial.prefers(bytes, other, TensorType.Q4_K);
  }

  @Test
  void theFasterOneIsTaken() {
    assertTrue(prefers(new Made(FAST, OFF_BY_ROUNDING), new Made(20 * FAST, 1)));
  }

  @Test
  void oneThatIsSlowerIsNot() {
    assertFalse(prefers(new Made(20 * FAST, OFF_BY_ROUNDING), new Made(FAST, 1)));
  }

  @Test
  void noSpeedMakesUpForWrongResults() {
    assertFalse(prefers(new Made(FAST, 1.1f), new Made(20 * FAST, 1)));
    assertFalse(prefers(new Made(FAST, Float.NaN), new Made(20 * FAST, 1)));
  }

  /** A model that is opened later, while another answers, changes nothing. */
  @Test
  void whatWasChosenStays() {
    RowKernel before = RowKernels.of(TensorType.Q4_K);
    try {
      KernelWarmUp.rows(TensorType.Q4_K);
      RowKernel chosen = RowKernels.of(TensorType.Q4_K);
      KernelWarmUp.rows(TensorType.Q4_K);
      assertSame(chosen, RowKernels.of(TensorType.Q4_K));
    } finally {
      RowKernels.replace(TensorType.Q4_K, before);
    }
  }
}
