package dev.helixbg.llm.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.backend.KvShape.Storage;
import dev.helixbg.llm.gpu.Kernels.CacheKind;
import dev.helixbg.llm.gpu.Kernels.OfWeights;
import dev.helixbg.llm.gpu.cuda.PtxCompiler;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The PTX among the resources is what the Metal sources give. */
class PtxTest {
  /** Set by {@code scripts/make-ptx}: what parted is made again. */
  private static final boolean WRITE = Boolean.getBoolean("ptx.write");

  /** A folder for what only the tests on a real GPU need. */
  private static final String MORE = System.getProperty("ptx.more", "");

  /** Types that quantised files mix in the matrices of one layer. */
  private static final List<List<TensorType>> MIXES =
      List.of(
          List.of(TensorType.Q4_K, TensorType.Q6_K),
          List.of(TensorType.Q5_K, TensorType.Q6_K),
          List.of(TensorType.Q4_K, TensorType.Q5_K));

  /** Head sizes and groups of Qwen3, and of others like it. */
  private static final Map<Integer, List<Integer>> HEADS =
      Map.of(128, List.of(1, 2, 4, 5, 8), 64, List.of(1, 2, 4, 8), 32, List.of(2), 16, List.of(2));

  private final PtxCompiler compiler = PtxCompiler.ofProject();

  private static List<KernelLibrary> libraries() {
    Map<String, KernelLibrary> all = new LinkedHashMap<>();
    for (OfWeights kernel : OfWeights.values()) {
      for (TensorType type : TensorType.values()) {
        add(all, Kernels.library(kernel, List.of(type)));
      }
    }
    for (List<TensorType> mix : MIXES) {
      add(all, Kernels.library(OfWeights.PROJECT, mix));
    }
    add(all, Kernels.ROWS);
    for (Storage storage : List.of(Storage.F16, Storage.F32)) {
      HEADS.forEach(
          (size, groups) -> {
            for (int group : groups) {
              add(all, Kernels.library(new CacheKind(size, group, storage)));
            }
          });
    }
    return new ArrayList<>(all.values());
  }

  private static void add(Map<String, KernelLibrary> all, KernelLibrary library) {
    all.putIfAbsent(library.name(), library);
  }

  /** What the contract of backends tries beside. */
  private static List<KernelLibrary> more() {
    List<KernelLibrary> more = new ArrayList<>();
    for (Storage storage : List.of(Storage.F16, Storage.F32)) {
      for (int size : new int[] {2, 6, 8, 16, 32, 64, 80, 96, 128}) {
        for (int group : new int[] {1, 2, 4}) {
          more.add(Kernels.library(new CacheKind(size, group, storage)));
        }
      }
    }
    return more;
  }

  @Test
  void resourcesAreMadeOfTheSourcesAsTheyAre() throws IOException {
    List<String> parted = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>();
    for (KernelLibrary library : libraries()) {
      names.add(library.name());
      if (!compiler.isCurrent(library)) {
        parted.add(library.name());
        if (WRITE) {
          compiler.write(library, compiler.resources());
        }
      }
    }
    if (WRITE) {
      compiler.removeOthers(names);
      if (!MORE.isEmpty()) {
        for (KernelLibrary library : more()) {
          compiler.write(library, Path.of(MORE));
        }
      }
    } else {
      assertEquals(List.of(), parted, "run scripts/make-ptx");
      assertEquals(names, compiler.written(), "run scripts/make-ptx");
    }
  }

  /** One of each kind; clang takes seconds for all. */
  @Test
  void theSameComesOfThemAgain() {
    Assumptions.assumeTrue(!WRITE && PtxCompiler.isHere(), PtxCompiler.CLANG + " is not here");
    for (KernelLibrary library :
        List.of(Kernels.ROWS, Kernels.library(OfWeights.MATMUL, List.of(TensorType.Q4_K)))) {
      assertTrue(compiler.isSame(library), library.name() + ": run scripts/make-ptx");
    }
  }
}
