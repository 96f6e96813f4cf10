package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.kernel.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.kernel.Lanes.BYTES_16;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.kernel.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.kernel.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.kernel.Lanes.ORDER;
import static dev.helixbg.llm.cpu.kernel.Lanes.SHORT;
import static jdk.incubator.vector.VectorOperators.B2F;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/**
 * Attention of two queries over the same keys and values of Q8_0, in place, 512 bits: what is
 * loaded and converted serves both.
 */
public final class Q8Attention {
  /** Whether these kernels apply; else keys and values are unpacked first. */
  public static final boolean APPLIES = Lanes.WIDE;

  private static final int BLOCK = 32;
  private static final int BLOCK_BYTES = 34;

  private Q8Attention() {}

  /**
   * {@code scores[p] = q · k[p]} and {@code others[p] = other · k[p]} for {@code count} keys. Both
   * may be the same.
   *
   * @param size of a key, a multiple of 32
   */
  public static void scores(
      long q, long other, long keys, int count, int size, long scores, long others) {
    long end = 4L * size;
    long k = keys & ADDRESS;
    for (long p = 0; p != 4L * count; p += 4) {
      FloatVector s = FloatVector.zero(FLOATS);
      FloatVector t = s;
      for (long x = 0; x != end; x += 4 * BLOCK, k += BLOCK_BYTES) {
        FloatVector low =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTES_16, MEMORY, k + 2, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        FloatVector high =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTES_16, MEMORY, k + 18, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        FloatVector scale =
            FloatVector.broadcast(FLOATS, Float.float16ToFloat(MEMORY.get(SHORT, k & ADDRESS)));
        FloatVector a = FloatVector.fromMemorySegment(FLOATS, MEMORY, q + x, ORDER).mul(low);
        FloatVector b = FloatVector.fromMemorySegment(FLOATS, MEMORY, other + x, ORDER).mul(low);
        a = FloatVector.fromMemorySegment(FLOATS, MEMORY, q + x + 64, ORDER).fma(high, a);
        b = FloatVector.fromMemorySegment(FLOATS, MEMORY, other + x + 64, ORDER).fma(high, b);
        s = scale.fma(a, s);
        t = scale.fma(b, t);
      }
      // In the order of LaneSums.
      s = s.add(s.rearrange(LaneSums.BY_8));
      t = t.add(t.rearrange(LaneSums.BY_8));
      s = s.add(s.rearrange(LaneSums.BY_4));
      t = t.add(t.rearrange(LaneSums.BY_4));
      s = s.add(s.rearrange(LaneSums.BY_2));
      t = t.add(t.rearrange(LaneSums.BY_2));
      MEMORY.set(FLOAT, scores + p & ADDRESS, s.lane(0) + s.lane(1));
      MEMORY.set(FLOAT, others + p & ADDRESS, t.lane(0) + t.lane(1));
    }
  }

