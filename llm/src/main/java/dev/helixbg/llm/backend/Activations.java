package dev.helixbg.llm.backend;

/**
 * A device's buffer of 32-bit floats, rows × columns. The host may touch it only while nothing that
 * uses it is in flight.
 */
public interface Activations {
  int rows();

  int columns();

  /** Copies a row to the first {@link #columns} places of {@code target}. */
  void read(int row, float[] target);

  /** Copies the first {@link #columns} values of {@code source} to a row. */
  void write(int row, float[] source);
}
