package dev.helixbg.llm.golden;

import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.GpuBackend;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import java.util.List;
import java.util.Set;

/** The golden models on the engine for GPUs, whatever drives them. */
abstract class GpuGoldenContract extends GoldenContract {
  abstract GpuDevice device();

  @Override
  Backend backend() {
    return new GpuBackend(device(), false, false);
  }

  @Override
  Set<Storage> rounding() {
    return Set.of(Storage.F16);
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

  @Override
  int tapped() {
    return ALL ? super.tapped() : 1;
  }

  @Override
  double logitBound() {
    return 5e-5;
  }

  @Override
  double tapBound() {
    return 5e-5;
  }
}
