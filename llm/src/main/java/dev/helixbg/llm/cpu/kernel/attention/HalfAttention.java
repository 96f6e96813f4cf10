package dev.helixbg.llm.cpu.kernel.attention;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadHalves;
import static dev.helixbg.llm.cpu.lanes.Lanes.sumOfLanes;

import jdk.incubator.vector.FloatVector;

/**
 * Computes the attention of two queries over the same f16 keys and values, which are read in place.
 * Each number that is loaded and converted serves both queries.
 *
 * <p>Keys and values are read by {@code Lanes.loadHalves}, which multiplies them by 2^−112. To
 * compensate for this, the other factors of the products are multiplied by 2^112 in all. Results
 * are correct for finite numbers only, because an infinite number counts as 2^16.
 */
public final class HalfAttention {
  /** Factor by which the caller of {@link #scores} multiplies queries beforehand. */
  public static final float QUERY_FACTOR = 0x1p56f;

  /**
   * Factor of scores. Its product with {@link #QUERY_FACTOR} is 2^112, which compensates for the
   * factor 2^−112 of the keys.
   */
  private static final float SCORE_FACTOR = 0x1p56f;

  private static final float WEIGHT_FACTOR = 0x1p112f;
  private static final float TOO_SMALL = 0x1p-112f;

  private HalfAttention() {}

  /**
   * Computes {@code scores[p] = q · k[p]} and {@code others[p] = other · k[p]} for {@code count}
   * keys of {@code size} f16 numbers. The caller has multiplied both queries by {@link
   * #QUERY_FACTOR}; they may be the same query.
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
        FloatVector x = loadHalves(k + i);
        s0 = loadFloats(q + 2 * i).fma(x, s0);
        t0 = loadFloats(other + 2 * i).fma(x, t0);
        FloatVector z = loadHalves(k + i + BYTES / 2);
        s1 = loadFloats(q + 2 * i + BYTES).fma(z, s1);
        t1 = loadFloats(other + 2 * i + BYTES).fma(z, t1);
      }
      float sum = sumOfLanes(s1.add(s0));
      float otherSum = sumOfLanes(t1.add(t0));
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
   * Computes {@code y += Σ weights[p] · v[p]} and {@code z += Σ others[p] · v[p]} for {@code count}
   * values of {@code size} f16 numbers. {@code others} may be {@code weights}, and z may be y.
   *
   * <p>For each position, the method reads eight vectors, which are adjacent in memory. With
   * vectors of 512 bits, they hold a whole head of 128 numbers. Reading fewer vectors per position,
   * or four positions at a time, took two to three times as long.
   */
  public static void addWeighted(
      long weights, long others, long values, int count, int size, long y, long z) {
    long w = weights & ADDRESS;
    long u = others & ADDRESS;
    int i = 0;
    for (; i + 8 * COUNT <= size; i += 8 * COUNT) {
      long toY = y + 4L * i;
      long toZ = z + 4L * i;
      FloatVector ya = loadFloats(toY);
      FloatVector za = loadFloats(toZ);
      FloatVector yb = loadFloats(toY + BYTES);
      FloatVector zb = loadFloats(toZ + BYTES);
      FloatVector yc = loadFloats(toY + 2L * BYTES);
      FloatVector zc = loadFloats(toZ + 2L * BYTES);
      FloatVector yd = loadFloats(toY + 3L * BYTES);
      FloatVector zd = loadFloats(toZ + 3L * BYTES);
      FloatVector ye = loadFloats(toY + 4L * BYTES);
      FloatVector ze = loadFloats(toZ + 4L * BYTES);
      FloatVector yf = loadFloats(toY + 5L * BYTES);
      FloatVector zf = loadFloats(toZ + 5L * BYTES);
      FloatVector yg = loadFloats(toY + 6L * BYTES);
      FloatVector zg = loadFloats(toZ + 6L * BYTES);
      FloatVector yh = loadFloats(toY + 7L * BYTES);
      FloatVector zh = loadFloats(toZ + 7L * BYTES);
      long v = values + 2L * i;
      for (long p = 0; p != 4L * count; p += 4, v += 2L * size) {
        FloatVector f =
            FloatVector.broadcast(FLOATS, WEIGHT_FACTOR * MEMORY.get(FLOAT, w + p & ADDRESS));
        FloatVector g =
            FloatVector.broadcast(FLOATS, WEIGHT_FACTOR * MEMORY.get(FLOAT, u + p & ADDRESS));
        FloatVector xa = loadHalves(v);
        ya = f.fma(xa, ya);
        za = g.fma(xa, za);
        FloatVector xb = loadHalves(v + BYTES / 2);
        yb = f.fma(xb, yb);
        zb = g.fma(xb, zb);
        FloatVector xc = loadHalves(v + 2L * (BYTES / 2));
        yc = f.fma(xc, yc);
        zc = g.fma(xc, zc);
        FloatVector xd = loadHalves(v + 3L * (BYTES / 2));
        yd = f.fma(xd, yd);
        zd = g.fma(xd, zd);
        FloatVector xe = loadHalves(v + 4L * (BYTES / 2));
        ye = f.fma(xe, ye);
        ze = g.fma(xe, ze);
        FloatVector xf = loadHalves(v + 5L * (BYTES / 2));
        yf = f.fma(xf, yf);
        zf = g.fma(xf, zf);
        FloatVector xg = loadHalves(v + 6L * (BYTES / 2));
        yg = f.fma(xg, yg);
        zg = g.fma(xg, zg);
        FloatVector xh = loadHalves(v + 7L * (BYTES / 2));
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
      FloatVector ya = loadFloats(y + 4L * i);
      FloatVector za = loadFloats(z + 4L * i);
      for (int p = 0; p < count; p++) {
        FloatVector xa = loadHalves(values + 2L * (p * size + i));
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
