package dev.helixbg.insight.similarity;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import jdk.incubator.vector.FloatVector;

/**
 * Vectors packed for {@link TileKernel}: rows in strips of {@link #STRIP} vectors, columns in
 * panels of {@link #PANEL} vectors. A strip or panel has the first values of all its vectors, then
 * the second values, and so on, so that kernels read from front to back.
 *
 * <p>All panels are made at once. For {@link ScalarKernel} they are on the heap; for other kernels
 * they are in native memory, which {@link #close} frees. Strips are made for each scan, because
 * stored strips would double the memory.
 */
public record PackedVectors(Vectors vectors, TileKernel kernel, Arena arena)
    implements AutoCloseable {
  static final int STRIP = 12;
  static final int PANEL = 32;
  private static final long CACHE_LINE_BYTES = 64;

  /** Packs vectors for the kernel that is fastest for all pairs; zeros fill the last panel. */
  public static PackedVectors pack(Vectors vectors) {
    return pack(vectors, forPairs((long) vectors.count() * vectors.count()));
  }

  static PackedVectors pack(Vectors vectors, TileKernel.Packing columns) {
    // The arena is shared because all workers of a scan read it.
    Arena arena = Arena.ofShared();
    try {
      return new PackedVectors(vectors, columns.pack(vectors, arena), arena);
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Returns panels in native memory, where they can begin at a cache line. That saves a tenth of
   * the time, because no load of a vector register then crosses a cache line.
   */
  static MemorySegment nativePanels(Vectors vectors, Arena arena) {
    int panelLength = Math.multiplyExact(PANEL, vectors.dimension());
    long panelBytes = (long) panelLength * Float.BYTES;
    long panels = Math.ceilDiv(vectors.count(), PANEL);
    MemorySegment packed = arena.allocate(panels * panelBytes, CACHE_LINE_BYTES);
    // An array is filled first: interpreted code is slow to write single values to a segment.
    float[] panel = new float[panelLength];
    for (int i = 0; i < panels; i++) {
      Arrays.fill(panel, 0);
      interleave(vectors, i * PANEL, PANEL, panel, 0);
      MemorySegment.copy(panel, 0, packed, ValueLayout.JAVA_FLOAT, i * panelBytes, panelLength);
    }
    return packed;
  }

  /**
   * Returns panels on the heap.
   *
   * @throws ArithmeticException when the panels would exceed the largest array
   */
  static float[] panels(Vectors vectors) {
    int padded = Math.multiplyExact(Math.ceilDiv(vectors.count(), PANEL), PANEL);
    float[] packed = new float[Math.multiplyExact(padded, vectors.dimension())];
    interleaveAll(vectors, 0, vectors.count(), PANEL, packed);
    return packed;
  }

  /**
   * Writes the vectors from {@code first} to {@code end} (exclusive) as whole strips. The strip
   * whose first vector is i begins at (i − first) × dimension.
   */
  void strips(int first, int end, float[] strips) {
    Arrays.fill(strips, 0); // zero vectors fill the last strip
    interleaveAll(vectors, first, end, STRIP, strips);
  }

  private static void interleaveAll(
      Vectors vectors, int first, int end, int width, float[] packed) {
    for (int i = first; i < end; i += width) {
      interleave(vectors, i, width, packed, (i - first) * vectors.dimension());
    }
  }

  private static void interleave(Vectors vectors, int first, int width, float[] packed, int start) {
    float[] values = vectors.values();
    int dimension = vectors.dimension();
    int used = Math.min(width, vectors.count() - first);
    for (int i = 0; i < used; i++) {
      int from = (first + i) * dimension;
      for (int k = 0; k < dimension; k++) {
        packed[start + k * width + i] = values[from + k];
      }
    }
  }

  /** Returns the number of vectors, without the zero vectors at the end. */
  public int count() {
    return vectors.count();
  }

  public int dimension() {
    return vectors.dimension();
  }

  @Override
  public void close() {
    arena.close();
  }

  /** Number of pairs from which on the Vector API beats scalar code, even with C2 compile time. */
  static final long MANY_PAIRS = 20_000_000;

  static final TileKernel.Packing PLAIN = (columns, _) -> new ScalarKernel(columns);

  static TileKernel.Packing forPairs(long pairs) {
    return CodeKernel.FASTEST.orElseGet(() -> pairs < MANY_PAIRS ? PLAIN : compiled());
  }

  /** Returns the fastest kernel that is not a {@link CodeKernel}. */
  private static TileKernel.Packing compiled() {
    return vectorApi() && isC2There() ? Vector.KERNEL : PLAIN;
  }

  /** Whether the JVM was started with C2; HotSpot reports C1 alone as an emulated client VM. */
  private static boolean isC2There() {
    return !System.getProperty("java.vm.info").contains("emulated-client");
  }

  /** Whether this JVM was started with the module of the Vector API. */
  static boolean vectorApi() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
  }

  /** Contains the vector kernel; loaded only if the JVM has the module jdk.incubator.vector. */
  private static final class Vector {
    static final TileKernel.Packing KERNEL =
        switch (FloatVector.SPECIES_PREFERRED.vectorBitSize()) {
          case 128, 256, 512 -> VectorKernel::new;
          default -> PLAIN;
        };
  }
}
