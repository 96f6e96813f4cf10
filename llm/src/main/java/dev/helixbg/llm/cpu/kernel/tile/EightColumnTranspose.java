package dev.helixbg.llm.cpu.kernel.tile;

import static dev.helixbg.llm.cpu.lanes.Lanes.BY_2;
import static dev.helixbg.llm.cpu.lanes.Lanes.BY_4;
import static dev.helixbg.llm.cpu.lanes.Lanes.COUNT;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.INTS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadInts;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShuffle;

/**
 * Transposes eight columns of a tile: the eight numbers of a token, one from each column, become
 * adjacent in that token's row. The columns are, for example, the results of eight matrix rows.
 * Each step transposes one vector of each column, with vectors of 512 or 256 bits.
 *
 * <p>Three rounds of eight selections transpose 8 × 16 or 8 × 8 numbers. Moving the numbers one by
 * one would take a tenth of the time that a prompt takes.
 */
final class EightColumnTranspose {
  private static final int TOKENS = COUNT;
  static final boolean APPLIES = COUNT >= 8;

  static final int COLUMNS = 8;
  static final int SCRATCH = 4 * TOKENS * COLUMNS;

  // Indices that interleave two vectors in groups of 1, 2 and 4 numbers. A name without _2 is for
  // the first half of the tokens, a name with _2 for the second half.
  private static final IntVector ONES = interleaving(1, 0);
  private static final IntVector ONES_2 = interleaving(1, 1);
  private static final IntVector TWOS = interleaving(2, 0);
  private static final IntVector TWOS_2 = interleaving(2, 1);
  private static final IntVector FOURS = interleaving(4, 0);
  private static final IntVector FOURS_2 = interleaving(4, 1);

  private static final VectorShuffle<Float> BY_1 =
      VectorShuffle.fromOp(FLOATS, lane -> (lane ^ 1) % COUNT);

  // Masks of the lanes whose index has bit 1, 2 or 4 set.
  private static final VectorMask<Float> ODD_1 = VectorMask.fromLong(FLOATS, lanes(0xAAAA));
  private static final VectorMask<Float> ODD_2 = VectorMask.fromLong(FLOATS, lanes(0xCCCC));
  private static final VectorMask<Float> ODD_4 = VectorMask.fromLong(FLOATS, lanes(0xF0F0));

  private EightColumnTranspose() {}

  private static long lanes(int bits) {
    return bits & (1L << COUNT) - 1;
  }

  private static IntVector interleaving(int group, int half) {
    int[] places = new int[TOKENS]; // used with sixteen lanes only
    for (int i = 0; i < TOKENS; i++) {
      int place = i / (2 * group) * group + i % group + TOKENS / 2 * half;
      places[i] = i / group % 2 == 0 ? place : TOKENS + place;
    }
    return IntVector.fromArray(INTS, places, 0);
  }

  /**
   * Computes {@code rows[t][k] = tile[k][t]}, or {@code +=} if {@code adds} is true, for eight
   * columns k and {@code tokens} tokens t.
   *
   * @param width distance between columns of the tile, in bytes
   * @param stride distance between rows of tokens, in bytes
   * @param scratch memory of {@link #SCRATCH} bytes
   */
  static void write(
      long tile, long width, int tokens, boolean adds, long rows, long stride, long scratch) {
    for (int first = 0; first < tokens; first += TOKENS) {
      if (COUNT == 16) {
        transposeSixteen(tile + 4L * first, width, scratch);
      } else {
        transposeEight(tile + 4L * first, width, scratch);
      }
      int count = Math.min(TOKENS, tokens - first);
      if (adds) {
        addCopy(scratch, count, rows + first * stride, stride);
      } else {
        copy(scratch, count, rows + first * stride, stride);
      }
    }
  }

  private static void copy(long eights, int tokens, long rows, long stride) {
    for (int t = 0; t < tokens; t++) {
      FloatVector.fromMemorySegment(FloatVector.SPECIES_256, MEMORY, eights + 32L * t, ORDER)
          .intoMemorySegment(MEMORY, rows + t * stride, ORDER);
    }
  }

  private static void addCopy(long eights, int tokens, long rows, long stride) {
    for (int t = 0; t < tokens; t++) {
      long to = rows + t * stride;
      FloatVector.fromMemorySegment(FloatVector.SPECIES_256, MEMORY, to, ORDER)
          .add(
              FloatVector.fromMemorySegment(
                  FloatVector.SPECIES_256, MEMORY, eights + 32L * t, ORDER))
          .intoMemorySegment(MEMORY, to, ORDER);
    }
  }

