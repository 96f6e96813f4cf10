package dev.helixbg.insight.similarity;

import static dev.helixbg.insight.similarity.PackedVectors.PANEL;
import static dev.helixbg.insight.similarity.PackedVectors.STRIP;
import static jdk.incubator.vector.VectorOperators.GE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Computes dot products with the Vector API, in vectors of this machine's width, 128 to 512 bits.
 * It needs 27 registers: 24 for sums, two for columns and one for a row. AVX-512 and NEON have 32;
 * AVX2 has 16, but there {@link CodeKernel} runs instead, if it can.
 *
 * <p>The inner loop calls no method of this project, because C2 keeps vectors in registers only
 * within one inlined method. The code is short, because the JVM would interpret several thousand
 * bytecodes for seconds before C2 has compiled them.
 */
record VectorKernel(MemorySegment panels, int dimension) implements TileKernel {
  private static final VectorSpecies<Float> SPECIES = FloatVector.SPECIES_PREFERRED;

  private static final int LANES = SPECIES.length();
  private static final long BYTES = LANES * Float.BYTES;

  /** Number of bytes from one value of a vector in a panel to its next value. */
  private static final long STEP = PANEL * Float.BYTES;

  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final int COLUMNS = 2 * LANES;

  VectorKernel(Vectors columns, Arena arena) {
    this(PackedVectors.nativePanels(columns, arena), columns.dimension());
  }

  @Override
  public boolean multiply(float[] rows, int rowStart, int column, float limit, float[] products) {
    long panelStart = (long) column * dimension * Float.BYTES;
    boolean reached = false;
    for (int c = 0; c < PANEL; c += COLUMNS) {
      reached |= multiplyPart(rows, rowStart, panelStart + c * Float.BYTES, limit, products, c);
    }
    return reached;
  }

