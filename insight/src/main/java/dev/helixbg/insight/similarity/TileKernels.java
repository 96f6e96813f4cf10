package dev.helixbg.insight.similarity;

import java.util.Set;
import jdk.incubator.vector.FloatVector;

/** Chooses the kernel that finishes first. */
final class TileKernels {
  /**
   * Pairs from which a vector kernel pays. In a young JVM its first calls are interpreted, at
   * microseconds per vector operation, until C2 has compiled it.
   */
  static final long MANY_PAIRS = 20_000_000;

  static final TileKernel.Packing PLAIN = (columns, _) -> new ScalarKernel(columns);

  private TileKernels() {}

  static TileKernel.Packing forPairs(long pairs) {
    return pairs < MANY_PAIRS ? PLAIN : fastest();
  }

  /** The kernel for much work. */
  static TileKernel.Packing fastest() {
    return vectorApi() ? Vector.KERNEL : PLAIN;
  }

  /** Whether this JVM was started with the module of the Vector API. */
  static boolean vectorApi() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
  }

  /** Loaded only where the JVM was started with jdk.incubator.vector, which it names. */
  private static final class Vector {
    /** In bits: two vectors of each fit into a panel. */
    private static final Set<Integer> WIDTHS = Set.of(128, 256, 512);

    static final TileKernel.Packing KERNEL =
        WIDTHS.contains(FloatVector.SPECIES_PREFERRED.vectorBitSize()) ? VectorKernel::new : PLAIN;
  }
}
