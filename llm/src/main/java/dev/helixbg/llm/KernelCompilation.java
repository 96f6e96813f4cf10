package dev.helixbg.llm;

import dev.helixbg.llm.cpu.KernelWarmUp;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Makes the JIT compile the CPU's kernels while a model is opened: first the kernels for single
 * tokens, then the kernels for prompts.
 *
 * <p>Kernels that every model needs are compiled once per process. A thread that calls a kernel
 * waits until the kernel is compiled. Each kernel is therefore called from a separate thread, so
 * that kernels are compiled in parallel.
 */
final class KernelCompilation {
  /** Compilation of the kernels that every model needs, started at first use of this class. */
  private static final List<BackgroundTask<Void>> COMMON =
      List.of(start(KernelWarmUp::attention), start(KernelWarmUp::vectors));

  private final Set<TensorType> types;
  final BackgroundTask<Void> rows;
  final BackgroundTask<Void> tiles;

  KernelCompilation(Set<TensorType> types) {
    this.types = types;
    rows = BackgroundTask.run("compile rows", this::compileRows);
    tiles = BackgroundTask.run("tiles", this::compileTiles);
  }

  /** Starts compiling the kernels that every model needs, by initialising this class. */
  static void prepare() {}

  private void compileRows() {
    List<BackgroundTask<Void>> parts = new ArrayList<>(COMMON);
    parts.addAll(each(KernelWarmUp::rows));
    parts.forEach(BackgroundTask::await);
  }

  private void compileTiles() {
    rows.await();
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
