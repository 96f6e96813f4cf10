package dev.helixbg.insight.similarity;

/** Receives the pairs that one worker of a scan finds, in no particular order. */
@FunctionalInterface
public interface PairSink {
  /**
   * @param row index of the first vector; when vectors are compared among themselves, the lower one
   * @param column index of the second vector
   * @param similarity their dot product
   */
  void accept(int row, int column, float similarity);
}
