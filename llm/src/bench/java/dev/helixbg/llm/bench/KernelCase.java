package dev.helixbg.llm.bench;

/** One kernel with data of a size that is measured; it can be run again and again. */
interface KernelCase extends AutoCloseable {

  /** What limits a kernel, and in what it is therefore counted. */
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

  /** What it computes, with its shape. */
  String name();

  Limit limit();

  /** Bytes that one run reads and writes, or multiply-adds that it does. */
  double amount();

  /** Computes once. */
  void run();

  /**
   * The largest error of a result after one run on fresh data, against scalar code in double
   * precision, relative to the largest result.
   */
  double error();

  /** The largest error that counts as right. */
  double bound();

  @Override
  void close();
}
