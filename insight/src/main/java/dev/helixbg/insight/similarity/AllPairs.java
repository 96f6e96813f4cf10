package dev.helixbg.insight.similarity;

import static dev.helixbg.insight.similarity.PackedVectors.PANEL;
import static dev.helixbg.insight.similarity.PackedVectors.STRIP;

import dev.helixbg.embed.ParallelLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Compares every vector with every other one, exactly. What is found depends neither on the number
 * of threads nor on the kernel, only the order in which sinks hear of it does.
 */
public final class AllPairs {
  /** Vectors that are whole strips and whole panels. */
  private static final int UNIT = 96;

  /**
   * Side of a square block of work, in units. The 12 panels of a block, 576 KiB, stay in an L2
   * cache while its strips pass.
   */
  private static final int BLOCK_UNITS = 4;

  private AllPairs() {}

  /**
   * Finds the pairs i &lt; j of {@code vectors} whose dot product is at least {@code limit}.
   *
   * @param limit {@link Float#NEGATIVE_INFINITY} for all pairs
   * @param threads at least 1; the caller's is one of them
   * @param sinks makes a sink for each worker, before the first of them starts
   * @return the sinks
   * @throws CancellationException when the caller is interrupted, which it stays
   */
  public static <S extends PairSink> List<S> among(
      PackedVectors vectors, float limit, int threads, Supplier<S> sinks) {
    return scan(vectors, vectors, true, limit, threads, sinks);
  }

  /**
   * Finds the pairs of a row and a column whose dot product is at least {@code limit}; a few rows
   * against a whole KB, for example.
   *
   * @throws IllegalArgumentException when the dimensions differ
   * @throws CancellationException when the caller is interrupted, which it stays
   * @see #among for the parameters
   */
  public static <S extends PairSink> List<S> between(
      PackedVectors rows, PackedVectors columns, float limit, int threads, Supplier<S> sinks) {
    // The one check for all loads: on vector loads the JVM's own are off
    // (VECTOR_ACCESS_OOB_CHECK=0), and a scan asks only for panels that pack() made.
    if (rows.dimension() != columns.dimension()) {
      throw new IllegalArgumentException(
          "Vectors of %d values cannot be compared with vectors of %d values"
              .formatted(rows.dimension(), columns.dimension()));
    }
    return scan(rows, columns, false, limit, threads, sinks);
  }

  private static <S extends PairSink> List<S> scan(
      PackedVectors rows,
      PackedVectors columns,
      boolean upper,
      float limit,
      int threads,
      Supplier<S> sinks) {
    if (threads < 1) {
      throw new IllegalArgumentException("threads must be at least 1, not " + threads);
    }
    TileKernel kernel = columns.kernel();
    int units = Math.ceilDiv(Math.max(rows.count(), columns.count()), UNIT);
    int block = UNIT * Math.clamp(units / (4 * threads), 1, BLOCK_UNITS);
    AtomicLong next = new AtomicLong();
    List<S> made = new ArrayList<>();
    List<Worker> workers = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      S sink = sinks.get();
      made.add(sink);
      workers.add(new Worker(kernel, rows, columns, upper, limit, block, next, sink));
    }
    ParallelLoop.runToTheEnd("similarity", threads, threads, i -> workers.get(i).run());
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("interrupted");
    }
    return made;
  }

  /**
   * Takes blocks from a common counter until none is left.
   *
   * @param upper whether rows and columns are the same vectors, of which only i &lt; j counts
   * @param block vectors on a side of a block
   */
  private record Worker(
      TileKernel kernel,
      PackedVectors rows,
      PackedVectors columns,
      boolean upper,
      float limit,
      int block,
      AtomicLong next,
      PairSink sink)
      implements Runnable {

    @Override
    public void run() {
      int rowBlocks = Math.ceilDiv(rows.count(), block);
      long blocks = (long) rowBlocks * Math.ceilDiv(columns.count(), block);
      float[] products = new float[STRIP * PANEL];
      // Successive numbers share their columns, which so stay in the cache of a core.
      for (long i = next.getAndIncrement(); i < blocks; i = next.getAndIncrement()) {
        if (Thread.currentThread().isInterrupted()) { // the caller's, and so the end of all
          next.set(blocks);
          return;
        }
        int row = (int) (i % rowBlocks) * block;
        int column = (int) (i / rowBlocks) * block;
        if (!upper || row <= column) {
          compareBlock(row, column, products);
        }
      }
    }

    private void compareBlock(int firstRow, int firstColumn, float[] products) {
      int rowEnd = Math.min(firstRow + block, rows.count());
      int columnEnd = Math.min(firstColumn + block, columns.count());
      for (int row = firstRow; row < rowEnd; row += STRIP) {
        for (int column = firstColumn; column < columnEnd; column += PANEL) {
          if (!upper || row < column + PANEL - 1) {
            compareTile(row, column, products);
          }
        }
      }
    }

    private void compareTile(int firstRow, int firstColumn, float[] products) {
      int rowEnd = Math.min(firstRow + STRIP, rows.count());
      int columnEnd = Math.min(firstColumn + PANEL, columns.count());
      float least = Math.max(limit, sink.limit(firstRow, rowEnd, firstColumn, columnEnd));
      if (!kernel.multiply(
          rows.strips(), firstRow * rows.dimension(), firstColumn, least, products)) {
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

  /** Receives the pairs that one worker of a scan finds, in no particular order. */
  @FunctionalInterface
  public interface PairSink {
    /**
     * @param row index of the first vector; when vectors are compared among themselves, the lower
     *     one
     * @param column index of the second vector
     * @param similarity their dot product
     */
    void accept(int row, int column, float similarity);

    /**
     * The least similarity of pairs of these rows and columns that this sink wants to hear of: a
     * call for each pair can take longer than its product.
     */
    default float limit(int firstRow, int rowEnd, int firstColumn, int columnEnd) {
      return Float.NEGATIVE_INFINITY;
    }
  }
}
