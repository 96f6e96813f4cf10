package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.scalar.ScalarBackend;

class ScalarGoldenTest extends GoldenContract {
  @Override
  Backend backend() {
    return new ScalarBackend();
  }

  /** All of them take minutes. */
  @Override
  int each() {
    return 1;
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
