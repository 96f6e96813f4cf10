package dev.helixbg.llm.gpu;

import dev.helixbg.llm.gpu.CompiledKernels.CacheKind;
import dev.helixbg.llm.gpu.CompiledKernels.WeightsKernel;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.tensor.TensorType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

public final class PtxLibraries {
  /** Types that quantised files mix among the matrices of one layer. */
  private static final List<List<TensorType>> MIXES =
      List.of(
          List.of(TensorType.Q4_K, TensorType.Q6_K),
          List.of(TensorType.Q5_K, TensorType.Q6_K),
          List.of(TensorType.Q4_K, TensorType.Q5_K));

  /** Head sizes, each with the numbers of query heads per KV head, of Qwen3 and similar models. */
  private static final Map<Integer, List<Integer>> HEADS =
      Map.of(128, List.of(1, 2, 4, 5, 8), 64, List.of(1, 2, 4, 8));

  private PtxLibraries() {}

  static List<KernelLibrary> all() {
    Map<String, KernelLibrary> all = new LinkedHashMap<>();
    for (WeightsKernel kernel : WeightsKernel.values()) {
      for (TensorType type : TensorType.values()) {
        addAll(all, kernel, List.of(type));
      }
    }
    for (List<TensorType> mix : MIXES) {
      addAll(all, WeightsKernel.PROJECT, mix);
      addAll(all, WeightsKernel.MATMUL_FEW, mix);
      addAll(all, WeightsKernel.MATMUL, mix);
    }
    add(all, CompiledKernels.ROWS);
    HEADS.forEach(
        (size, groups) -> {
          for (int group : groups) {
            add(all, CompiledKernels.library(new CacheKind(size, group)));
          }
        });
    return new ArrayList<>(all.values());
  }

  /** Adds a kernel's libraries for rows of all lengths. */
  private static void addAll(
      Map<String, KernelLibrary> all, WeightsKernel kernel, List<TensorType> types) {
    for (int units = 1; units <= CompiledKernels.mostUnits(types); units++) {
      add(all, CompiledKernels.library(kernel, types, CompiledKernels.UNIT_COLUMNS * units));
    }
  }

  private static void add(Map<String, KernelLibrary> all, KernelLibrary library) {
    all.putIfAbsent(library.name(), library);
  }

  public static List<KernelLibrary> more() {
    List<KernelLibrary> more = new ArrayList<>();
    for (int size : new int[] {2, 6, 8, 16, 32, 64, 80, 96, 128}) {
      for (int group : new int[] {1, 2, 4}) {
        more.add(CompiledKernels.library(new CacheKind(size, group)));
      }
    }
    return more;
  }
}
