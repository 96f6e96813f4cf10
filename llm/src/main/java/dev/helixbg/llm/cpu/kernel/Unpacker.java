package dev.helixbg.llm.cpu.kernel;

import static dev.helixbg.llm.cpu.lanes.Lanes.ADDRESS;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTE;
import static dev.helixbg.llm.cpu.lanes.Lanes.BYTES_16;
import static dev.helixbg.llm.cpu.lanes.Lanes.FLOATS;
import static dev.helixbg.llm.cpu.lanes.Lanes.MEMORY;
import static dev.helixbg.llm.cpu.lanes.Lanes.ORDER;
import static dev.helixbg.llm.cpu.lanes.Lanes.loadFloats;
import static jdk.incubator.vector.VectorOperators.B2F;

import dev.helixbg.llm.backend.host.HostMemory;
import dev.helixbg.llm.cpu.lanes.Lanes;
import dev.helixbg.llm.tensor.Dequantize;
import dev.helixbg.llm.tensor.TensorType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.FloatVector;

/**
 * Turns stored weights of any type into floats, in their order, equal bit for bit to {@link
 * Dequantize}.
 *
 * <p>Two steps with the first-level cache between them: the quanta of a block become signed bytes
 * ({@link BlockQuanta}), then bytes times scale plus minimum become floats, for all types alike.
 *
 * <p>Holds the memory between the steps, and {@link #room} for a row: one per thread.
 */
public final class Unpacker {
  private final BlockQuanta quanta;
  private final Arena arena;
  private MemorySegment room = MemorySegment.NULL;

  public Unpacker(Arena arena) {
    this.arena = arena;
    quanta = new BlockQuanta(arena);
  }

  /**
   * Brings stored rows into the processor's caches from first to last, before they are unpacked
   * piece by piece: a processor fetches ahead what is read in one line.
   *
   * @param stride bytes from one row to the next
   * @param bytes of each row, of which a byte of every cache line is read
   * @return their sum, or they would not be read
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

  /** Address of at least {@code count} floats, of any content. */
  public long room(int count) {
    room = HostMemory.grown(arena, room, 4L * count);
    return room.address();
  }

  /**
   * Writes {@code elements} weights, stored at address {@code source}, as floats to address {@code
   * target}.
   *
   * @param elements a multiple of the type's block
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
              .mul(
                  (FloatVector)
                      ByteVector.fromMemorySegment(
                              ByteVector.SPECIES_64, MEMORY, bytes + 16L * group + 8L * half, ORDER)
                          .convertShape(B2F, FLOATS, 0))
              .intoMemorySegment(MEMORY, to + 32L * half, ORDER);
        }
        continue;
      }
      ByteVector q = ByteVector.fromMemorySegment(BYTES_16, MEMORY, bytes + 16L * group, ORDER);
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
