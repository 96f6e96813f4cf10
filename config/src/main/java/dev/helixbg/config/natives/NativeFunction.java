package dev.helixbg.config.natives;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Collections;
import java.util.Optional;

/**
 * A C function with at most eight arguments; arguments and result are integers or pointers.
 *
 * <p>Arguments and result are passed as {@code long}. On x86-64 and arm64 an integer of any width
 * takes one register, or one word of the stack. A function ignores arguments beyond its own
 * parameters, and the upper bits of a narrower result have no meaning. One method handle therefore
 * serves all functions; the JIT inlines the handle, and a call allocates nothing.
 */
public record NativeFunction(MemorySegment address) {
  private static final int ARGUMENTS = 8;

  private static final MethodHandle CALL =
      Linker.nativeLinker()
          .downcallHandle(
              FunctionDescriptor.of(
                  JAVA_LONG,
                  Collections.nCopies(ARGUMENTS, JAVA_LONG).toArray(new MemoryLayout[0])));

  /** Returns a function of the C library; empty if the library has no function of that name. */
  public static Optional<NativeFunction> ofC(String name) {
    return Linker.nativeLinker().defaultLookup().find(name).map(NativeFunction::new);
  }

  public long call(long a, long b, long c, long d, long e, long f, long g, long h) {
    try {
      return (long) CALL.invokeExact(address, a, b, c, d, e, f, g, h);
    } catch (Throwable thrown) {
      throw unexpected(thrown);
    }
  }

  public long call(long a, long b, long c) {
    return call(a, b, c, 0, 0, 0, 0, 0);
  }

  public long call(long a) {
    return call(a, 0, 0);
  }

  /** Returns the exception to throw for {@code e}. If {@code e} is an Error, throws it at once. */
  public static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
