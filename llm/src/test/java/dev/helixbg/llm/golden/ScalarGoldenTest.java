package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.scalar.ScalarBackend;

class ScalarGoldenTest extends SlowGoldenContract {
  @Override
  Backend backend() {
    return new ScalarBackend();
  }

  @Override
  double logitBound() {
    return 1e-4;
  }

  @Override
  double tapBound() {
    return 5e-4;
  }
}
