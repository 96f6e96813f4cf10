package dev.helixbg.llm.bench;

/** A kernel with the data for its measurement. It can run any number of times. */
interface KernelCase extends AutoCloseable {

  /** Limit of a kernel's speed, with the unit of that speed. */
  enum Limit {
    MEMORY("GB/s"),
    ARITHMETIC("GMAC/s");

    private final String unit;

    Limit(String unit) {
      this.unit = unit;
    }

    String unit() {
      return unit;
    }
  }

  /** Returns a description of the computation, with its shape. */
  String name();

  Limit limit();

  /** Returns the number of bytes that a run reads and writes, or of its multiply-adds. */
  double amount();

  void run();

  /**
   * Returns the largest error of a result after one run on fresh data, relative to the largest
   * result. Scalar code in double precision computes the expected results.
   */
  double error();

  /** Returns the largest permitted error. */
  double bound();

  @Override
  void close();
}
