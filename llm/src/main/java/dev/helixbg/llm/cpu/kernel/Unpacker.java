package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTE;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadSignedBytes;
import static jdk.incubator.vector.VectorOperators.B2F;

import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/**
 * Turns stored weights of any type into floats, in order, bit-identical to the floats of {@link
 * Dequantize}. First, {@link BlockQuanta} turns the quanta (stored integers) of a block into signed
 * bytes, which stay in the first-level cache. Then byte · scale + minimum becomes a float, in the
 * same way for all types.
 *
 * <p>Each thread needs its own instance, which has memory for a block's bytes.
 */
public final class Unpacker {
  private final BlockQuanta quanta;

  public Unpacker(Arena arena) {
    quanta = new BlockQuanta(arena);
  }

  /**
   * Reads stored rows into the processor's caches in order, before they are unpacked piece by
   * piece. A processor prefetches only memory that is read sequentially.
   *
   * @param stride distance between rows, in bytes
   * @param bytes number of bytes of each row; one byte of each cache line is read
   * @return sum of the bytes that were read; without a result, the compiler would remove the reads
   */
  public static int readAhead(long first, long stride, int rows, long bytes) {
    int sum = 0;
    for (int row = 0; row < rows; row++) {
      long from = first + stride * row & ADDRESS;
      for (long at = 0; at < bytes; at += HostMemory.ALIGNMENT) {
        sum += MEMORY.get(BYTE, from + at);
      }
    }
    return sum;
  }

  /**
   * Unpacks stored weights to floats.
   *
   * @param elements number of weights, a multiple of the type's block size
   */
  public void row(TensorType type, long source, int elements, long target) {
    switch (type) {
      case F32 -> VectorOps.copy(source, elements, target);
      case F16 -> HalfFloats.unpackF16(source, elements, target);
      case BF16 -> HalfFloats.unpackBf16(source, elements, target);
      default -> blocks(type, source, elements, target);
    }
  }

  private void blocks(TensorType type, long source, int elements, long target) {
    int step = type.blockElements();
    long block = source;
    long to = target;
    for (int i = 0; i < elements; i += step, block += type.blockBytes(), to += step * 4L) {
      long bytes = quanta.of(type, block);
      scale(bytes, step / 16, to);
      if (BlockQuanta.hasMinima(type)) {
        addMinima(step / 16, to);
      }
    }
  }

  private void scale(long bytes, int groups, long target) {
    for (int group = 0; group < groups; group++) {
      FloatVector factor = FloatVector.broadcast(FLOATS, quanta.scales[group]);
      long to = target + 64L * group;
      if (Lanes.COUNT == 8) {
        for (int half = 0; half < 2; half++) {
          factor
              .mul(loadSignedBytes(bytes + 16L * group + 8L * half))
              .intoMemorySegment(MEMORY, to + 32L * half, ORDER);
        }
        continue;
      }
      long from = bytes + 16L * group;
      ByteVector q = ByteVector.fromMemorySegment(ByteVector.SPECIES_128, MEMORY, from, ORDER);
      factor.mul((FloatVector) q.convertShape(B2F, FLOATS, 0)).intoMemorySegment(MEMORY, to, ORDER);
      if (Lanes.COUNT == 4) {
        factor
            .mul((FloatVector) q.convertShape(B2F, FLOATS, 1))
            .intoMemorySegment(MEMORY, to + 16, ORDER);
        factor
            .mul((FloatVector) q.convertShape(B2F, FLOATS, 2))
            .intoMemorySegment(MEMORY, to + 32, ORDER);
        factor
            .mul((FloatVector) q.convertShape(B2F, FLOATS, 3))
            .intoMemorySegment(MEMORY, to + 48, ORDER);
      }
    }
  }

  private void addMinima(int groups, long target) {
    for (int group = 0; group < groups; group++) {
      float minimum = quanta.minima[group];
      for (int lane = 0; lane < 16; lane += Lanes.COUNT) {
        long to = target + 64L * group + 4L * lane;
        loadFloats(to).add(minimum).intoMemorySegment(MEMORY, to, ORDER);
      }
    }
  }
}