  /**
   * {@code y += Σ weights[p] · v[p]} and {@code z += Σ others[p] · v[p]} for {@code count} values.
   * Both may be the same.
   *
   * <p>Two blocks at a time, so that position after position is read for half a head of 128.
   *
   * @param size of a value, a multiple of 32
   */
  public static void addWeighted(
      long weights, long others, long values, int count, int size, long y, long z) {
    long w = weights & ADDRESS;
    long u = others & ADDRESS;
    long valueBytes = (long) size / BLOCK * BLOCK_BYTES;
    int block = 0;
    for (; block + 2 <= size / BLOCK; block += 2) {
      long toY = y + 4L * BLOCK * block;
      long toZ = z + 4L * BLOCK * block;
      FloatVector ya = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY, ORDER);
      FloatVector yb = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 64, ORDER);
      FloatVector yc = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 128, ORDER);
      FloatVector yd = FloatVector.fromMemorySegment(FLOATS, MEMORY, toY + 192, ORDER);
      FloatVector za = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ, ORDER);
      FloatVector zb = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 64, ORDER);
      FloatVector zc = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 128, ORDER);
      FloatVector zd = FloatVector.fromMemorySegment(FLOATS, MEMORY, toZ + 192, ORDER);
      long v = values + (long) BLOCK_BYTES * block & ADDRESS;
      for (long p = 0; p != 4L * count; p += 4, v += valueBytes) {
        float weight = MEMORY.get(FLOAT, w + p & ADDRESS);
        float other = MEMORY.get(FLOAT, u + p & ADDRESS);
        float first = Float.float16ToFloat(MEMORY.get(SHORT, v & ADDRESS));
        float second = Float.float16ToFloat(MEMORY.get(SHORT, v + BLOCK_BYTES & ADDRESS));
        FloatVector f = FloatVector.broadcast(FLOATS, weight * first);
        FloatVector g = FloatVector.broadcast(FLOATS, other * first);
        FloatVector xa =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTES_16, MEMORY, v + 2, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        ya = f.fma(xa, ya);
        za = g.fma(xa, za);
        FloatVector xb =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTES_16, MEMORY, v + 18, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        yb = f.fma(xb, yb);
        zb = g.fma(xb, zb);
        FloatVector h = FloatVector.broadcast(FLOATS, weight * second);
        FloatVector i = FloatVector.broadcast(FLOATS, other * second);
        FloatVector xc =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTES_16, MEMORY, v + BLOCK_BYTES + 2, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        yc = h.fma(xc, yc);
        zc = i.fma(xc, zc);
        FloatVector xd =
            (FloatVector)
                ByteVector.fromMemorySegment(BYTES_16, MEMORY, v + BLOCK_BYTES + 18, ORDER)
                    .convertShape(B2F, FLOATS, 0);
        yd = h.fma(xd, yd);
        zd = i.fma(xd, zd);
      }
      ya.intoMemorySegment(MEMORY, toY, ORDER);
      yb.intoMemorySegment(MEMORY, toY + 64, ORDER);
      yc.intoMemorySegment(MEMORY, toY + 128, ORDER);
      yd.intoMemorySegment(MEMORY, toY + 192, ORDER);
      za.intoMemorySegment(MEMORY, toZ, ORDER);
      zb.intoMemorySegment(MEMORY, toZ + 64, ORDER);
      zc.intoMemorySegment(MEMORY, toZ + 128, ORDER);
      zd.intoMemorySegment(MEMORY, toZ + 192, ORDER);
    }
    if (block < size / BLOCK) {
      long at = 4L * BLOCK * block;
      addLast(w, u, values + (long) BLOCK_BYTES * block, count, valueBytes, y + at, z + at);
    }
  }

  /** As {@link #addWeighted}, the last block of an odd number. */
  private static void addLast(
      long weights, long others, long values, int count, long valueBytes, long y, long z) {
    FloatVector ya = FloatVector.fromMemorySegment(FLOATS, MEMORY, y, ORDER);
    FloatVector yb = FloatVector.fromMemorySegment(FLOATS, MEMORY, y + 64, ORDER);
    FloatVector za = FloatVector.fromMemorySegment(FLOATS, MEMORY, z, ORDER);
    FloatVector zb = FloatVector.fromMemorySegment(FLOATS, MEMORY, z + 64, ORDER);
    long v = values & ADDRESS;
    for (long p = 0; p != 4L * count; p += 4, v += valueBytes) {
      float scale = Float.float16ToFloat(MEMORY.get(SHORT, v & ADDRESS));
      FloatVector f =
          FloatVector.broadcast(FLOATS, scale * MEMORY.get(FLOAT, weights + p & ADDRESS));
      FloatVector g =
          FloatVector.broadcast(FLOATS, scale * MEMORY.get(FLOAT, others + p & ADDRESS));
      FloatVector xa =
          (FloatVector)
              ByteVector.fromMemorySegment(BYTES_16, MEMORY, v + 2, ORDER)
                  .convertShape(B2F, FLOATS, 0);
      ya = f.fma(xa, ya);
      za = g.fma(xa, za);
      FloatVector xb =
          (FloatVector)
              ByteVector.fromMemorySegment(BYTES_16, MEMORY, v + 18, ORDER)
                  .convertShape(B2F, FLOATS, 0);
      yb = f.fma(xb, yb);
      zb = g.fma(xb, zb);
    }
    ya.intoMemorySegment(MEMORY, y, ORDER);
    yb.intoMemorySegment(MEMORY, y + 64, ORDER);
    za.intoMemorySegment(MEMORY, z, ORDER);
    zb.intoMemorySegment(MEMORY, z + 64, ORDER);
  }
}
