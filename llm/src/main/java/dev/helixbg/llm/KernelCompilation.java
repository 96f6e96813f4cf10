package dev.helixbg.llm;

import dev.helixbg.llm.cpu.KernelWarmUp;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Has the CPU's kernels compiled while a model is opened: first what single tokens need, then what
 * prompts need.
 *
 * <p>Work that every model needs is done once in a process. A kernel is compiled while its caller
 * waits, so several threads, each with kernels of its own, keep the compiler busy.
 */
final class KernelCompilation {
  /** Work that every model needs, begun when it is first asked for. */
  private static final class Common {
    private static final List<BackgroundTask<Void>> STARTED =
        List.of(
            KernelCompilation.start(KernelWarmUp::attention),
            KernelCompilation.start(KernelWarmUp::vectors));

    static List<BackgroundTask<Void>> started() {
      return STARTED;
    }
  }

  private final Set<TensorType> types;
  private final BackgroundTask<Void> rows;
  private final BackgroundTask<Void> tiles;

  /**
   * Starts it.
   *
   * @param types of the model's matrices
   */
  KernelCompilation(Set<TensorType> types) {
    this.types = types;
    rows = BackgroundTask.run("compile rows", this::compileRows);
    tiles = BackgroundTask.run("tiles", this::compileTiles);
  }

  /** Starts with what every model needs, if that has not been done. */
  static void prepare() {
    Common.started();
  }

  /** Waits until single tokens can be read at full speed. */
  void awaitRows() {
    rows.await();
  }

  /** Waits until many rows can be multiplied at full speed. */
  void awaitTiles() {
    tiles.await();
  }

  private void compileRows() {
    List<BackgroundTask<Void>> parts = new ArrayList<>(Common.started());
    parts.addAll(each(KernelWarmUp::rows));
    parts.forEach(BackgroundTask::await);
  }

  private void compileTiles() {
    awaitRows();
    List<BackgroundTask<Void>> parts = new ArrayList<>(each(KernelWarmUp::tiles));
    parts.add(start(KernelWarmUp::floatTiles));
    parts.add(start(() -> KernelWarmUp.unpacker(types)));
    parts.forEach(BackgroundTask::await);
  }

  private List<BackgroundTask<Void>> each(Consumer<TensorType> calls) {
    return types.stream().map(type -> start(() -> calls.accept(type))).toList();
  }

  private static BackgroundTask<Void> start(Runnable calls) {
    return BackgroundTask.run("warm-up", calls);
  }
}
