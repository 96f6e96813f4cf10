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
 * A C function whose arguments and result are integers or pointers, at most eight.
 *
 * <p>All of them are {@code long}: on x86-64 and arm64 integers of any width travel one to a
 * register, the seventh and eighth of x86-64 one to a word of the stack. No function looks at what
 * is past its own arguments, which the caller clears away, or says anything by the upper bits of a
 * narrower result. So one shape of call is enough; its handle is a constant, which the JIT inlines,
 * and a call leaves no garbage.
 */
public record NativeFunction(MemorySegment address) {
  private static final int ARGUMENTS = 8;

  private static final MethodHandle CALL =
      Linker.nativeLinker()
          .downcallHandle(
              FunctionDescriptor.of(
                  JAVA_LONG,
                  Collections.nCopies(ARGUMENTS, JAVA_LONG).toArray(new MemoryLayout[0])));

  /** A function of the C library; empty where it has none of that name. */
  public static Optional<NativeFunction> ofC(String name) {
    return Linker.nativeLinker().defaultLookup().find(name).map(NativeFunction::new);
  }

  /** Calls the function; arguments past its own mean nothing. */
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

  /** A downcall throws nothing of its own. */
  public static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
