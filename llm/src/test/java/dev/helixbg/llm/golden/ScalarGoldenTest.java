package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.scalar.ScalarBackend;
import java.util.List;

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

  /** One for each model, another than the next model's; all with {@code -Dgolden.all}. */
  @Override
  List<String> tasks(GoldenModel golden) {
    return List.of(super.tasks(golden).get(golden.ordinal() % 3));
  }

  /** The one of two types, unless all is asked for: it unpacks every type before it multiplies. */
  @Override
  List<GoldenModel> inDepth() {
    return ALL ? super.inDepth() : List.of(GoldenModel.Q4_K_M);
  }

  /** Across the cache's blocks of 16; each length with {@code -Dgolden.all}. */
  @Override
  int[] parts(int prompt) {
    return ALL ? super.parts(prompt) : new int[] {7};
  }

  @Override
  int[] prefixes() {
    return ALL ? super.prefixes() : new int[] {40};
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