  /**
   * Multiplies a strip by COLUMNS columns. For example, s2b has the sums of row 2 with the second
   * register of columns.
   */
  private boolean multiplyPart(
      float[] rows, int rowStart, long partStart, float limit, float[] products, int productStart) {
    FloatVector s0a = FloatVector.zero(SPECIES);
    FloatVector s0b = s0a;
    FloatVector s1a = s0a;
    FloatVector s1b = s0a;
    FloatVector s2a = s0a;
    FloatVector s2b = s0a;
    FloatVector s3a = s0a;
    FloatVector s3b = s0a;
    FloatVector s4a = s0a;
    FloatVector s4b = s0a;
    FloatVector s5a = s0a;
    FloatVector s5b = s0a;
    FloatVector s6a = s0a;
    FloatVector s6b = s0a;
    FloatVector s7a = s0a;
    FloatVector s7b = s0a;
    FloatVector s8a = s0a;
    FloatVector s8b = s0a;
    FloatVector s9a = s0a;
    FloatVector s9b = s0a;
    FloatVector s10a = s0a;
    FloatVector s10b = s0a;
    FloatVector s11a = s0a;
    FloatVector s11b = s0a;
    for (int k = 0; k < dimension; k++) {
      long at = partStart + k * STEP;
      FloatVector a = FloatVector.fromMemorySegment(SPECIES, panels, at, ORDER);
      FloatVector b = FloatVector.fromMemorySegment(SPECIES, panels, at + BYTES, ORDER);
      int row = rowStart + k * STRIP;
      FloatVector r = FloatVector.broadcast(SPECIES, rows[row]);
      s0a = r.fma(a, s0a);
      s0b = r.fma(b, s0b);
      r = FloatVector.broadcast(SPECIES, rows[row + 1]);
      s1a = r.fma(a, s1a);
      s1b = r.fma(b, s1b);
      r = FloatVector.broadcast(SPECIES, rows[row + 2]);
      s2a = r.fma(a, s2a);
      s2b = r.fma(b, s2b);
      r = FloatVector.broadcast(SPECIES, rows[row + 3]);
      s3a = r.fma(a, s3a);
      s3b = r.fma(b, s3b);
      r = FloatVector.broadcast(SPECIES, rows[row + 4]);
      s4a = r.fma(a, s4a);
      s4b = r.fma(b, s4b);
      r = FloatVector.broadcast(SPECIES, rows[row + 5]);
      s5a = r.fma(a, s5a);
      s5b = r.fma(b, s5b);
      r = FloatVector.broadcast(SPECIES, rows[row + 6]);
      s6a = r.fma(a, s6a);
      s6b = r.fma(b, s6b);
      r = FloatVector.broadcast(SPECIES, rows[row + 7]);
      s7a = r.fma(a, s7a);
      s7b = r.fma(b, s7b);
      r = FloatVector.broadcast(SPECIES, rows[row + 8]);
      s8a = r.fma(a, s8a);
      s8b = r.fma(b, s8b);
      r = FloatVector.broadcast(SPECIES, rows[row + 9]);
      s9a = r.fma(a, s9a);
      s9b = r.fma(b, s9b);
      r = FloatVector.broadcast(SPECIES, rows[row + 10]);
      s10a = r.fma(a, s10a);
      s10b = r.fma(b, s10b);
      r = FloatVector.broadcast(SPECIES, rows[row + 11]);
      s11a = r.fma(a, s11a);
      s11b = r.fma(b, s11b);
    }
    s0a.intoArray(products, productStart);
    s0b.intoArray(products, productStart + LANES);
    s1a.intoArray(products, productStart + 1 * PANEL);
    s1b.intoArray(products, productStart + 1 * PANEL + LANES);
    s2a.intoArray(products, productStart + 2 * PANEL);
    s2b.intoArray(products, productStart + 2 * PANEL + LANES);
    s3a.intoArray(products, productStart + 3 * PANEL);
    s3b.intoArray(products, productStart + 3 * PANEL + LANES);
    s4a.intoArray(products, productStart + 4 * PANEL);
    s4b.intoArray(products, productStart + 4 * PANEL + LANES);
    s5a.intoArray(products, productStart + 5 * PANEL);
    s5b.intoArray(products, productStart + 5 * PANEL + LANES);
    s6a.intoArray(products, productStart + 6 * PANEL);
    s6b.intoArray(products, productStart + 6 * PANEL + LANES);
    s7a.intoArray(products, productStart + 7 * PANEL);
    s7b.intoArray(products, productStart + 7 * PANEL + LANES);
    s8a.intoArray(products, productStart + 8 * PANEL);
    s8b.intoArray(products, productStart + 8 * PANEL + LANES);
    s9a.intoArray(products, productStart + 9 * PANEL);
    s9b.intoArray(products, productStart + 9 * PANEL + LANES);
    s10a.intoArray(products, productStart + 10 * PANEL);
    s10b.intoArray(products, productStart + 10 * PANEL + LANES);
    s11a.intoArray(products, productStart + 11 * PANEL);
    s11b.intoArray(products, productStart + 11 * PANEL + LANES);
    return s0a.compare(GE, limit)
        .or(s0b.compare(GE, limit))
        .or(s1a.compare(GE, limit))
        .or(s1b.compare(GE, limit))
        .or(s2a.compare(GE, limit))
        .or(s2b.compare(GE, limit))
        .or(s3a.compare(GE, limit))
        .or(s3b.compare(GE, limit))
        .or(s4a.compare(GE, limit))
        .or(s4b.compare(GE, limit))
        .or(s5a.compare(GE, limit))
        .or(s5b.compare(GE, limit))
        .or(s6a.compare(GE, limit))
        .or(s6b.compare(GE, limit))
        .or(s7a.compare(GE, limit))
        .or(s7b.compare(GE, limit))
        .or(s8a.compare(GE, limit))
        .or(s8b.compare(GE, limit))
        .or(s9a.compare(GE, limit))
        .or(s9b.compare(GE, limit))
        .or(s10a.compare(GE, limit))
        .or(s10b.compare(GE, limit))
        .or(s11a.compare(GE, limit))
        .or(s11b.compare(GE, limit))
        .anyTrue();
  }
}
