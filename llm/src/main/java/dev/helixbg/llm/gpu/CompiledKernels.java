package dev.helixbg.llm.gpu;

import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuDevice.GpuKernel;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Compiles the kernels of a backend from the {@code .metal} files among the resources. Compile-time
 * constants precede a kernel's source as {@code #define}s. Each combination of constants is a
 * separate library, which is compiled at first use.
 */
final class CompiledKernels {
  /** Kernels that are compiled for each combination of element types of one to three matrices. */
  enum WeightsKernel {
    EMBED(false),
    PROJECT(true),
    GATE_UP(true),
    MATMUL_FEW(false),
    /** Kernel with smaller tiles than {@link #MATMUL_FEW}, in the same library. */
    MATMUL_FEW_ROWS(false),
    MATMUL(false);

    /** Whether a separate kernel is compiled for each number of units (of 32 columns) per lane. */
    private final boolean isMatvec;

    WeightsKernel(boolean isMatvec) {
      this.isMatvec = isMatvec;
    }
  }

  enum RowsKernel {
    NORMALISE,
    GATE,
    ARGMAX_PART,
    ARGMAX,
    KEEP_ROWS,
    COPY_BLOCKS
  }

  enum CacheKernel {
    ROTATE,
    ATTEND_ROW,
    ATTEND_TILE,
    COMBINE
  }

  /**
   * Sizes for which a {@link CacheKernel} is compiled. {@code group} is the number of query heads
   * that a threadgroup computes together.
   */
  record CacheKind(int headSize, int group) {}

  /**
   * @param units number of units of 32 columns that a lane processes at a time; 0 if the kernel
   *     does not depend on this number
   */
  private record WeightsKey(WeightsKernel kernel, List<TensorType> types, int units) {}

  private record CacheKey(CacheKernel kernel, CacheKind kind) {}

  /** Number of columns that 32 lanes of {@code matvec.metal} process with one unit each. */
  static final int UNIT_COLUMNS = 1024;

  private static final Set<TensorType> COMMON =
      EnumSet.of(TensorType.Q4_K, TensorType.Q5_K, TensorType.Q6_K, TensorType.Q8_0);

  static final KernelLibrary ROWS =
      new KernelLibrary("rows", "", List.of("dialect.metal", "rows.metal"));

  private record Source(KernelLibrary library, String kernel) {}

  private final GpuDevice device;
  private final Map<Record, Boolean> offered = new HashMap<>();

  /** Compiled kernels by {@link WeightsKey}, {@link RowsKernel} or {@link CacheKey}. */
  private final Map<Object, GpuKernel> known = new ConcurrentHashMap<>();

  /** Kernels that the rehearsal needs, to be compiled later; null outside a rehearsal. */
  private Map<Object, Source> wanted;

  CompiledKernels(GpuDevice device) {
    this.device = device;
  }

  /**
   * Returns a kernel for matrices of different types. In the kernel, the number of a type is its
   * index in {@code types}.
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
    GpuKernel kernel = known.get(key); // takes no lock, unlike computeIfAbsent
    if (kernel == null && wanted != null) {
      Source noted = wanted.computeIfAbsent(key, k -> source.get());
      return new GpuKernel(0, noted.kernel, Integer.MAX_VALUE); // never dispatched
    }
    return kernel != null ? kernel : known.computeIfAbsent(key, k -> compiled(source.get()));
  }

  private GpuKernel compiled(Source source) {
    return device.kernel(source.library(), source.kernel());
  }

  void rehearse() {
    wanted = new LinkedHashMap<>();
  }

  /**
   * Starts compiling the kernels that the rehearsal needs. The returned action waits until all are
   * compiled, and throws the first error.
   */
  Runnable compileWanted() {
    for (Object key : List.copyOf(wanted.keySet())) {
      if (key instanceof CacheKey cache) {
        get(CacheKernel.COMBINE, cache.kind);
      }
    }
    for (RowsKernel helper : RowsKernel.values()) {
      get(helper);
    }
    Collection<List<Entry<Object, Source>>> libraries =
        wanted.entrySet().stream()
            .collect(
                Collectors.groupingBy(
                    entry -> entry.getValue().library, LinkedHashMap::new, Collectors.toList()))
            .values();
    wanted = null;
    // Platform threads, since Metal's autorelease pools need them.
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Runtime.getRuntime().availableProcessors(),
            Thread.ofPlatform().daemon().name("helix-llm-compile").factory());
    CompletableFuture<Void> all =
        CompletableFuture.allOf(
            libraries.stream()
                .map(sources -> CompletableFuture.runAsync(() -> compile(sources), threads))
                .toArray(CompletableFuture[]::new));
    threads.shutdown(); // ends the threads after their work
    return () -> {
      try {
        all.join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof RuntimeException cause ? cause : e;
      }
    };
  }

  private void compile(List<Entry<Object, Source>> sources) {
    sources.forEach(entry -> known.put(entry.getKey(), compiled(entry.getValue())));
  }

  /** Returns whether one kernel can process matrices of these types together. */
  boolean has(WeightsKernel kernel, List<TensorType> types, int columns) {
    return types.size() == 1
        || offered.computeIfAbsent(
            new WeightsKey(kernel, types, units(kernel, types, columns)),
            key -> device.has(library(kernel, types, columns)));
  }

  private static int units(WeightsKernel kernel, List<TensorType> types, int columns) {
    return kernel.isMatvec ? units(types, columns) : 0;
  }

  static int units(List<TensorType> types, int columns) {
    return Math.min(Math.ceilDiv(columns, UNIT_COLUMNS), mostUnits(types));
  }

  /**
   * Returns the maximum number of units per lane. For common types, it is the largest number that
   * fits the registers. For rare types, it is smaller, so that fewer kernels are needed.
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
