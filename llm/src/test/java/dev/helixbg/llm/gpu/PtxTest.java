package dev.helixbg.llm.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.helixbg.llm.gpu.CompiledKernels.WeightsKernel;
import dev.helixbg.llm.gpu.cuda.PtxCompiler;
import dev.helixbg.llm.gpu.driver.KernelLibrary;
import dev.helixbg.llm.tensor.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class PtxTest {
  /** Whether to make outdated resources again; set by {@code scripts/make-ptx}. */
  private static final boolean WRITE = Boolean.getBoolean("ptx.write");

  /** Folder for libraries that only tests on a real GPU need; empty for none. */
  private static final String MORE = System.getProperty("ptx.more", "");

  /** Regular expression for the names of the libraries to make, for work on single kernels. */
  private static final String ONLY = System.getProperty("ptx.only", ".*");

  private final PtxCompiler compiler = PtxCompiler.ofProject();

  @Test
  void resourcesAreMadeOfTheSourcesAsTheyAre() throws IOException {
    List<String> parted = new ArrayList<>();
    TreeSet<String> names = new TreeSet<>();
    for (KernelLibrary library : PtxLibraries.all()) {
      names.add(library.name());
      if (library.name().matches(ONLY) && !compiler.isCurrent(library)) {
        parted.add(library.name());
        if (WRITE) {
          compiler.write(library, compiler.resources());
        }
      }
    }
    if (WRITE) {
      compiler.removeOthers(names);
      if (!MORE.isEmpty()) {
        for (KernelLibrary library : PtxLibraries.more()) {
          compiler.write(library, Path.of(MORE));
        }
      }
    } else {
      assertEquals(List.of(), parted, "run scripts/make-ptx");
      assertEquals(names, compiler.written(), "run scripts/make-ptx");
    }
  }

  @Test
  void theSameComesOfThemAgain() {
    Assumptions.assumeTrue(!WRITE && PtxCompiler.isHere(), PtxCompiler.CLANG + " is not here");
    for (KernelLibrary library :
        List.of(
            CompiledKernels.ROWS,
            CompiledKernels.library(WeightsKernel.MATMUL, List.of(TensorType.Q4_K), 256))) {
      assertTrue(compiler.isSame(library), library.name() + ": run scripts/make-ptx");
    }
  }
}
