package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * The call shapes of {@code objc_msgSend}: one method handle each, always with the fixed prototype
 * of the method that is called, never variadic.
 *
 * <p>Pointers and 64-bit integers travel in the same registers on every machine that has Metal, so
 * objects, selectors, pointers and numbers are all {@code long}; that also leaves no garbage.
 * {@code double}, {@code BOOL} and the by-value struct {@code MTLSize} have shapes of their own;
 * how a struct travels is the business of FFM's linker. The handles are constants, which the JIT
 * inlines; the function's address is their first argument.
 */
final class MessageSend {
  /** {@code MTLSize}: three unsigned 64-bit numbers. */
  static final StructLayout SIZE =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("width"), JAVA_LONG.withName("height"), JAVA_LONG.withName("depth"));

  // Named by result and arguments after (id self, SEL _cmd): L long, D double, B BOOL, S MTLSize.
  private static final MethodHandle L = shape(JAVA_LONG);
  private static final MethodHandle L_L = shape(JAVA_LONG, JAVA_LONG);
  private static final MethodHandle L_LL = shape(JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle L_LLL = shape(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle L_LLLL =
      shape(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle D = shape(JAVA_DOUBLE);
  private static final MethodHandle B = shape(JAVA_BOOLEAN);
  private static final MethodHandle B_L = shape(JAVA_BOOLEAN, JAVA_LONG);
  private static final MethodHandle V = shape(null);
  private static final MethodHandle V_L = shape(null, JAVA_LONG);
  private static final MethodHandle V_LL = shape(null, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle V_LLL = shape(null, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle V_B = shape(null, JAVA_BOOLEAN);
  private static final MethodHandle V_SS = shape(null, SIZE, SIZE);

  private final MemorySegment function;

  /**
   * @param function address of {@code objc_msgSend}
   */
  MessageSend(MemorySegment function) {
    this.function = function;
  }

  private static MethodHandle shape(MemoryLayout result, MemoryLayout... arguments) {
    FunctionDescriptor descriptor =
        result == null ? FunctionDescriptor.ofVoid() : FunctionDescriptor.of(result);
    return Linker.nativeLinker()
        .downcallHandle(
            descriptor
                .appendArgumentLayouts(JAVA_LONG, JAVA_LONG)
                .appendArgumentLayouts(arguments));
  }

  /** The handle of a plain C function. */
  static MethodHandle function(MemorySegment address, FunctionDescriptor descriptor) {
    return Linker.nativeLinker().downcallHandle(address, descriptor);
  }

  static final FunctionDescriptor POINTER_FROM_TEXT = FunctionDescriptor.of(JAVA_LONG, ADDRESS);
  static final FunctionDescriptor POINTER_FROM_POINTER =
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG);
  static final FunctionDescriptor POINTER = FunctionDescriptor.of(JAVA_LONG);
  static final FunctionDescriptor NOTHING_FROM_POINTER = FunctionDescriptor.ofVoid(JAVA_LONG);

  long ask(long self, long selector) {
    try {
      return (long) L.invokeExact(function, self, selector);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long ask(long self, long selector, long a) {
    try {
      return (long) L_L.invokeExact(function, self, selector, a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long ask(long self, long selector, long a, long b) {
    try {
      return (long) L_LL.invokeExact(function, self, selector, a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long ask(long self, long selector, long a, long b, long c) {
    try {
      return (long) L_LLL.invokeExact(function, self, selector, a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  long ask(long self, long selector, long a, long b, long c, long d) {
    try {
      return (long) L_LLLL.invokeExact(function, self, selector, a, b, c, d);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  double askDouble(long self, long selector) {
    try {
      return (double) D.invokeExact(function, self, selector);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  boolean askBoolean(long self, long selector) {
    try {
      return (boolean) B.invokeExact(function, self, selector);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  boolean askBoolean(long self, long selector, long a) {
    try {
      return (boolean) B_L.invokeExact(function, self, selector, a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  void tell(long self, long selector) {
    try {
      V.invokeExact(function, self, selector);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  void tell(long self, long selector, long a) {
    try {
      V_L.invokeExact(function, self, selector, a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  void tell(long self, long selector, long a, long b) {
    try {
      V_LL.invokeExact(function, self, selector, a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  void tell(long self, long selector, long a, long b, long c) {
    try {
      V_LLL.invokeExact(function, self, selector, a, b, c);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  void tellBoolean(long self, long selector, boolean a) {
    try {
      V_B.invokeExact(function, self, selector, a);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /**
   * @param a a {@link #SIZE}
   * @param b a {@link #SIZE}
   */
  void tellSizes(long self, long selector, MemorySegment a, MemorySegment b) {
    try {
      V_SS.invokeExact(function, self, selector, a, b);
    } catch (Throwable e) {
      throw unexpected(e);
    }
  }

  /** A downcall throws nothing of its own. */
  static RuntimeException unexpected(Throwable e) {
    return switch (e) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      default -> new IllegalStateException(e);
    };
  }
}
