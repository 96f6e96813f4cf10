package dev.helixbg.llm.cpu.lanes;

import static jdk.incubator.vector.VectorOperators.B2F;
import static jdk.incubator.vector.VectorOperators.LSHL;
import static jdk.incubator.vector.VectorOperators.S2I;

import dev.helixbg.config.x86.MachineCode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.ShortVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Constants that C2 can fold: the vector shapes of this machine and the memory layouts of numbers.
 * Also has methods that load vectors from memory.
 */
public final class Lanes {
  private static final byte[] RETURN = {(byte) 0xC3};

  /** Whether this machine can run generated machine code with AVX2, FMA and F16C instructions. */
  public static final boolean MACHINE_CODE =
      MachineCode.runs("avx2")
          && MachineCode.has("fma", "f16c")
          && MachineCode.function(RETURN).isPresent();

  /**
   * Maximum width of vectors, in bits. 512 bits need machine code for the rows of quantised
   * matrices, because the Vector API kernels for these rows support at most 256 bits.
   */
  public static final int LARGEST = MACHINE_CODE ? 512 : 256;

  /** Width of vectors in bits. For tests, a property narrows vectors to 128, 256 or 512 bits. */
  private static final int BITS =
      Math.min(
          LARGEST,
          Integer.getInteger("helixbg.vector.bits", FloatVector.SPECIES_PREFERRED.vectorBitSize()));

  public static final VectorSpecies<Float> FLOATS =
      VectorSpecies.of(float.class, VectorShape.forBitSize(BITS));
  public static final VectorSpecies<Integer> INTS =
      VectorSpecies.of(int.class, VectorShape.forBitSize(BITS));
  public static final VectorSpecies<Short> SHORTS =
      VectorSpecies.of(short.class, VectorShape.forBitSize(BITS));

  /** Number of floats per vector: 4, 8 or 16. */
  public static final int COUNT = FLOATS.length();

  /**
   * Shuffle that copies the lanes with even indices to both halves of a vector. {@link #ODD} copies
   * the lanes with odd indices.
   */
  public static final VectorShuffle<Float> EVEN =
      VectorShuffle.fromOp(FLOATS, lane -> 2 * lane % COUNT);

  public static final VectorShuffle<Float> ODD =
      VectorShuffle.fromOp(FLOATS, lane -> (2 * lane + 1) % COUNT);
  public static final VectorMask<Float> UPPER_HALF =
      VectorMask.fromLong(FLOATS, -1L << COUNT / 2 & (1L << COUNT) - 1);

  /**
   * Size of a vector and alignment of activations, in bytes. A load across two cache lines costs
   * twice as much as an aligned load.
   */
  public static final int BYTES = COUNT * Float.BYTES;

  /**
   * Segment of all memory, which kernels access by address. For any other segment, C2 would check
   * the segment's class and session at each access. For this constant C2 emits a plain load.
   * Callers must keep their segments alive, and pass sizes that were validated when the model was
   * opened.
   */
  public static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /**
   * Mask that is applied to each address. It does not change a valid address. Without the mask, C2
   * checks the bounds of {@link #MEMORY} at each access, with three instructions that cost as much
   * as the arithmetic.
   */
  public static final long ADDRESS = (1L << 62) - 1;

  public static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
  public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  /** Shuffle that swaps lanes whose indices differ by 8, in vectors of 16 lanes. */
  private static final VectorShuffle<Float> BY_8 = partners(8);

  /** Shuffle that swaps lanes whose indices differ by 4, in vectors of at least 8 lanes. */
  public static final VectorShuffle<Float> BY_4 = partners(4);

  public static final VectorShuffle<Float> BY_2 = partners(2);

  /** Species of short vectors with as many lanes as a vector of floats. */
  public static final VectorSpecies<Short> HALVES =
      VectorSpecies.of(short.class, VectorShape.forBitSize(BITS / 2));

  /**
   * Mask that removes the copies of the sign bit from an f16 number that was widened to an int and
   * shifted left by 13 bits.
   */
  private static final int NUMBER = 0x8FFFE000;

  private Lanes() {}

  private static VectorShuffle<Float> partners(int apart) {
    return VectorShuffle.fromOp(FLOATS, lane -> (lane ^ apart) % COUNT);
  }

  public static FloatVector loadFloats(long address) {
    return FloatVector.fromMemorySegment(FLOATS, MEMORY, address, ORDER);
  }

  public static IntVector loadInts(long address) {
    return IntVector.fromMemorySegment(INTS, MEMORY, address, ORDER);
  }

  public static IntVector loadInts4(long address) {
    return IntVector.fromMemorySegment(IntVector.SPECIES_128, MEMORY, address, ORDER);
  }

  public static ShortVector loadShorts(long address) {
    return ShortVector.fromMemorySegment(SHORTS, MEMORY, address, ORDER);
  }

  public static FloatVector broadcastFloat(long address) {
    return FloatVector.broadcast(FLOATS, MEMORY.get(FLOAT, address));
  }

  public static float half(long address) {
    return Float.float16ToFloat(MEMORY.get(SHORT, address));
  }

  public static FloatVector broadcastHalf(long address) {
    return FloatVector.broadcast(FLOATS, half(address));
  }

  /** Loads signed bytes as a vector of floats; only for vectors of at most 256 bits. */
  public static FloatVector loadSignedBytes(long address) {
    return (FloatVector)
        ByteVector.fromMemorySegment(ByteVector.SPECIES_64, MEMORY, address, ORDER)
            .convertShape(B2F, FLOATS, 0);
  }

  /**
   * Loads one f16 number per lane, multiplied by 2^−112. The result is correct only for finite
   * numbers.
   */
  public static FloatVector loadHalves(long address) {
    return ((IntVector)
            ShortVector.fromMemorySegment(HALVES, MEMORY, address, ORDER)
                .convertShape(S2I, INTS, 0))
        .lanewise(LSHL, 13)
        .and(NUMBER)
        .reinterpretAsFloats();
  }

  /**
   * Adds a vector's lanes in a fixed order: the upper half is added to the lower half, until one
   * number remains.
   *
   * <p>{@code reduceLanes(ADD)} has no fixed order. Interpreted and compiled code add in different
   * orders, so a result's last bits would change while a program warms up.
   */
  public static float sumOfLanes(FloatVector lanes) {
    FloatVector four = toFour(toEight(lanes));
    FloatVector two = four.add(four.rearrange(BY_2));
    return two.lane(0) + two.lane(1);
  }

  private static FloatVector toEight(FloatVector lanes) {
    return COUNT == 16 ? lanes.add(lanes.rearrange(BY_8)) : lanes;
  }

  private static FloatVector toFour(FloatVector lanes) {
    return COUNT >= 8 ? lanes.add(lanes.rearrange(BY_4)) : lanes;
  }

  /**
   * Stores six-bit quanta (stored integers of weights) minus 32, as bytes. A byte of {@code
   * nibbles} has the low four bits of a quantum in its lower half. A byte of {@code pairs} has the
   * upper two bits in its lowest bits.
   */
  public static void storeSixBits(IntVector nibbles, IntVector pairs, long address) {
    nibbles
        .and(0x0F0F0F0F)
        .or(pairs.and(0x03030303).lanewise(LSHL, 4))
        .reinterpretAsBytes()
        .sub((byte) 32)
        .intoMemorySegment(MEMORY, address, ORDER);
  }
}
