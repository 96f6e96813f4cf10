package dev.helixbg.llm.cpu.lanes;

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
 * The vector shapes of this machine and the layouts of numbers in memory, as constants that C2 can
 * fold; and vectors from memory.
 */
public final class Lanes {
  /** Machine code of a function that returns at once. */
  private static final byte[] RETURN = {(byte) 0xC3};

  /** Whether machine code of AVX2 may run here. */
  public static final boolean MACHINE_CODE =
      MachineCode.runs("avx2")
          && MachineCode.has("fma", "f16c")
          && MachineCode.function(RETURN).isPresent();

  /**
   * Width of the widest vectors used here, in bits. 512 bits need machine code for the rows of
   * quantised matrices, because their kernels by the Vector API stop at 256 bits.
   */
  public static final int LARGEST = MACHINE_CODE ? 512 : 256;

  /** The property narrows vectors for tests: 128, 256 or 512. */
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

  /** Sixteen bytes, on every machine. */
  public static final VectorSpecies<Byte> BYTES_16 = ByteVector.SPECIES_128;

  public static final VectorSpecies<Integer> INTS_4 = IntVector.SPECIES_128;

  /** Floats per vector: 4, 8 or 16. */
  public static final int COUNT = FLOATS.length();

  /** The lanes of two vectors at even places, and at odd ones, each to a half of a vector. */
  public static final VectorShuffle<Float> EVEN =
      VectorShuffle.fromOp(FLOATS, lane -> 2 * lane % COUNT);

  public static final VectorShuffle<Float> ODD =
      VectorShuffle.fromOp(FLOATS, lane -> (2 * lane + 1) % COUNT);
  public static final VectorMask<Float> UPPER_HALF =
      VectorMask.fromLong(FLOATS, -1L << COUNT / 2 & (1L << COUNT) - 1);

  /** Whether the kernels that are written for 512 bits apply. */
  public static final boolean WIDE = COUNT == 16;

  /**
   * Bytes per vector, and the alignment of all activations: a load that crosses a cache line costs
   * two.
   */
  public static final int BYTES = COUNT * Float.BYTES;

  /**
   * All of memory: kernels take addresses. A segment of theirs would be of any class and session,
   * which C2 must tell apart at each access; of this constant it knows everything, and a load is a
   * load. Owners of segments call kernels only while these live, with sizes that were validated
   * when the model was opened.
   */
  public static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /**
   * C2 checks a number's place in {@link #MEMORY} at each access, three instructions that cost as
   * much as the arithmetic; but not where it can see that the place is neither negative nor near
   * the largest long. So kernels that read single numbers mask their addresses, which changes none.
   */
  public static final long ADDRESS = (1L << 62) - 1;

  public static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
  public static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ORDER);
  public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  private Lanes() {}

  /** A vector of floats from an address. */
  public static FloatVector loadFloats(long address) {
    return FloatVector.fromMemorySegment(FLOATS, MEMORY, address, ORDER);
  }

  /** A vector of ints. */
  public static IntVector loadInts(long address) {
    return IntVector.fromMemorySegment(INTS, MEMORY, address, ORDER);
  }

  /** Four ints. */
  public static IntVector loadInts4(long address) {
    return IntVector.fromMemorySegment(INTS_4, MEMORY, address, ORDER);
  }

  /** A vector of shorts. */
  public static ShortVector loadShorts(long address) {
    return ShortVector.fromMemorySegment(SHORTS, MEMORY, address, ORDER);
  }

  /** One float in all lanes. */
  public static FloatVector broadcastFloat(long address) {
    return FloatVector.broadcast(FLOATS, MEMORY.get(FLOAT, address));
  }

  /** One number of f16 in all lanes. */
  public static FloatVector broadcastHalf(long address) {
    return FloatVector.broadcast(FLOATS, Float.float16ToFloat(MEMORY.get(SHORT, address)));
  }
}
