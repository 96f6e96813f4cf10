package dev.helixbg.llm.golden;

import java.util.List;

/**
 * The golden models on a backend on which all cases take minutes. Each method asks for a part of
 * them, and for all with {@code -Dgolden.all}.
 */
abstract class SlowGoldenContract extends GoldenContract {
  @Override
  int each() {
    return 1;
  }

  /** One for each model, another than the next model's. */
  @Override
  List<String> tasks(GoldenModel golden) {
    return List.of(super.tasks(golden).get(golden.ordinal() % 3));
  }

  /** One of the two types: the products of each have a contract of their own. */
  @Override
  List<GoldenModel> inDepth() {
    return ALL ? super.inDepth() : List.of(GoldenModel.Q4_K_M);
  }

  @Override
  int chosen() {
    return ALL ? super.chosen() : 1;
  }

  /** Across the cache's blocks of 16. */
  @Override
  int[] parts(int prompt) {
    return ALL ? super.parts(prompt) : new int[] {7};
  }

  @Override
  int[] prefixes() {
    return ALL ? super.prefixes() : new int[] {40};
  }
}
