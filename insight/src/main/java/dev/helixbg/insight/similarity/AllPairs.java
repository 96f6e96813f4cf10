package dev.helixbg.insight.similarity;

import static dev.helixbg.insight.similarity.PackedVectors.PANEL;
import static dev.helixbg.insight.similarity.PackedVectors.STRIP;

import dev.helixbg.embed.ParallelLoop;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Compares all vectors with each other. The number of threads and the choice of {@link TileKernel}
 * affect only the order in which pairs are found.
 */
public final class AllPairs {
  /** Smallest number of vectors that fills whole strips and panels; see {@link PackedVectors}. */
  private static final int UNIT = 96;

  /**
   * Side of a square block of work, in multiples of {@link #UNIT} vectors. The 12 panels of a block
   * (see {@link PackedVectors}) have 576 KiB, so they stay in an L2 cache while all strips of the
   * block are read.
   */
  private static final int BLOCK_UNITS = 4;

  private AllPairs() {}

  /**
   * Finds the pairs i &lt; j of {@code vectors} whose dot product is at least {@code limit}.
   *
   * @param limit {@link Float#NEGATIVE_INFINITY} for all pairs
   * @param threads at least 1; the caller's thread is one of them
   * @param sink receives the pairs; all threads call it
   * @throws CancellationException when interrupted; the interrupt status stays set
   */
  public static void among(PackedVectors vectors, float limit, int threads, PairSink sink) {
    scan(vectors, vectors, true, limit, threads, sink);
  }

  /**
   * Finds the pairs of a row and a column whose dot product is at least {@code limit}.
   *
   * @throws IllegalArgumentException when the dimensions differ
   * @see #among
   */
  public static void between(
      PackedVectors rows, PackedVectors columns, float limit, int threads, PairSink sink) {
    // This is the only bounds check, because the JVM's own checks of vector loads are off
    // (VECTOR_ACCESS_OOB_CHECK=0). No other check is needed, because a scan only reads panels that
    // pack() made.
    if (rows.dimension() != columns.dimension()) {
      throw new IllegalArgumentException(
          "Vectors of %d values cannot be compared with vectors of %d values"
              .formatted(rows.dimension(), columns.dimension()));
    }
    scan(rows, columns, false, limit, threads, sink);
  }

  private static void scan(
      PackedVectors rows,
      PackedVectors columns,
      boolean upper,
      float limit,
      int threads,
      PairSink sink) {
    int units = Math.ceilDiv(Math.max(rows.count(), columns.count()), UNIT);
    int block = UNIT * Math.clamp(units / (4 * threads), 1, BLOCK_UNITS);
    Work work = new Work(rows, columns, upper, limit, block, new AtomicLong(), sink);
    ParallelLoop.runToTheEnd("similarity", threads, threads, _ -> work.run());
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("interrupted");
    }
  }

  /**
   * The blocks of a scan. Each worker takes the next block until no block is left.
   *
   * @param upper whether rows and columns are the same vectors, so that only i &lt; j counts
   * @param block number of vectors on a side of a block
   * @param next number of the next block
   */
  private record Work(
      PackedVectors rows,
      PackedVectors columns,
      boolean upper,
      float limit,
      int block,
      AtomicLong next,
      PairSink sink) {

    void run() {
      int columnBlocks = Math.ceilDiv(columns.count(), block);
      long blocks = (long) columnBlocks * Math.ceilDiv(rows.count(), block);
      float[] products = new float[STRIP * PANEL];
      // Successive blocks have the same rows, so that a worker makes their strips only once.
      float[] strips = new float[block * rows.dimension()];
      int rowOfStrips = -1;
      for (long i = next.getAndIncrement(); i < blocks; i = next.getAndIncrement()) {
        // an interrupt of the caller ends all workers
        if (Thread.currentThread().isInterrupted()) {
          next.set(blocks);
          return;
        }
        int row = (int) (i / columnBlocks) * block;
        int column = (int) (i % columnBlocks) * block;
        if (!upper || row <= column) {
          if (row != rowOfStrips) {
            rows.strips(row, Math.min(row + block, rows.count()), strips);
            rowOfStrips = row;
          }
          compareBlock(row, column, strips, products);
        }
      }
    }

    private void compareBlock(int firstRow, int firstColumn, float[] strips, float[] products) {
      int rowEnd = Math.min(firstRow + block, rows.count());
      int columnEnd = Math.min(firstColumn + block, columns.count());
      for (int row = firstRow; row < rowEnd; row += STRIP) {
        for (int column = firstColumn; column < columnEnd; column += PANEL) {
          if (!upper || row < column + PANEL - 1) {
            compareTile(row, column, strips, (row - firstRow) * rows.dimension(), products);
          }
        }
      }
    }

    private void compareTile(
        int firstRow, int firstColumn, float[] strips, int stripStart, float[] products) {
      int rowEnd = Math.min(firstRow + STRIP, rows.count());
      int columnEnd = Math.min(firstColumn + PANEL, columns.count());
      float least = Math.max(limit, sink.limit(firstRow, rowEnd, firstColumn, columnEnd));
      if (!columns.kernel().multiply(strips, stripStart, firstColumn, least, products)) {
        return;
      }
      for (int row = firstRow; row < rowEnd; row++) {
        int productStart = (row - firstRow) * PANEL - firstColumn;
        for (int column = upper ? Math.max(row + 1, firstColumn) : firstColumn;
            column < columnEnd;
            column++) {
          float product = products[productStart + column];
          if (product >= least) {
            sink.accept(row, column, product);
          }
        }
      }
    }
  }

  /** Receives pairs in no particular order, from several threads at once. */
  @FunctionalInterface
  public interface PairSink {
    /**
     * @param row index of the first vector; lower than {@code column} in a scan by {@link #among}
     * @param similarity the dot product of the two vectors
     */
    void accept(int row, int column, float similarity);

    /**
     * Returns the minimum similarity at which {@link #accept} is called for pairs of these rows and
     * columns. A call can take longer than computing the similarity, so the limit saves time.
     */
    default float limit(int firstRow, int rowEnd, int firstColumn, int columnEnd) {
      return Float.NEGATIVE_INFINITY;
    }
  }
}
