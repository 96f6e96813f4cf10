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

  /** Returns how many bytes a run reads and writes, or how many multiply-adds it computes. */
  double amount();

  void run();

  /**
   * Returns the largest error of the results of one run on fresh data, divided by the largest
   * result. Scalar code in double precision computes the expected results.
   */
  double error();

  /** Returns the largest permitted error. */
  double bound();

  @Override
  void close();
}
