package dev.helixbg.llm.cpu.kernel.attention;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.SHORT;
import static dev.helixbg.llm.cpu.lanes.Lanes.broadcastHalf;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;

import dev.helixbg.llm.cpu.lanes.LaneSums;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.cpu.lanes.WideningLoads;
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
        FloatVector low = WideningLoads.bytes(k + 2);
        FloatVector high = WideningLoads.bytes(k + 18);
        FloatVector scale = broadcastHalf(k & ADDRESS);
        FloatVector a = loadFloats(q + x).mul(low);
        FloatVector b = loadFloats(other + x).mul(low);
        a = loadFloats(q + x + 64).fma(high, a);
        b = loadFloats(other + x + 64).fma(high, b);
        s = scale.fma(a, s);
        t = scale.fma(b, t);
      }
      MEMORY.set(FLOAT, scores + p & ADDRESS, LaneSums.sum(s));
      MEMORY.set(FLOAT, others + p & ADDRESS, LaneSums.sum(t));
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
      FloatVector ya = loadFloats(toY);
      FloatVector yb = loadFloats(toY + 64);
      FloatVector yc = loadFloats(toY + 128);
      FloatVector yd = loadFloats(toY + 192);
      FloatVector za = loadFloats(toZ);
      FloatVector zb = loadFloats(toZ + 64);
      FloatVector zc = loadFloats(toZ + 128);
      FloatVector zd = loadFloats(toZ + 192);
      long v = values + (long) BLOCK_BYTES * block & ADDRESS;
      for (long p = 0; p != 4L * count; p += 4, v += valueBytes) {
        float weight = MEMORY.get(FLOAT, w + p & ADDRESS);
        float other = MEMORY.get(FLOAT, u + p & ADDRESS);
        float first = Float.float16ToFloat(MEMORY.get(SHORT, v & ADDRESS));
        float second = Float.float16ToFloat(MEMORY.get(SHORT, v + BLOCK_BYTES & ADDRESS));
        FloatVector f = FloatVector.broadcast(FLOATS, weight * first);
        FloatVector g = FloatVector.broadcast(FLOATS, other * first);
        FloatVector xa = WideningLoads.bytes(v + 2);
        ya = f.fma(xa, ya);
        za = g.fma(xa, za);
        FloatVector xb = WideningLoads.bytes(v + 18);
        yb = f.fma(xb, yb);
        zb = g.fma(xb, zb);
        FloatVector h = FloatVector.broadcast(FLOATS, weight * second);
        FloatVector i = FloatVector.broadcast(FLOATS, other * second);
        FloatVector xc = WideningLoads.bytes(v + BLOCK_BYTES + 2);
        yc = h.fma(xc, yc);
        zc = i.fma(xc, zc);
        FloatVector xd = WideningLoads.bytes(v + BLOCK_BYTES + 18);
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
    FloatVector ya = loadFloats(y);
    FloatVector yb = loadFloats(y + 64);
    FloatVector za = loadFloats(z);
    FloatVector zb = loadFloats(z + 64);
    long v = values & ADDRESS;
    for (long p = 0; p != 4L * count; p += 4, v += valueBytes) {
      float scale = Float.float16ToFloat(MEMORY.get(SHORT, v & ADDRESS));
      FloatVector f =
          FloatVector.broadcast(FLOATS, scale * MEMORY.get(FLOAT, weights + p & ADDRESS));
      FloatVector g =
          FloatVector.broadcast(FLOATS, scale * MEMORY.get(FLOAT, others + p & ADDRESS));
      FloatVector xa = WideningLoads.bytes(v + 2);
      ya = f.fma(xa, ya);
      za = g.fma(xa, za);
      FloatVector xb = WideningLoads.bytes(v + 18);
      yb = f.fma(xb, yb);
      zb = g.fma(xb, zb);
    }
    ya.intoMemorySegment(MEMORY, y, ORDER);
    yb.intoMemorySegment(MEMORY, y + 64, ORDER);
    za.intoMemorySegment(MEMORY, z, ORDER);
    zb.intoMemorySegment(MEMORY, z + 64, ORDER);
  }
}
