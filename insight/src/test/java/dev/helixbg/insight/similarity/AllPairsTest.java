package dev.helixbg.insight.similarity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.helixbg.config.ForkedJvm;
import dev.helixbg.insight.similarity.AllPairs.PairSink;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the products of every kernel have the same bits as a chain of Math.fma. */
class AllPairsTest {
  private static final PairSink NONE = (row, column, similarity) -> {};

  private static final int[] COUNTS = {0, 1, 2, 11, 12, 13, 31, 32, 33, 97, 300};
  private static final int[] DIMENSIONS = {1, 3, 15, 16, 17, 383, 384, 385};

  static List<TileKernel.Packing> kernels() {
    List<TileKernel.Packing> kernels =
        new ArrayList<>(List.of(PackedVectors.PLAIN, VectorKernel::new));
    CodeKernel.sizes().forEach(bits -> kernels.add(CodeKernel.withVectors(bits).orElseThrow()));
    return kernels;
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void givesTheBitsOfAnFmaChainAtOddSizes(TileKernel.Packing kernel) {
    for (int count : COUNTS) {
      for (int dimension : DIMENSIONS) {
        Vectors vectors = random(count, dimension, 31L * count + dimension);
        assertAllPairs(kernel, vectors, vectors, true, Float.NEGATIVE_INFINITY, 2);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void givesTheBitsOfAnFmaChainForAThousandVectors(TileKernel.Packing kernel) {
    Vectors vectors = random(1000, 17, 5);
    assertAllPairs(kernel, vectors, vectors, true, Float.NEGATIVE_INFINITY, 2);
    Vectors fewer = random(300, 17, 5);
    for (int threads : new int[] {1, 3, 7}) {
      assertAllPairs(kernel, fewer, fewer, true, Float.NEGATIVE_INFINITY, threads);
    }
    Vectors wide = random(401, 384, 6);
    assertAllPairs(kernel, wide, wide, true, 0.1f, 2);
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void comparesRowsAgainstAll(TileKernel.Packing kernel) {
    for (int rows : COUNTS) {
      for (int columns : new int[] {0, 1, 33, 200}) {
        for (float limit : new float[] {Float.NEGATIVE_INFINITY, 0, 0.3f}) {
          assertAllPairs(kernel, random(rows, 19, 7), random(columns, 19, 8), false, limit, 3);
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void aLimitIncludesItselfAndNothingBelow(TileKernel.Packing kernel) {
    Vectors vectors = random(120, 33, 9);
    float[] exact = new float[1];
    TreeMap<Long, Float> all = expected(vectors, vectors, true, Float.NEGATIVE_INFINITY);
    exact[0] = all.values().stream().sorted().skip(all.size() - 40).findFirst().orElseThrow();
    assertEquals(40, found(kernel, vectors, vectors, true, exact[0], 2).size());
    assertEquals(39, found(kernel, vectors, vectors, true, Math.nextUp(exact[0]), 2).size());
  }

  @ParameterizedTest
  @MethodSource("kernels")
  void fillingVectorsAreNeverReported(TileKernel.Packing kernel) {
    Vectors negative = new Vectors(3, 2, new float[] {1, 0, -1, 0, 0.5f, -0.5f});
    assertAllPairs(kernel, negative, negative, true, -0.4f, 1);
    assertAllPairs(kernel, negative, negative, false, 0, 1);
  }

  @Test
  void theErrorOfASinkReachesTheCaller() {
    IllegalStateException error = new IllegalStateException("full");
    PairSink failing =
        (a, b, similarity) -> {
          throw error;
        };
    try (PackedVectors packed = PackedVectors.pack(random(2000, 8, 1))) {
      IllegalStateException thrown =
          assertThrows(IllegalStateException.class, () -> AllPairs.among(packed, -2, 4, failing));
      assertSame(error, thrown);
    }
  }

  @Test
  void anInterruptEndsItSoonAndStays() {
    AtomicLong heard = new AtomicLong();
    Thread caller = Thread.currentThread();
    PairSink interrupting =
        (a, b, similarity) -> {
          heard.incrementAndGet();
          caller.interrupt();
        };
    try (PackedVectors packed = PackedVectors.pack(random(3000, 8, 1))) {
      assertThrows(CancellationException.class, () -> AllPairs.among(packed, -2, 2, interrupting));
    }
    assertTrue(Thread.interrupted(), "the caller may look itself");
    assertTrue(heard.get() < 3000L * 2999 / 2, heard + " pairs: all of them");
  }

  @Test
  void badSizesAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> new Vectors(2, 3, new float[5]));
    assertThrows(IllegalArgumentException.class, () -> new Vectors(-1, 3, new float[0]));
    assertThrows(IllegalArgumentException.class, () -> new Vectors(0, 0, new float[0]));
    try (PackedVectors three = PackedVectors.pack(random(2, 3, 1));
        PackedVectors four = PackedVectors.pack(random(2, 4, 1))) {
      assertThrows(IllegalArgumentException.class, () -> AllPairs.between(three, four, 0, 1, NONE));
    }
  }

  @Test
  void manyPairsUseAFastKernelAndFewDoNot() {
    assertTrue(PackedVectors.vectorApi(), "the tests run with the module");
    try (PackedVectors few = PackedVectors.pack(random(4472, 1, 1));
        PackedVectors many = PackedVectors.pack(random(4473, 1, 1))) {
      if (CodeKernel.FASTEST.isPresent()) {
        assertInstanceOf(CodeKernel.class, few.kernel());
        assertInstanceOf(CodeKernel.class, many.kernel());
      } else {
        assertInstanceOf(ScalarKernel.class, few.kernel());
        assertInstanceOf(VectorKernel.class, many.kernel());
      }
    }
  }

  /**
   * The kernel without native memory is not tested here, because it has no memory that could be
   * freed.
   */
  @ParameterizedTest
  @MethodSource("kernels")
  void useOfFreedMemoryIsAnError(TileKernel.Packing kernel) {
    assumeTrue(kernel != PackedVectors.PLAIN);
    PackedVectors closed = PackedVectors.pack(random(100, 8, 1), kernel);
    closed.close();
    assertThrows(IllegalStateException.class, () -> AllPairs.among(closed, 0, 2, NONE));
    assertThrows(IllegalStateException.class, closed::close);
  }

  /** A sink closes the vectors that its scan is reading. */
  @Test
  void closingDuringAScanEndsItWithAnError() {
    PackedVectors packed =
        PackedVectors.pack(random(2000, 8, 1), PackedVectors.forPairs(Long.MAX_VALUE));
    AtomicBoolean closed = new AtomicBoolean();
    PairSink closing =
        (a, b, similarity) -> {
          if (closed.compareAndSet(false, true)) {
            packed.close();
          }
        };
    assertThrows(IllegalStateException.class, () -> AllPairs.among(packed, -2, 2, closing));
  }

  @Test
  void closingFreesTheNativeMemory() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    Vectors vectors = new Vectors(1000, 10_000, new float[10_000_000]);
    PackedVectors.pack(vectors, PackedVectors.forPairs(Long.MAX_VALUE)).close();
    long before = system.getCommittedVirtualMemorySize();
    for (int i = 0; i < 20; i++) {
      PackedVectors.pack(vectors, PackedVectors.forPairs(Long.MAX_VALUE)).close();
    }
    long grown = system.getCommittedVirtualMemorySize() - before;
    assertTrue(grown < 400_000_000, grown + " bytes more of 800,000,000 that were packed");
  }

  /**
   * If C2 put the kernel's vectors into objects, a scan would allocate gigabytes. Otherwise, it
   * allocates only a few strips.
   */
  @Test
  void theVectorKernelDoesNotBoxItsVectors() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long allocated = Long.MAX_VALUE;
    try (PackedVectors packed = PackedVectors.pack(random(2000, 384, 3), VectorKernel::new)) {
      for (int round = 0; round < 60 && allocated > 1_000_000; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        AllPairs.among(packed, 0.9f, 1, NONE);
        allocated = threads.getCurrentThreadAllocatedBytes() - before;
      }
    }
    assertTrue(allocated <= 1_000_000, allocated + " bytes allocated");
  }

  /** The products also have the same bits with narrower registers. */
  @Test
  void withoutTheVectorModuleThePlainKernelGivesTheSameBits() throws Exception {
    String none = "-Dhelixbg.machine.code=false";
    String plain = sibling(none);
    for (String width : List.of("-XX:MaxVectorSize=64", "-XX:UseAVX=2", "-XX:MaxVectorSize=16")) {
      String lenient = "-XX:+IgnoreUnrecognizedVMOptions";
      assertEquals(
          plain, sibling(none, lenient, width, "--add-modules", "jdk.incubator.vector"), width);
    }
    assertEquals(plain, sibling("-XX:TieredStopAtLevel=1"), "machine code, if it runs here");
  }

  /** Runs {@link ManyPairs} in another JVM and returns its output. */
  private static String sibling(String... flags) throws IOException, InterruptedException {
    List<String> command = ForkedJvm.command(List.of(flags), ManyPairs.class);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    String output = new String(process.getInputStream().readAllBytes());
    assertEquals(0, process.waitFor());
    return output;
  }

  /**
   * Prints hashes of the products of two sets of vectors. One set has enough pairs for a vector
   * kernel; the other has vectors of the model's size. Without the module of the Vector API, the
   * benchmark runs, too.
   */
  static final class ManyPairs {
    public static void main(String[] arguments) {
      System.out.println(hash(PackedVectors.pack(random(4500, 9, 11))));
      System.out.println(
          hash(PackedVectors.pack(random(100, 384, 12), PackedVectors.forPairs(Long.MAX_VALUE))));
      if (!PackedVectors.vectorApi()) {
        SimilarityBench.run(new int[] {100}, new int[] {2}, 1);
      }
    }

    private static long hash(PackedVectors vectors) {
      try (vectors) {
        LongAdder hash = new LongAdder();
        AllPairs.among(
            vectors,
            Float.NEGATIVE_INFINITY,
            2,
            (row, column, similarity) -> {
              long pair = row * 1_000_003L + column;
              hash.add((pair ^ Float.floatToRawIntBits(similarity) * 0x9e3779b97f4a7c15L) * 31);
            });
        return hash.sum();
      }
    }
  }

  private static void assertAllPairs(
      TileKernel.Packing kernel,
      Vectors rows,
      Vectors columns,
      boolean upper,
      float limit,
      int threads) {
    assertEquals(
        expected(rows, columns, upper, limit),
        found(kernel, rows, columns, upper, limit, threads),
        () ->
            "%d × %d vectors of %d, limit %s"
                .formatted(rows.count(), columns.count(), rows.dimension(), limit));
  }

  private static TreeMap<Long, Float> found(
      TileKernel.Packing kernel,
      Vectors rows,
      Vectors columns,
      boolean upper,
      float limit,
      int threads) {
    TreeMap<Long, Float> all = new TreeMap<>();
    PairSink sink =
        (row, column, similarity) -> {
          synchronized (all) {
            assertNull(all.put((long) row << 32 | column, similarity), "reported by two workers");
          }
        };
    try (PackedVectors left = PackedVectors.pack(rows, PackedVectors.PLAIN);
        PackedVectors right = PackedVectors.pack(columns, kernel)) {
      if (upper) {
        AllPairs.among(right, limit, threads, sink);
      } else {
        AllPairs.between(left, right, limit, threads, sink);
      }
    }
    return all;
  }

  private static TreeMap<Long, Float> expected(
      Vectors rows, Vectors columns, boolean upper, float limit) {
    TreeMap<Long, Float> all = new TreeMap<>();
    int dimension = rows.dimension();
    for (int i = 0; i < rows.count(); i++) {
      for (int j = upper ? i + 1 : 0; j < columns.count(); j++) {
        float sum = 0;
        for (int k = 0; k < dimension; k++) {
          sum =
              Math.fma(rows.values()[i * dimension + k], columns.values()[j * dimension + k], sum);
        }
        if (sum >= limit) {
          all.put((long) i << 32 | j, sum);
        }
      }
    }
    return all;
  }

  static Vectors random(int count, int dimension, long seed) {
    Random random = new Random(seed);
    float[] values = new float[count * dimension];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (random.nextGaussian() / Math.sqrt(dimension));
    }
    return new Vectors(count, dimension, values);
  }
}
