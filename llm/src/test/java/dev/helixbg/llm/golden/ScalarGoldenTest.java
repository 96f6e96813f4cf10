package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import java.util.List;

class ScalarGoldenTest extends GoldenContract {
  /** All with {@code -Dgolden.all}, which takes minutes; else one of each task, a few seconds. */
  private static final int CASES = Boolean.getBoolean("golden.all") ? Integer.MAX_VALUE : 1;

  @Override
  Backend backend() {
    return new ScalarBackend();
  }

  @Override
  List<GoldenCase> generated(GoldenModel golden) {
    return List.of("label", "summary", "pair").stream()
        .flatMap(task -> golden.cases().stream().filter(c -> c.task().equals(task)).limit(CASES))
        .toList();
  }

  @Override
  double logitBound() {
    return 1e-5;
  }

  @Override
  double tapBound() {
    return 1e-5;
  }
}
