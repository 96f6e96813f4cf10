package dev.helixbg.llm.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.bench.KernelBench.Result;
import dev.helixbg.llm.bench.KernelBench.Size;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class KernelBenchTest {
  private static final Size SMALL = new Size(1 << 20, 9, 100, 20, 2, 64, 1, 1);

  /**
   * Tested types: all with {@code -Dproofs.all}, else few, because the JIT compiles kernels for
   * each.
   */
  private static final List<TensorType> TYPES =
      Boolean.getBoolean("proofs.all")
          ? List.of(TensorType.values())
          : List.of(TensorType.F16, TensorType.Q8_0, TensorType.Q4_K);

  private final List<Result> results = new ArrayList<>();

  @Test
  void everyKernelIsCheckedAndMeasuredOnEachNumberOfThreads() {
    new KernelBench(SMALL, List.of(1, 2), () -> false, results::add)
        .run(List.of(TensorType.F32), true);
    assertEquals(2 * (2 + 5), results.size());
    assertEquals(2, count("F32 × vector"));
    results.clear();
    new KernelBench(SMALL, List.of(2), () -> false, results::add).run(TYPES, false);
    assertEquals(2 * TYPES.size(), results.size());
    for (Result result : results) {
      assertTrue(result.speed() > 0 && result.ceiling() > 0, result.toString());
      assertTrue(result.error() >= 0 && result.error() <= 2e-2, result.toString());
    }
    for (TensorType type : TYPES) {
      assertEquals(1, count(type + " × vector"));
      assertEquals(1, count(type + " × 9 vectors"));
    }
  }

  private long count(String kernel) {
    return results.stream().filter(result -> result.kernel().equals(kernel)).count();
  }

  @Test
  void aWrongResultIsAnErrorAndNoNumber() {
    KernelBench bench = new KernelBench(SMALL, List.of(1), () -> false, results::add);
    for (double error : new double[] {1.1e-3, Double.NaN}) {
      Wrong wrong = new Wrong(error);
      var thrown = assertThrows(IllegalStateException.class, () -> bench.measure(wrong, 1, null));
      assertTrue(thrown.getMessage().contains("the wrong one"), thrown.getMessage());
      assertTrue(wrong.closed);
    }
    assertEquals(List.of(), results);
  }

  private static final class Wrong implements KernelCase {
    private final double error;
    private boolean closed;

    Wrong(double error) {
      this.error = error;
    }

    @Override
    public String name() {
      return "the wrong one";
    }

    @Override
    public Limit limit() {
      return Limit.ARITHMETIC;
    }

    @Override
    public double amount() {
      return 1;
    }

    @Override
    public void run() {}

    @Override
    public double error() {
      return error;
    }

    @Override
    public double bound() {
      return 1e-3;
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
