package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTE;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;

/**
 * Brings stored rows into the processor's caches from first to last, before they are unpacked piece
 * by piece: a processor fetches ahead what is read in one line.
 */
public final class ReadAhead {
  private static final int CACHE_LINE = 64;

  private ReadAhead() {}

  /**
   * Reads {@code bytes} of each row, a byte of every cache line; returns their sum, or they would
   * not be read.
   *
   * @param stride bytes from one row to the next
   */
  public static int rows(long first, long stride, int rows, long bytes) {
    int sum = 0;
    for (int row = 0; row < rows; row++) {
      long from = first + stride * row & ADDRESS;
      for (long at = 0; at < bytes; at += CACHE_LINE) {
        sum += MEMORY.get(BYTE, from + at);
      }
    }
    return sum;
  }
}
