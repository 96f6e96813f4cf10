package dev.helixbg.llm.gpu;

import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * The kernels that a backend has asked for, from the {@code .metal} files among the resources. What
 * a kernel must know at compile time goes in front of its source as {@code #define}s; each
 * combination is a library of its own, compiled when first used.
 */
final class CompiledKernels {
  /** Kernels that are compiled for the element types of up to three matrices. */
  enum WeightsKernel {
    EMBED(false),
    PROJECT(true),
    GATE_UP(true),
    MATMUL_FEW(false),
    /** Kernel of the same library, with smaller tiles. */
    MATMUL_FEW_ROWS(false),
    MATMUL(false);

    /** Whether it is compiled for so many columns, too. */
    private final boolean isMatvec;

    WeightsKernel(boolean isMatvec) {
      this.isMatvec = isMatvec;
    }
  }

  /** Kernels over rows of floats. */
  enum RowsKernel {
    NORMALISE,
    GATE,
    ARGMAX_PART,
    ARGMAX,
    KEEP_ROWS,
    COPY_BLOCKS
  }

  /** Kernels over keys and values. */
  enum CacheKernel {
    ROTATE,
    ATTEND_ROW,
    ATTEND_TILE,
    COMBINE
  }

  /**
   * Sizes that the kernels over keys and values are compiled for.
   *
   * @param headSize values per head
   * @param group query heads that one threadgroup takes together
   */
  record CacheKind(int headSize, int group) {}

  /**
   * A kernel for given types.
   *
   * @param units 32 columns each, that a lane takes at a time; 0 where that makes no difference
   */
  private record WeightsKey(WeightsKernel kernel, List<TensorType> types, int units) {}

  private record CacheKey(CacheKernel kernel, CacheKind kind) {}

  /** Columns of {@code matvec.metal} per unit that a lane takes. */
  static final int UNIT_COLUMNS = 1024;

  private static final Set<TensorType> COMMON =
      EnumSet.of(TensorType.Q4_K, TensorType.Q5_K, TensorType.Q6_K, TensorType.Q8_0);

  /** Library of {@link RowsKernel}. */
  static final KernelLibrary ROWS =
      new KernelLibrary("rows", "", List.of("dialect.metal", "rows.metal"));

  /** Where a kernel comes from. */
  private record Source(KernelLibrary library, String kernel) {}

  private final GpuDevice device;
  private final Map<Record, Boolean> offered = new HashMap<>();

  /** By {@link WeightsKey}, {@link RowsKernel} or {@link CacheKey}. */
  private final Map<Object, GpuKernel> known = new HashMap<>();

  /** Kernels that a rehearsal asked for; null when there is none. */
  private Map<Object, Source> wanted;

  CompiledKernels(GpuDevice device) {
    this.device = device;
  }

  /**
   * @param types of the matrices, each once; the i-th is type i to the kernel
   * @param columns of the matrices
   */
  GpuKernel get(WeightsKernel kernel, List<TensorType> types, int columns) {
    return get(
        new WeightsKey(kernel, types, units(kernel, types, columns)),
        () -> new Source(library(kernel, types, columns), nameOf(kernel)));
  }

  GpuKernel get(RowsKernel kernel) {
    return get(kernel, () -> new Source(ROWS, nameOf(kernel)));
  }

  GpuKernel get(CacheKernel kernel, CacheKind kind) {
    return get(new CacheKey(kernel, kind), () -> new Source(library(kind), nameOf(kernel)));
  }

  private GpuKernel get(Object key, Supplier<Source> source) {
    GpuKernel kernel = known.get(key);
    if (kernel == null && wanted != null) {
      Source noted = wanted.computeIfAbsent(key, k -> source.get());
      return new GpuKernel(0, noted.kernel, Integer.MAX_VALUE); // nothing is dispatched
    }
    if (kernel == null) {
      kernel = compiled(source.get());
      known.put(key, kernel);
    }
    return kernel;
  }

  private GpuKernel compiled(Source source) {
    return device.kernel(source.library(), source.kernel());
  }

  /** From now on kernels are only noted. */
  void rehearse() {
    wanted = new LinkedHashMap<>();
  }

  /**
   * Ends the rehearsal: compiles what was noted, and the helpers that any model needs some time,
   * libraries side by side.
   *
   * @return waits until all is there, and throws what went wrong
   */
  Runnable compileWanted() {
    Set<CacheKind> kinds = new HashSet<>();
    for (Object key : List.copyOf(wanted.keySet())) {
      if (key instanceof CacheKey cache && kinds.add(cache.kind)) {
        get(CacheKernel.COMBINE, cache.kind);
      }
    }
    for (RowsKernel helper : RowsKernel.values()) {
      get(helper);
    }
    Map<KernelLibrary, Map<Object, Source>> libraries = new LinkedHashMap<>();
    wanted.forEach(
        (key, source) ->
            libraries
                .computeIfAbsent(source.library(), library -> new LinkedHashMap<>())
                .put(key, source));
    wanted = null;
    // Metal's pools belong to platform threads.
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Runtime.getRuntime().availableProcessors(),
            Thread.ofPlatform().daemon().name("helix-llm-compile").factory());
    List<CompletableFuture<Map<Object, GpuKernel>>> tasks =
        libraries.values().stream()
            .map(sources -> CompletableFuture.supplyAsync(() -> all(sources), threads))
            .toList();
    threads.shutdown(); // when all is done
    return () -> {
      tasks.forEach(task -> task.handle((kernels, failure) -> null).join());
      tasks.forEach(task -> known.putAll(ended(task)));
    };
  }

  private Map<Object, GpuKernel> all(Map<Object, Source> sources) {
    Map<Object, GpuKernel> kernels = new HashMap<>();
    sources.forEach((key, source) -> kernels.put(key, compiled(source)));
    return kernels;
  }

  private static <T> T ended(CompletableFuture<T> task) {
    try {
      return task.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Whether there is one kernel for matrices of these types together. */
  boolean has(WeightsKernel kernel, List<TensorType> types, int columns) {
    return types.size() == 1
        || offered.computeIfAbsent(
            new WeightsKey(kernel, types, units(kernel, types, columns)),
            key -> device.has(library(kernel, types, columns)));
  }

  /** Returns the units that {@code matvec.metal} is compiled for. */
  private static int units(WeightsKernel kernel, List<TensorType> types, int columns) {
    return kernel.isMatvec ? Math.min(Math.ceilDiv(columns, UNIT_COLUMNS), mostUnits(types)) : 0;
  }

  /**
   * Returns the units that fit the registers of a lane; for rarer types, those that keep kernels
   * few.
   */
  static int mostUnits(List<TensorType> types) {
    return COMMON.containsAll(types) ? 4 : 2;
  }

  static KernelLibrary library(WeightsKernel kernel, List<TensorType> types, int columns) {
    int units = units(kernel, types, columns);
    StringBuilder defines = new StringBuilder();
    String source =
        nameOf(kernel == WeightsKernel.MATMUL_FEW_ROWS ? WeightsKernel.MATMUL_FEW : kernel);
    StringBuilder name = new StringBuilder(source);
    if (units > 0) {
      name.append(units);
      defines.append("#define UNITS %d\n".formatted(units));
    }
    for (int i = 0; i < types.size(); i++) {
      name.append('-').append(types.get(i));
      defines.append("#define TYPE_%c %s\n".formatted('A' + i, types.get(i)));
    }
    List<String> files = new ArrayList<>(List.of("dialect.metal", "weights.metal"));
    if (kernel.isMatvec) {
      files.add("matvec.metal");
    }
    files.add(source + ".metal");
    return new KernelLibrary(name.toString(), defines.toString(), List.copyOf(files));
  }

  static KernelLibrary library(CacheKind kind) {
    return new KernelLibrary(
        "cache-%d-%d".formatted(kind.headSize(), kind.group()),
        "#define HEAD %d\n#define GROUP %d\n".formatted(kind.headSize(), kind.group()),
        List.of(
            "dialect.metal",
            "cache.metal",
            "rotate.metal",
            "attend_row.metal",
            "attend_tile.metal"));
  }

  private static String nameOf(Enum<?> kernel) {
    return kernel.name().toLowerCase(Locale.ROOT);
  }
}
