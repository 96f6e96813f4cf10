package dev.helixbg.insight.similarity;

import jdk.incubator.vector.FloatVector;

/** Chooses the kernel that finishes first. */
final class Kernels {
  /**
   * Pairs from which a vector kernel pays. In a young JVM its first calls are interpreted, at
   * microseconds per vector operation, until C2 has compiled it.
   */
  static final long MANY_PAIRS = 20_000_000;

  static final TileKernel.Packing PLAIN = (columns, _) -> new PlainKernel(columns);

  private Kernels() {}

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
    static final TileKernel.Packing KERNEL =
        switch (FloatVector.SPECIES_PREFERRED.vectorBitSize()) {
          case 512 -> VectorKernel512::new;
          case 256 -> VectorKernel256::new;
          case 128 -> VectorKernel128::new;
          default -> PLAIN;
        };
  }
}
