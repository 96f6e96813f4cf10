package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import java.util.List;

class ScalarGoldenTest extends GoldenContract {
  @Override
  Backend backend() {
    return new ScalarBackend();
  }

  @Override
  List<GoldenCase> generated(GoldenModel golden) {
    return ofEachTask(golden, 1);
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
