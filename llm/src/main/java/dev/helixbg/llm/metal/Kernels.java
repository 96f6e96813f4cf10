package dev.helixbg.llm.metal;

import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.metal.shim.MetalDevice;
import dev.helixbg.llm.metal.shim.MetalPipeline;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The kernels, from the {@code .metal} files beside this class. What a kernel must know at compile
 * time goes in front of its source as {@code #define}s; each combination is a library of its own,
 * compiled when first used.
 */
final class Kernels {
  private static final String HEADER =
      """
      #include <metal_stdlib>
      using namespace metal;
      """;

  /** Kernels that are compiled for the element types of up to three matrices. */
  enum OfWeights {
    EMBED("embed", "embed.metal"),
    PROJECT("project", "matvec.metal"),
    GATE_UP("gate_up", "matvec.metal"),
    MATMUL("matmul", "matmul.metal");

    private final String kernel;
    private final String file;

    OfWeights(String kernel, String file) {
      this.kernel = kernel;
      this.file = file;
    }
  }

  /** Kernels over rows of floats. */
  enum OfRows {
    NORMALISE,
    GATE,
    ARGMAX,
    TOP_K,
    LOG_SUM_EXP,
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

  /** A kernel for given types. */
  private record WeightsKey(OfWeights kernel, List<TensorType> types) {}

  private record CacheKey(OfCache kernel, CacheKind kind) {}

  private final MetalDevice device;
  private final Map<WeightsKey, MetalPipeline> ofWeights = new HashMap<>();
  private final Map<OfRows, MetalPipeline> ofRows = new HashMap<>();
  private final Map<CacheKey, MetalPipeline> ofCache = new HashMap<>();

  Kernels(MetalDevice device) {
    this.device = device;
  }

  /**
   * @param types of the matrices, each once; the i-th is type i to the kernel
   */
  MetalPipeline get(OfWeights kernel, List<TensorType> types) {
    return ofWeights.computeIfAbsent(
        new WeightsKey(kernel, types),
        key -> {
          StringBuilder defines = new StringBuilder();
          for (int i = 0; i < types.size(); i++) {
            defines.append("#define TYPE_%c %s%n".formatted('A' + i, types.get(i)));
          }
          String library = kernel.file + types;
          return device.pipeline(
              library,
              () -> source(defines.toString(), "weights.metal", kernel.file),
              kernel.kernel);
        });
  }

  MetalPipeline get(OfRows kernel) {
    return ofRows.computeIfAbsent(
        kernel,
        key -> device.pipeline("rows.metal", () -> source("", "rows.metal"), nameOf(kernel)));
  }

  MetalPipeline get(OfCache kernel, CacheKind kind) {
    return ofCache.computeIfAbsent(
        new CacheKey(kernel, kind),
        key -> {
          String number = kind.storage() == Storage.F16 ? "half" : "float";
          String defines =
              """
              #define HEAD %d
              #define GROUP %d
              #define CACHE %s
              #define CACHE4 %<s4
              """
                  .formatted(kind.headSize(), kind.group(), number);
          return device.pipeline(
              kind.toString(),
              () ->
                  source(
                      defines,
                      "cache.metal",
                      "rotate.metal",
                      "attend_row.metal",
                      "attend_tile.metal"),
              nameOf(kernel));
        });
  }

  private static String nameOf(Enum<?> kernel) {
    return kernel.name().toLowerCase(java.util.Locale.ROOT);
  }

  private static String source(String defines, String... files) {
    StringBuilder source = new StringBuilder(HEADER).append(defines);
    for (String file : files) {
      source.append(text(file));
    }
    return source.toString();
  }

  private static String text(String file) {
    try (InputStream in = Kernels.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
