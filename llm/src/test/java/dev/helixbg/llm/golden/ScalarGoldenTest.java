package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.scalar.ScalarBackend;

class ScalarGoldenTest extends GoldenContract {
  @Override
  boolean isSlow() {
    return true;
  }

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
