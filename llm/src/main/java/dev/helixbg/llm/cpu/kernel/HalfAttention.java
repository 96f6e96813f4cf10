package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES;
import static dev.helixbg.llm.cpu.kernel.Lanes.COUNT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.INTS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.Lanes.SHORT;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.S2I;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorSpecies;

/**
 * Attention of two queries over the same keys and values of f16, in place: what is loaded and
 * converted serves both.
 *
 * <p>A short, widened with its sign, has sign, exponent and fraction moved to a float's places by
 * one shift, and is then 2^−112 times the number, subnormal ones too; the other factor of each
 * product makes up for that. Only finite numbers come out right: an infinite one counts as 2^16.
 */
public final class HalfAttention {
  /** Queries are multiplied by this first. The other half of 2^112 is left to their scores. */
  public static final float QUERY_FACTOR = 0x1p56f;

  private static final float SCORE_FACTOR = 0x1p56f;
  private static final float WEIGHT_FACTOR = 0x1p112f;
  private static final float TOO_SMALL = 0x1p-112f;

  private static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(FLOATS.vectorBitSize() / 2));

  /** All bits of a widened short but copies of its sign. */
  private static final int NUMBER = 0x8FFFE000;

  private HalfAttention() {}

  /**
   * {@code scores[p] = q · k[p]} and {@code others[p] = other · k[p]} for {@code count} keys of
   * {@code size} halves, where q and other come multiplied by {@link #QUERY_FACTOR}. Both may be
   * the same.
   */
  public static void scores(
      long q, long other, long keys, int count, int size, long scores, long others) {
    long pairs = 2L * (size & -2 * COUNT);
    long k = keys;
    for (int p = 0; p < count; p++, k += 2L * size) {
      FloatVector s0 = FloatVector.zero(FLOATS);
      FloatVector s1 = s0;
      FloatVector t0 = s0;
      FloatVector t1 = s0;
      long i = 0;
      for (; i != pairs; i += BYTES) {
        FloatVector x =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, k + i, ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        s0 = FloatVector.fromMemorySegment(FLOATS, MEMORY, q + 2 * i, ORDER).fma(x, s0);
        t0 = FloatVector.fromMemorySegment(FLOATS, MEMORY, other + 2 * i, ORDER).fma(x, t0);
        FloatVector z =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, k + i + BYTES / 2, ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        s1 = FloatVector.fromMemorySegment(FLOATS, MEMORY, q + 2 * i + BYTES, ORDER).fma(z, s1);
        t1 = FloatVector.fromMemorySegment(FLOATS, MEMORY, other + 2 * i + BYTES, ORDER).fma(z, t1);
      }
      // In the order of LaneSums.
      FloatVector s = s1.add(s0);
      FloatVector t = t1.add(t0);
      if (COUNT >= 16) {
        s = s.add(s.rearrange(LaneSums.BY_8));
        t = t.add(t.rearrange(LaneSums.BY_8));
      }
      if (COUNT >= 8) {
        s = s.add(s.rearrange(LaneSums.BY_4));
        t = t.add(t.rearrange(LaneSums.BY_4));
      }
      s = s.add(s.rearrange(LaneSums.BY_2));
      t = t.add(t.rearrange(LaneSums.BY_2));
      float sum = s.lane(0) + s.lane(1);
      float otherSum = t.lane(0) + t.lane(1);
      for (; i != 2L * size; i += 2) {
        float x = TOO_SMALL * Float.float16ToFloat(MEMORY.get(SHORT, k + i & ADDRESS));
        sum += x * MEMORY.get(FLOAT, q + 2 * i & ADDRESS);
        otherSum += x * MEMORY.get(FLOAT, other + 2 * i & ADDRESS);
      }
      MEMORY.set(FLOAT, scores + 4L * p & ADDRESS, SCORE_FACTOR * sum);
      MEMORY.set(FLOAT, others + 4L * p & ADDRESS, SCORE_FACTOR * otherSum);
    }
  }

  /**
   * {@code y += Σ weights[p] · v[p]} and {@code z += Σ others[p] · v[p]} for {@code count} values
   * of {@code size} halves. Both may be the same.
   *
   * <p>Eight vectors of values, a whole head of 128 numbers, are taken position after position, so
   * that the processor sees them come in the order in which they lie. In narrower columns, or four
   * positions at a time, it took two to three times as long from memory.
   */
  public static void addWeighted(
      long weights, long others, long values, int count, int size, long y, long z) {
    long w = weights & ADDRESS;
    long u = others & ADDRESS;
    int i = 0;
    for (; i + 8 * COUNT <= size; i += 8 * COUNT) {
      long toY = y + 4L * i;
      long toZ = z + 4L * i;
      FloatVector ya = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY, ORDER);
      FloatVector za = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ, ORDER);
      FloatVector yb = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + BYTES, ORDER);
      FloatVector zb = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + BYTES, ORDER);
      FloatVector yc = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 2L * BYTES, ORDER);
      FloatVector zc = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 2L * BYTES, ORDER);
      FloatVector yd = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 3L * BYTES, ORDER);
      FloatVector zd = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 3L * BYTES, ORDER);
      FloatVector ye = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 4L * BYTES, ORDER);
      FloatVector ze = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 4L * BYTES, ORDER);
      FloatVector yf = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 5L * BYTES, ORDER);
      FloatVector zf = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 5L * BYTES, ORDER);
      FloatVector yg = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 6L * BYTES, ORDER);
      FloatVector zg = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 6L * BYTES, ORDER);
      FloatVector yh = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 7L * BYTES, ORDER);
      FloatVector zh = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 7L * BYTES, ORDER);
      long v = values + 2L * i;
      for (long p = 0; p != 4L * count; p += 4, v += 2L * size) {
        FloatVector f =
            FloatVector.broadcast(FLOATS, WEIGHT_FACTOR * MEMORY.get(FLOAT, w + p & ADDRESS));
        FloatVector g =
            FloatVector.broadcast(FLOATS, WEIGHT_FACTOR * MEMORY.get(FLOAT, u + p & ADDRESS));
        FloatVector xa =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v, ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        ya = f.fma(xa, ya);
        za = g.fma(xa, za);
        FloatVector xb =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v + BYTES / 2, ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        yb = f.fma(xb, yb);
        zb = g.fma(xb, zb);
        FloatVector xc =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v + 2L * (BYTES / 2), ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        yc = f.fma(xc, yc);
        zc = g.fma(xc, zc);
        FloatVector xd =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v + 3L * (BYTES / 2), ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        yd = f.fma(xd, yd);
        zd = g.fma(xd, zd);
        FloatVector xe =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v + 4L * (BYTES / 2), ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        ye = f.fma(xe, ye);
        ze = g.fma(xe, ze);
        FloatVector xf =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v + 5L * (BYTES / 2), ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        yf = f.fma(xf, yf);
        zf = g.fma(xf, zf);
        FloatVector xg =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v + 6L * (BYTES / 2), ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        yg = f.fma(xg, yg);
        zg = g.fma(xg, zg);
        FloatVector xh =
            ((IntVector)
                    ShortVector.fromMemorySegment(SHORTS, MEMORY, v + 7L * (BYTES / 2), ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        yh = f.fma(xh, yh);
        zh = g.fma(xh, zh);
      }
      ya.intoMemorySegment(MEMORY, toY, ORDER);
      za.intoMemorySegment(MEMORY, toZ, ORDER);
      yb.intoMemorySegment(MEMORY, toY + BYTES, ORDER);
      zb.intoMemorySegment(MEMORY, toZ + BYTES, ORDER);
      yc.intoMemorySegment(MEMORY, toY + 2L * BYTES, ORDER);
      zc.intoMemorySegment(MEMORY, toZ + 2L * BYTES, ORDER);
      yd.intoMemorySegment(MEMORY, toY + 3L * BYTES, ORDER);
      zd.intoMemorySegment(MEMORY, toZ + 3L * BYTES, ORDER);
      ye.intoMemorySegment(MEMORY, toY + 4L * BYTES, ORDER);
      ze.intoMemorySegment(MEMORY, toZ + 4L * BYTES, ORDER);
      yf.intoMemorySegment(MEMORY, toY + 5L * BYTES, ORDER);
      zf.intoMemorySegment(MEMORY, toZ + 5L * BYTES, ORDER);
      yg.intoMemorySegment(MEMORY, toY + 6L * BYTES, ORDER);
      zg.intoMemorySegment(MEMORY, toZ + 6L * BYTES, ORDER);
      yh.intoMemorySegment(MEMORY, toY + 7L * BYTES, ORDER);
      zh.intoMemorySegment(MEMORY, toZ + 7L * BYTES, ORDER);
    }
    for (; i + COUNT <= size; i += COUNT) {
      FloatVector ya = FloatVector.fromMemorySegment(FLOATS, MEMORY, y + 4L * i, ORDER);
      FloatVector za = FloatVector.fromMemorySegment(FLOATS, MEMORY, z + 4L * i, ORDER);
      for (int p = 0; p < count; p++) {
        FloatVector xa =
            ((IntVector)
                    ShortVector.fromMemorySegment(
                            SHORTS, MEMORY, values + 2L * (p * size + i), ORDER)
                        .convertShape(S2I, INTS, 0))
                .lanewise(LSHL, 13)
                .and(NUMBER)
                .reinterpretAsFloats();
        ya =
            FloatVector.broadcast(FLOATS, WEIGHT_FACTOR * MEMORY.get(FLOAT, w + 4L * p))
                .fma(xa, ya);
        za =
            FloatVector.broadcast(FLOATS, WEIGHT_FACTOR * MEMORY.get(FLOAT, u + 4L * p))
                .fma(xa, za);
      }
      ya.intoMemorySegment(MEMORY, y + 4L * i, ORDER);
      za.intoMemorySegment(MEMORY, z + 4L * i, ORDER);
    }
    for (; i < size; i++) {
      float sum = MEMORY.get(FLOAT, y + 4L * i & ADDRESS);
      float otherSum = MEMORY.get(FLOAT, z + 4L * i & ADDRESS);
      for (int p = 0; p < count; p++) {
        float x = Float.float16ToFloat(MEMORY.get(SHORT, values + 2L * (p * size + i) & ADDRESS));
        sum += MEMORY.get(FLOAT, w + 4L * p) * x;
        otherSum += MEMORY.get(FLOAT, u + 4L * p) * x;
      }
      MEMORY.set(FLOAT, y + 4L * i & ADDRESS, sum);
      MEMORY.set(FLOAT, z + 4L * i & ADDRESS, otherSum);
    }
  }
}
