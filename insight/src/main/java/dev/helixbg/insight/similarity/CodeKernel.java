package dev.helixbg.insight.similarity;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Optional;

/**
 * Computes dot products with machine code on x86-64 processors with AVX2 or AVX-512. Machine code
 * is fast from the first call, while {@link VectorKernel} is slow for seconds, until C2 has
 * compiled it. With AVX2 there are 16 registers, but {@link VectorKernel} needs 27, so its sums
 * would move to memory and back.
 */
record CodeKernel(MemorySegment code, MemorySegment panels, int dimension) implements TileKernel {
  /** Handle of the machine code, which may read heap arrays because a call takes microseconds. */
  private static final MethodHandle CALL =
      Linker.nativeLinker()
          .downcallHandle(
              FunctionDescriptor.of(
                  ValueLayout.JAVA_FLOAT,
                  ValueLayout.ADDRESS,
                  ValueLayout.ADDRESS,
                  ValueLayout.ADDRESS,
                  ValueLayout.JAVA_LONG),
              Linker.Option.critical(true));

  /** The fastest machine code; empty if the processor or the system does not allow it. */
  static final Optional<TileKernel.Packing> FASTEST =
      sizes().stream().findFirst().flatMap(CodeKernel::withVectors);

  private CodeKernel(MemorySegment code, Vectors columns, Arena arena) {
    this(code, PackedVectors.nativePanels(columns, arena), columns.dimension());
  }

  /** Returns the sizes of vectors, in bits, for machine code on this processor, fastest first. */
  static List<Integer> sizes() {
    // The first processors with AVX-512, which lack VNNI, run slower with vectors of 512 bits.
    if (MachineCode.runs("avx512_vnni")) {
      return List.of(512, 256);
    }
    return MachineCode.runs("avx2") && MachineCode.has("fma") ? List.of(256) : List.of();
  }

  /** Returns machine code with vectors of {@code bits} bits; empty if the system forbids it. */
  static Optional<TileKernel.Packing> withVectors(int bits) {
    return MachineCode.function(TileCode.write(bits))
        .map(function -> (columns, arena) -> new CodeKernel(function.address(), columns, arena));
  }

  @Override
  public boolean multiply(float[] rows, int rowStart, int column, float limit, float[] products) {
    MemorySegment strip = MemorySegment.ofArray(rows).asSlice((long) rowStart * Float.BYTES);
    MemorySegment panel = panels.asSlice((long) column * dimension * Float.BYTES);
    try {
      float largest =
          (float)
              CALL.invokeExact(
                  code, strip, panel, MemorySegment.ofArray(products), (long) dimension);
      return largest >= limit;
    } catch (Throwable thrown) {
      throw NativeFunction.unexpected(thrown);
    }
  }
}
