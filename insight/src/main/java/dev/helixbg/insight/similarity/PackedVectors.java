package dev.helixbg.insight.similarity;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Set;
import jdk.incubator.vector.FloatVector;

/**
 * Vectors packed for {@link TileKernel}, once as rows and once as columns. Rows come in strips of
 * {@link #STRIP} vectors, columns in panels of {@link #PANEL}; within a strip or panel first come
 * the first values of all its vectors, then the second ones, and so on. So a kernel reads both from
 * front to back.
 *
 * <p>The columns of many vectors are in native memory until {@link #close}.
 */
public final class PackedVectors implements AutoCloseable {
  /** Vectors in a strip. */
  static final int STRIP = 12;

  /** Vectors in a panel. */
  static final int PANEL = 32;

  private static final long CACHE_LINE_BYTES = 64;

  private final int count;
  private final int dimension;
  private final float[] strips;
  private final TileKernel kernel;
  private final Arena arena;

  private PackedVectors(int count, int dimension, float[] strips, TileKernel kernel, Arena arena) {
    this.count = count;
    this.dimension = dimension;
    this.strips = strips;
    this.kernel = kernel;
    this.arena = arena;
  }

  /**
   * Packs copies, for the kernel that first finishes all pairs of the vectors; the last strip and
   * the last panel are filled up with zero vectors.
   *
   * @throws ArithmeticException when the strips would exceed the largest array
   */
  public static PackedVectors pack(Vectors vectors) {
    return pack(vectors, TileKernels.forPairs((long) vectors.count() * vectors.count()));
  }

  static PackedVectors pack(Vectors vectors, TileKernel.Packing columns) {
    float[] strips = interleaved(vectors, STRIP);
    // Shared, since the workers of a scan read it.
    Arena arena = Arena.ofShared();
    try {
      TileKernel kernel = columns.pack(vectors, arena);
      return new PackedVectors(vectors.count(), vectors.dimension(), strips, kernel, arena);
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  /**
   * Panels in native memory, where they can begin at a cache line: then no load of a vector
   * register crosses one, which takes a tenth of the time. A large array of the heap lies at any
   * multiple of 8 bytes.
   */
  static MemorySegment nativePanels(Vectors vectors, Arena arena) {
    int panelLength = Math.multiplyExact(PANEL, vectors.dimension());
    long panelBytes = (long) panelLength * Float.BYTES;
    long panels = Math.ceilDiv(vectors.count(), PANEL);
    MemorySegment packed = arena.allocate(panels * panelBytes, CACHE_LINE_BYTES);
    // By way of an array: value by value, a segment is slow to fill while the code is interpreted.
    float[] panel = new float[panelLength];
    for (int i = 0; i < panels; i++) {
      Arrays.fill(panel, 0);
      interleave(vectors, i * PANEL, PANEL, panel, 0);
      MemorySegment.copy(panel, 0, packed, ValueLayout.JAVA_FLOAT, i * panelBytes, panelLength);
    }
    return packed;
  }

  /** On the heap, in strips or panels of so many vectors. */
  static float[] interleaved(Vectors vectors, int width) {
    int dimension = vectors.dimension();
    int padded = Math.multiplyExact(Math.ceilDiv(vectors.count(), width), width);
    float[] packed = new float[Math.multiplyExact(padded, dimension)];
    for (int first = 0; first < vectors.count(); first += width) {
      interleave(vectors, first, width, packed, first * dimension);
    }
    return packed;
  }

  /**
   * Packs up to {@code width} vectors from {@code first} on into {@code packed} at {@code start}.
   */
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

  /** Vectors, without those that fill up. */
  public int count() {
    return count;
  }

  public int dimension() {
    return dimension;
  }

  /** All strips; that of vector i, a multiple of {@link #STRIP}, begins at i × dimension. */
  float[] strips() {
    requireOpen();
    return strips;
  }

  /** The kernel of these vectors as columns. */
  TileKernel kernel() {
    requireOpen();
    return kernel;
  }

  private void requireOpen() {
    if (!arena.scope().isAlive()) {
      throw new IllegalStateException("Packed vectors are used after they were closed");
    }
  }

  /**
   * Frees the native memory.
   *
   * @throws IllegalStateException when closed before
   */
  @Override
  public void close() {
    arena.close();
  }

  /** Chooses the kernel that finishes first. */
  static final class TileKernels {
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
      private static final int BITS = FloatVector.SPECIES_PREFERRED.vectorBitSize();

      /** In bits: two vectors of each fit into a panel. */
      private static final Set<Integer> WIDTHS = Set.of(128, 256, 512);

      static final TileKernel.Packing KERNEL =
          !WIDTHS.contains(BITS)
              ? PLAIN
              : BITS == 256 && CodeKernel.applies() ? CodeKernel::new : VectorKernel::new;
    }
  }
}
