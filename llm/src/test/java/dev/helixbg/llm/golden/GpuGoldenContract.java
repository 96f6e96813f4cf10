package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.util.List;

/** The golden models on the engine for GPUs, whatever drives them. */
abstract class GpuGoldenContract extends GoldenContract {
  abstract GpuDevice device();

  @Override
  Backend backend() {
    return new GpuBackend(device(), false, false);
  }

  /** All of them take minutes. */
  @Override
  int each() {
    return 1;
  }

  /** Of another task than the next model's. */
  @Override
  List<String> tasks(GoldenModel golden) {
    return List.of(super.tasks(golden).get(golden.ordinal() % 3));
  }

  /** The one of two types, unless all is asked for: each type's products have their contract. */
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
  int tapped() {
    return ALL ? super.tapped() : 1;
  }

  @Override
  double logitBound() {
    return 2e-4;
  }

  @Override
  double tapBound() {
    return 5e-4;
  }
}
