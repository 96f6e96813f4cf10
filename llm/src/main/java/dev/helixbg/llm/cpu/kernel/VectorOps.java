package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOAT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.sumOfLanes;
import static jdk.incubator.vector.VectorOperators.ABS;
import static jdk.incubator.vector.VectorOperators.EQ;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.MAX;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;

/** Operations on rows of floats between matrix products. Rows are passed as addresses. */
public final class VectorOps {
  /**
   * Float that rounds a number when it is added to the number. The low bits of the sum are the
   * integer that is nearest to the number.
   */
  public static final float TO_INTEGER = 0x1.8p23f;

  // exp(z) = 2^n · exp(r), where n is the integer nearest to z / ln 2. exp(r) is a Taylor series
  // for |r| ≤ ln 2 / 2; the error is below 2 ulp. Adding 1.5 · 2^23 to z / ln 2 leaves n in the low
  // bits of the sum. Shifting n to the position of the exponent and adding it to the bits of exp(r)
  // multiplies exp(r) by 2^n.
  private static final float LOWEST_EXPONENT = -87;
  private static final float HIGHEST_EXPONENT = 88;
  private static final float INVERSE_LN_2 = 1.44269504f;
  private static final float LN_2_HIGH = 0.693359375f;
  private static final float LN_2_LOW = -2.12194440e-4f;
  private static final float C2 = 1f / 2;
  private static final float C3 = 1f / 6;
  private static final float C4 = 1f / 24;
  private static final float C5 = 1f / 120;
  private static final float C6 = 1f / 720;

  private VectorOps() {}

