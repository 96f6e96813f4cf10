package dev.helixbg.insight.similarity;

import dev.helixbg.config.natives.NativeFunction;
import dev.helixbg.config.x86.MachineCode;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/**
 * Computes the products with machine code on x86-64 processors with vectors of 256 bits. Such a
 * processor has 16 vector registers, but {@link VectorKernel} needs 27, so the compiled code of
 * that kernel would move sums to memory and back.
 */
final class CodeKernel implements TileKernel {
  /**
   * Handle for the call of the machine code. The call may read heap arrays in place, because it
   * takes only microseconds.
   */
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

  private static final Optional<NativeFunction> FUNCTION =
      MachineCode.runs("avx2") && MachineCode.has("fma")
          ? MachineCode.function(TileCode.write())
          : Optional.empty();

  private final MemorySegment code = FUNCTION.orElseThrow().address();
  private final MemorySegment panels;
  private final int dimension;

  CodeKernel(Vectors columns, Arena arena) {
    this.panels = PackedVectors.nativePanels(columns, arena);
    this.dimension = columns.dimension();
  }

  /** Whether the processor has the instructions and the system allows generated code. */
  static boolean applies() {
    return FUNCTION.isPresent();
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
