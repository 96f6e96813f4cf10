package dev.helixbg.llm.gpu;

import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.driver.GpuDevice;
import dev.helixbg.llm.gpu.driver.GpuKernel;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.tensor.TensorType;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The kernels, from the {@code .metal} files among the resources. What a kernel must know at
 * compile time goes in front of its source as {@code #define}s; each combination is a library of
 * its own, compiled when first used.
 */
final class Kernels {
  /** Kernels that are compiled for the element types of up to three matrices. */
  enum OfWeights {
    EMBED("embed", "embed"),
    PROJECT("matvec", "project"),
    GATE_UP("matvec", "gate_up"),
    MATMUL("matmul", "matmul");

    private final String library;
    private final String kernel;

    OfWeights(String library, String kernel) {
      this.library = library;
      this.kernel = kernel;
    }
  }

  /** Kernels over rows of floats. */
  enum OfRows {
    NORMALISE,
    GATE,
    ARGMAX_PART,
    ARGMAX,
    TOP_K_PART,
    DRAW,
    KEEP_ROWS,
    COPY_BLOCKS
  }

  /** Kernels over keys and values. */
  enum OfCache {
    ROTATE,
    ATTEND_ROW,
    ATTEND_TILE,
    COMBINE
  }

  /**
   * What the kernels over keys and values are compiled for.
   *
   * @param headSize values per head
   * @param group query heads that one threadgroup takes together
   */
  record CacheKind(int headSize, int group, Storage storage) {}

  /**
   * A kernel for given types.
   *
   * @param units 32 columns each, that a lane takes at a time; 0 where that makes no difference
   */
  private record WeightsKey(OfWeights kernel, List<TensorType> types, int units) {}

  private record CacheKey(OfCache kernel, CacheKind kind) {}

  /** Columns of {@code matvec.metal} per unit that a lane takes. */
  static final int UNIT_COLUMNS = 1024;

  private static final Set<TensorType> COMMON =
      EnumSet.of(TensorType.Q4_K, TensorType.Q5_K, TensorType.Q6_K, TensorType.Q8_0);

  /** Of {@link OfRows}. */
  static final KernelLibrary ROWS = new KernelLibrary("rows", "", List.of("dialect.metal", "rows.metal"));

  private final GpuDevice device;
  private final Map<WeightsKey, GpuKernel> ofWeights = new HashMap<>();
  private final Map<WeightsKey, Boolean> offered = new HashMap<>();
  private final Map<OfRows, GpuKernel> ofRows = new HashMap<>();
  private final Map<CacheKey, GpuKernel> ofCache = new HashMap<>();

  Kernels(GpuDevice device) {
    this.device = device;
  }

  /**
   * @param types of the matrices, each once; the i-th is type i to the kernel
   * @param columns of the matrices
   */
  GpuKernel get(OfWeights kernel, List<TensorType> types, int columns) {
    return ofWeights.computeIfAbsent(
        new WeightsKey(kernel, types, units(kernel, types, columns)),
        key -> device.kernel(library(kernel, types, columns), kernel.kernel));
  }

  GpuKernel get(OfRows kernel) {
    return ofRows.computeIfAbsent(kernel, key -> device.kernel(ROWS, nameOf(kernel)));
  }

  GpuKernel get(OfCache kernel, CacheKind kind) {
    return ofCache.computeIfAbsent(
        new CacheKey(kernel, kind), key -> device.kernel(library(kind), nameOf(kernel)));
  }

  /** Whether there is one kernel for matrices of these types together. */
  boolean has(OfWeights kernel, List<TensorType> types, int columns) {
    return types.size() == 1
        || offered.computeIfAbsent(
            new WeightsKey(kernel, types, units(kernel, types, columns)),
            key -> device.has(library(kernel, types, columns)));
  }

  /** What {@code matvec.metal} is compiled for. */
  private static int units(OfWeights kernel, List<TensorType> types, int columns) {
    return kernel.library.equals("matvec")
        ? Math.min(Math.ceilDiv(columns, UNIT_COLUMNS), mostUnits(types))
        : 0;
  }

  /** What fits the registers of a lane, and for rarer types what keeps the kernels few. */
  static int mostUnits(List<TensorType> types) {
    return COMMON.containsAll(types) ? 4 : 2;
  }

  static KernelLibrary library(OfWeights kernel, List<TensorType> types, int columns) {
    int units = units(kernel, types, columns);
    StringBuilder defines = new StringBuilder();
    StringBuilder name = new StringBuilder(kernel.library);
    if (units > 0) {
      name.append(units);
      defines.append("#define UNITS %d\n".formatted(units));
    }
    for (int i = 0; i < types.size(); i++) {
      name.append('-').append(types.get(i));
      defines.append("#define TYPE_%c %s\n".formatted('A' + i, types.get(i)));
    }
    return new KernelLibrary(
        name.toString(),
        defines.toString(),
        List.of("dialect.metal", "weights.metal", kernel.library + ".metal"));
  }

  static KernelLibrary library(CacheKind kind) {
    String number = kind.storage() == Storage.F16 ? "half" : "float";
    String defines =
        """
        #define HEAD %d
        #define GROUP %d
        #define CACHE %s
        #define CACHE4 %<s4
        """
            .formatted(kind.headSize(), kind.group(), number);
    return new KernelLibrary(
        "cache-%d-%d-%s".formatted(kind.headSize(), kind.group(), number),
        defines,
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