  /** Returns {@code Σ a[i] · b[i]}. Four parallel sums hide the latency of an FMA. */
  public static float dot(long a, long b, int count) {
    FloatVector s0 = FloatVector.zero(FLOATS);
    FloatVector s1 = s0;
    FloatVector s2 = s0;
    FloatVector s3 = s0;
    long fours = 4L * (count & -4 * COUNT);
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != fours; i += 4 * BYTES) {
      s0 = loadFloats(a + i).fma(loadFloats(b + i), s0);
      s1 = loadFloats(a + i + BYTES).fma(loadFloats(b + i + BYTES), s1);
      s2 = loadFloats(a + i + 2 * BYTES).fma(loadFloats(b + i + 2 * BYTES), s2);
      s3 = loadFloats(a + i + 3 * BYTES).fma(loadFloats(b + i + 3 * BYTES), s3);
    }
    for (; i != vectors; i += BYTES) {
      s0 = loadFloats(a + i).fma(loadFloats(b + i), s0);
    }
    float sum = sumOfLanes(s0.add(s1).add(s2.add(s3)));
    for (; i != 4L * count; i += 4) {
      sum += MEMORY.get(FLOAT, a + i) * MEMORY.get(FLOAT, b + i);
    }
    return sum;
  }

  /** Computes {@code y = x · gain / √(mean(x²) + epsilon)}; y may be x. */
  public static void normalise(long x, int count, long gain, float epsilon, long y) {
    float scale = inverseRootMeanSquare(x, count, epsilon);
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != vectors; i += BYTES) {
      loadFloats(x + i)
          .mul(scale)
          .mul(loadFloats(gain + i))
          .intoMemorySegment(MEMORY, y + i, ORDER);
    }
    for (; i != 4L * count; i += 4) {
      MEMORY.set(FLOAT, y + i, MEMORY.get(FLOAT, x + i) * scale * MEMORY.get(FLOAT, gain + i));
    }
  }

  private static float inverseRootMeanSquare(long x, int count, float epsilon) {
    return (float) (1 / Math.sqrt(dot(x, x, count) / (double) count + epsilon));
  }

  /**
   * Normalises an attention head's numbers in place. Then rotates each pair of numbers (i, i +
   * half) by the angles of a position.
   *
   * @param angles {@code half} cosines, then {@code half} sines
   */
  public static void normaliseAndRotate(long x, int half, long gain, float epsilon, long angles) {
    float scale = inverseRootMeanSquare(x, 2 * half, epsilon);
    long second = 4L * half;
    long vectors = 4L * (half & -COUNT);
    long i = 0;
    for (; i != vectors; i += BYTES) {
      FloatVector a = loadFloats(x + i).mul(scale).mul(loadFloats(gain + i));
      FloatVector b = loadFloats(x + second + i).mul(scale).mul(loadFloats(gain + second + i));
      FloatVector cos = loadFloats(angles + i);
      FloatVector sin = loadFloats(angles + second + i);
      a.mul(cos).sub(b.mul(sin)).intoMemorySegment(MEMORY, x + i, ORDER);
      a.mul(sin).add(b.mul(cos)).intoMemorySegment(MEMORY, x + second + i, ORDER);
    }
    for (; i != second; i += 4) {
      float a = MEMORY.get(FLOAT, x + i) * scale * MEMORY.get(FLOAT, gain + i);
      float b = MEMORY.get(FLOAT, x + second + i) * scale * MEMORY.get(FLOAT, gain + second + i);
      float cos = MEMORY.get(FLOAT, angles + i);
      float sin = MEMORY.get(FLOAT, angles + second + i);
      MEMORY.set(FLOAT, x + i, a * cos - b * sin);
      MEMORY.set(FLOAT, x + second + i, a * sin + b * cos);
    }
  }

  public static void copy(long x, int count, long y) {
    MemorySegment.copy(MEMORY, x, MEMORY, y, 4L * count);
  }

  public static void clear(long y, int count) {
    MEMORY.asSlice(y, 4L * count).fill((byte) 0);
  }

  public static void add(long x, int count, long y) {
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != vectors; i += BYTES) {
      loadFloats(y + i).add(loadFloats(x + i)).intoMemorySegment(MEMORY, y + i, ORDER);
    }
    for (; i != 4L * count; i += 4) {
      MEMORY.set(FLOAT, y + i, MEMORY.get(FLOAT, y + i) + MEMORY.get(FLOAT, x + i));
    }
  }

  /** Computes {@code y = x · factor}; y may be x. */
  public static void multiply(long x, int count, float factor, long y) {
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != vectors; i += BYTES) {
      loadFloats(x + i).mul(factor).intoMemorySegment(MEMORY, y + i, ORDER);
    }
    for (; i != 4L * count; i += 4) {
      MEMORY.set(FLOAT, y + i, MEMORY.get(FLOAT, x + i) * factor);
    }
  }

  /** Computes {@code y = silu(gate) · y}, with {@code silu(z) = z / (1 + exp(−z))}. */
  public static void gate(long gate, int count, long y) {
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != vectors; i += BYTES) {
      FloatVector z = loadFloats(gate + i);
      FloatVector u = z.neg().max(LOWEST_EXPONENT).min(HIGHEST_EXPONENT);
      FloatVector t = u.mul(INVERSE_LN_2).add(TO_INTEGER);
      FloatVector n = t.sub(TO_INTEGER);
      FloatVector r = u.sub(n.mul(LN_2_HIGH)).sub(n.mul(LN_2_LOW));
      FloatVector p = r.mul(C6).add(C5).fma(r, FloatVector.broadcast(FLOATS, C4));
      p = p.fma(r, FloatVector.broadcast(FLOATS, C3)).fma(r, FloatVector.broadcast(FLOATS, C2));
      p = p.fma(r, FloatVector.broadcast(FLOATS, 1)).fma(r, FloatVector.broadcast(FLOATS, 1));
      FloatVector exp =
          p.reinterpretAsInts().add(t.reinterpretAsInts().lanewise(LSHL, 23)).reinterpretAsFloats();
      z.div(exp.add(1)).mul(loadFloats(y + i)).intoMemorySegment(MEMORY, y + i, ORDER);
    }
    for (; i != 4L * count; i += 4) {
      float z = MEMORY.get(FLOAT, gate + i);
      float silu = (float) (z / (1 + Math.exp(-z)));
      MEMORY.set(FLOAT, y + i, silu * MEMORY.get(FLOAT, y + i));
    }
  }

  /** Returns the largest of {@code count} floats; {@code count} is at least 1. */
  public static float max(long x, int count) {
    FloatVector largest = FloatVector.broadcast(FLOATS, Float.NEGATIVE_INFINITY);
    FloatVector other = largest;
    long pairs = 4L * (count & -2 * COUNT);
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != pairs; i += 2 * BYTES) {
      largest = loadFloats(x + i).max(largest);
      other = loadFloats(x + i + BYTES).max(other);
    }
    for (; i != vectors; i += BYTES) {
      largest = loadFloats(x + i).max(largest);
    }
    largest = other.max(largest);
    float max = largest.reduceLanes(MAX);
    for (; i != 4L * count; i += 4) {
      max = Math.max(max, MEMORY.get(FLOAT, x + i));
    }
    return max;
  }

  /** Returns the largest magnitude of 16 floats. */
  public static float largestOf16(long x) {
    FloatVector largest = loadFloats(x).lanewise(ABS);
    for (int lane = COUNT; lane < 16; lane += COUNT) {
      largest = loadFloats(x + 4 * lane).lanewise(ABS).max(largest);
    }
    return largest.reduceLanes(MAX);
  }

  /** Returns the index of the first float equal to {@code value}; 0 if there is none. */
  public static int indexOf(long x, int count, float value) {
    long vectors = 4L * (count & -COUNT);
    long i = 0;
    for (; i != vectors; i += BYTES) {
      VectorMask<Float> equal = loadFloats(x + i).compare(EQ, value);
      if (equal.anyTrue()) {
        return (int) (i / 4) + equal.firstTrue();
      }
    }
    for (; i != 4L * count; i += 4) {
      if (MEMORY.get(FLOAT, x + i) == value) {
        return (int) (i / 4);
      }
    }
    return 0;
  }
}