  private static void transposeSixteen(long source, long width, long target) {
    IntVector a = loadInts(source);
    IntVector b = loadInts(source + width);
    IntVector c = loadInts(source + 2 * width);
    IntVector d = loadInts(source + 3 * width);
    IntVector e = loadInts(source + 4 * width);
    IntVector f = loadInts(source + 5 * width);
    IntVector g = loadInts(source + 6 * width);
    IntVector h = loadInts(source + 7 * width);

    IntVector ab = ONES.selectFrom(a, b);
    IntVector ab2 = ONES_2.selectFrom(a, b);
    IntVector cd = ONES.selectFrom(c, d);
    IntVector cd2 = ONES_2.selectFrom(c, d);
    IntVector ef = ONES.selectFrom(e, f);
    IntVector ef2 = ONES_2.selectFrom(e, f);
    IntVector gh = ONES.selectFrom(g, h);
    IntVector gh2 = ONES_2.selectFrom(g, h);

    IntVector abcd = TWOS.selectFrom(ab, cd);
    IntVector abcd2 = TWOS_2.selectFrom(ab, cd);
    IntVector abcd3 = TWOS.selectFrom(ab2, cd2);
    IntVector abcd4 = TWOS_2.selectFrom(ab2, cd2);
    IntVector efgh = TWOS.selectFrom(ef, gh);
    IntVector efgh2 = TWOS_2.selectFrom(ef, gh);
    IntVector efgh3 = TWOS.selectFrom(ef2, gh2);
    IntVector efgh4 = TWOS_2.selectFrom(ef2, gh2);

    FOURS.selectFrom(abcd, efgh).intoMemorySegment(MEMORY, target, ORDER);
    FOURS_2.selectFrom(abcd, efgh).intoMemorySegment(MEMORY, target + 64, ORDER);
    FOURS.selectFrom(abcd2, efgh2).intoMemorySegment(MEMORY, target + 128, ORDER);
    FOURS_2.selectFrom(abcd2, efgh2).intoMemorySegment(MEMORY, target + 192, ORDER);
    FOURS.selectFrom(abcd3, efgh3).intoMemorySegment(MEMORY, target + 256, ORDER);
    FOURS_2.selectFrom(abcd3, efgh3).intoMemorySegment(MEMORY, target + 320, ORDER);
    FOURS.selectFrom(abcd4, efgh4).intoMemorySegment(MEMORY, target + 384, ORDER);
    FOURS_2.selectFrom(abcd4, efgh4).intoMemorySegment(MEMORY, target + 448, ORDER);
  }

  /**
   * Transposes eight columns of eight tokens. In the first round, vectors whose indices differ by 1
   * exchange lanes whose indices differ by 1. The second round does the same with a difference of
   * 2, and the third with 4. This method is for processors without 512-bit vectors, which lack
   * instructions that select lanes from two vectors.
   */
  private static void transposeEight(long source, long width, long target) {
    FloatVector a0 = loadFloats(source);
    FloatVector b0 = loadFloats(source + width);
    FloatVector c0 = loadFloats(source + 2 * width);
    FloatVector d0 = loadFloats(source + 3 * width);
    FloatVector e0 = loadFloats(source + 4 * width);
    FloatVector f0 = loadFloats(source + 5 * width);
    FloatVector g0 = loadFloats(source + 6 * width);
    FloatVector h0 = loadFloats(source + 7 * width);

    FloatVector a1 = a0.blend(b0.rearrange(BY_1), ODD_1);
    FloatVector b1 = a0.rearrange(BY_1).blend(b0, ODD_1);
    FloatVector c1 = c0.blend(d0.rearrange(BY_1), ODD_1);
    FloatVector d1 = c0.rearrange(BY_1).blend(d0, ODD_1);
    FloatVector e1 = e0.blend(f0.rearrange(BY_1), ODD_1);
    FloatVector f1 = e0.rearrange(BY_1).blend(f0, ODD_1);
    FloatVector g1 = g0.blend(h0.rearrange(BY_1), ODD_1);
    FloatVector h1 = g0.rearrange(BY_1).blend(h0, ODD_1);

    FloatVector a2 = a1.blend(c1.rearrange(BY_2), ODD_2);
    FloatVector c2 = a1.rearrange(BY_2).blend(c1, ODD_2);
    FloatVector b2 = b1.blend(d1.rearrange(BY_2), ODD_2);
    FloatVector d2 = b1.rearrange(BY_2).blend(d1, ODD_2);
    FloatVector e2 = e1.blend(g1.rearrange(BY_2), ODD_2);
    FloatVector g2 = e1.rearrange(BY_2).blend(g1, ODD_2);
    FloatVector f2 = f1.blend(h1.rearrange(BY_2), ODD_2);
    FloatVector h2 = f1.rearrange(BY_2).blend(h1, ODD_2);

    FloatVector a3 = a2.blend(e2.rearrange(BY_4), ODD_4);
    FloatVector e3 = a2.rearrange(BY_4).blend(e2, ODD_4);
    FloatVector b3 = b2.blend(f2.rearrange(BY_4), ODD_4);
    FloatVector f3 = b2.rearrange(BY_4).blend(f2, ODD_4);
    FloatVector c3 = c2.blend(g2.rearrange(BY_4), ODD_4);
    FloatVector g3 = c2.rearrange(BY_4).blend(g2, ODD_4);
    FloatVector d3 = d2.blend(h2.rearrange(BY_4), ODD_4);
    FloatVector h3 = d2.rearrange(BY_4).blend(h2, ODD_4);

    a3.intoMemorySegment(MEMORY, target, ORDER);
    b3.intoMemorySegment(MEMORY, target + 32, ORDER);
    c3.intoMemorySegment(MEMORY, target + 64, ORDER);
    d3.intoMemorySegment(MEMORY, target + 96, ORDER);
    e3.intoMemorySegment(MEMORY, target + 128, ORDER);
    f3.intoMemorySegment(MEMORY, target + 160, ORDER);
    g3.intoMemorySegment(MEMORY, target + 192, ORDER);
    h3.intoMemorySegment(MEMORY, target + 224, ORDER);
  }
}
