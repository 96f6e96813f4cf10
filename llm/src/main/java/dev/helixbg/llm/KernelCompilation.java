package dev.helixbg.llm;

import dev.helixbg.llm.LoadReport.Phase;
import dev.helixbg.llm.backend.Backend;
import dev.helixbg.llm.cpu.CpuBackend;
import dev.helixbg.llm.cpu.KernelWarmUp;
import dev.helixbg.llm.model.Qwen3Config;
import dev.helixbg.llm.model.WarmUp;
import dev.helixbg.llm.model.WarmUp.Passes;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Has the CPU's kernels compiled while a model is opened: first what single tokens need, then what
 * prompts need.
 *
 * <p>It is done once for the whole process. A kernel is compiled while its caller waits, so several
 * threads, each with kernels of its own, keep the compiler busy. A tiny model of the same types
 * runs last, and has compiled whatever is left.
 */
final class KernelCompilation {

  /** What every model needs, begun when it is first asked for. */
  private static final class Common {
    private static final List<Beside<Boolean>> STARTED =
        List.of(
            KernelCompilation.start(KernelWarmUp::attention),
            KernelCompilation.start(KernelWarmUp::vectors));

    static List<Beside<Boolean>> started() {
      return STARTED;
    }
  }

  private final Beside<Boolean> rows;
  private final Beside<Boolean> tiles;

  private KernelCompilation(Qwen3Config config, Set<TensorType> types) {
    rows = Beside.start("compile rows", () -> rows(config, types));
    tiles = Beside.start("compile tiles", () -> tiles(config, types));
  }

  /** Starts with what every model needs, if that has not been done. */
  static void prepare() {
    Common.started();
  }

  /**
   * Starts it.
   *
   * @param types of the model's matrices
   */
  static KernelCompilation start(Qwen3Config config, Set<TensorType> types) {
    return new KernelCompilation(config, types);
  }

  /** Waits until single tokens can be read at full speed. */
  void awaitRows() {
    rows.await();
  }

  /** Waits until prompts can be, too. */
  void awaitTiles() {
    tiles.await();
  }

  /** Empty until {@link #awaitTiles} would return at once. */
  Optional<Phase> tilesPhase() {
    return tiles.phase();
  }

  private static boolean rows(Qwen3Config config, Set<TensorType> types) {
    List<Beside<Boolean>> parts = new ArrayList<>(Common.started());
    parts.addAll(each(types, KernelWarmUp::rows));
    parts.forEach(Beside::await);
    return run(config, types, Passes.ANSWER);
  }

  private boolean tiles(Qwen3Config config, Set<TensorType> types) {
    awaitRows();
    List<Beside<Boolean>> parts = new ArrayList<>(each(types, KernelWarmUp::quantisedTiles));
    parts.add(start(KernelWarmUp::floatTiles));
    parts.add(start(() -> KernelWarmUp.unpacker(types)));
    parts.forEach(Beside::await);
    return run(config, types, Passes.PROMPT);
  }

  private static List<Beside<Boolean>> each(Set<TensorType> types, Consumer<TensorType> calls) {
    return types.stream().map(type -> start(() -> calls.accept(type))).toList();
  }

  private static Beside<Boolean> start(Runnable calls) {
    return Beside.start(
        "warm-up",
        () -> {
          calls.run();
          return true;
        });
  }

  private static boolean run(Qwen3Config config, Set<TensorType> types, Passes passes) {
    try (Backend own = new CpuBackend(1)) {
      WarmUp.run(own, config, types, passes);
    }
    return true;
  }
}
