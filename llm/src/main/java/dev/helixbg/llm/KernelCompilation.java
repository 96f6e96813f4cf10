package dev.helixbg.llm;

import dev.helixbg.llm.LoadReport.Phase;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.KernelWarmUp;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.model.WarmUp;
import dev.helixbg.llm.model.WarmUp.Passes;
import dev.helixbg.llm.tensor.TensorType;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Has the CPU's kernels compiled while a model is opened: first what single tokens need, then what
 * prompts need.
 *
 * <p>It is done once for the whole process. A kernel is compiled while its caller waits, so several
 * threads, one per tensor type, keep the compiler busy.
 */
final class KernelCompilation {
  private final List<Beside<Boolean>> rows;
  private final Beside<Boolean> tiles;

  private KernelCompilation(Qwen3Config config, Set<TensorType> types) {
    rows = types.stream().map(type -> Beside.start("warm-up", () -> rows(config, type))).toList();
    tiles = Beside.start("compile tiles", () -> tiles(config, types));
  }

  /**
   * Starts it.
   *
   * @param types of the model's matrices
   */
  static KernelCompilation start(Qwen3Config config, Set<TensorType> types) {
    // All that does not depend on a type is compiled for this one, beside the others.
    Set<TensorType> all = EnumSet.of(TensorType.F32);
    all.addAll(types);
    return new KernelCompilation(config, all);
  }

  /** Waits until single tokens can be read at full speed. */
  void awaitRows() {
    rows.forEach(Beside::await);
  }

  /** Waits until prompts can be, too. */
  void awaitTiles() {
    tiles.await();
  }

  /** Empty until {@link #awaitTiles} would return at once. */
  Optional<Phase> tilesPhase() {
    return tiles.phase();
  }

  private static boolean rows(Qwen3Config config, TensorType type) {
    KernelWarmUp.rows(type);
    return run(config, type, Passes.ANSWER);
  }

  private boolean tiles(Qwen3Config config, Set<TensorType> types) {
    awaitRows();
    types.stream()
        .map(type -> Beside.start("warm-up", () -> tiles(config, type)))
        .toList()
        .forEach(Beside::await);
    return true;
  }

  private static boolean tiles(Qwen3Config config, TensorType type) {
    KernelWarmUp.tiles(type);
    return run(config, type, Passes.PROMPT);
  }

  private static boolean run(Qwen3Config config, TensorType type, Passes passes) {
    try (Backend own = new CpuBackend(1)) {
      WarmUp.run(own, config, Set.of(type), passes);
    }
    return true;
  }
}
