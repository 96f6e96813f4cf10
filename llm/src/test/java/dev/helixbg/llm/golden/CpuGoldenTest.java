package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.cpu.CpuBackend;
import java.util.List;

abstract class CpuGoldenTest extends GoldenContract {
  private final int threads;

  CpuGoldenTest(int threads) {
    this.threads = threads;
  }

  @Override
  Backend backend() {
    return new CpuBackend(threads);
  }

  @Override
  List<GoldenCase> generated(List<GoldenCase> cases) {
    return cases;
  }

  @Override
  double logitBound() {
    return 5e-5;
  }

  @Override
  double tapBound() {
    return 5e-5;
  }

  static class OneThreadTest extends CpuGoldenTest {
    OneThreadTest() {
      super(1);
    }
  }

  static class TwoThreadsTest extends CpuGoldenTest {
    TwoThreadsTest() {
      super(2);
    }

    /**
     * All with {@code -Dgolden.all}; else four of each task: on a busy machine two threads wait for
     * each other.
     */
    @Override
    List<GoldenCase> generated(List<GoldenCase> cases) {
      int each = Boolean.getBoolean("golden.all") ? Integer.MAX_VALUE : 4;
      return List.of("label", "summary", "pair").stream()
          .flatMap(task -> cases.stream().filter(c -> c.task().equals(task)).limit(each))
          .toList();
    }
  }
}
