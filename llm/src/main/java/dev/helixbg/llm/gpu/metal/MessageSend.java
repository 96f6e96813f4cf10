package dev.helixbg.llm.gpu.metal;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.helixbg.llm.gpu.driver.NativeFunction;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;

/**
 * The call shapes of {@code objc_msgSend}, never variadic.
 *
 * <p>Objects, selectors, pointers and numbers are integers to {@link NativeFunction}: one shape for
 * all methods of those. {@code double} results and the by-value struct {@code MTLSize} have shapes
 * of their own; how a struct travels is the business of FFM's linker.
 */
final class MessageSend {
  /** {@code MTLSize}: three unsigned 64-bit numbers. */
  static final StructLayout SIZE =
      MemoryLayout.structLayout(
          JAVA_LONG.withName("width"), JAVA_LONG.withName("height"), JAVA_LONG.withName("depth"));

  private static final MethodHandle DOUBLE =
      Linker.nativeLinker()
          .downcallHandle(FunctionDescriptor.of(JAVA_DOUBLE, JAVA_LONG, JAVA_LONG));
  private static final MethodHandle SIZES =
      Linker.nativeLinker()
          .downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG, SIZE, SIZE));

  private final NativeFunction function;

  /**
   * @param function {@code objc_msgSend}
   */
  MessageSend(NativeFunction function) {
    this.function = function;
  }

  /** What a method returns; anything, if it returns nothing. */
  long ask(long self, long selector, long a, long b, long c, long d) {
    return function.call(self, selector, a, b, c, d, 0, 0);
  }

  long ask(long self, long selector, long a, long b, long c) {
    return ask(self, selector, a, b, c, 0);
  }

  long ask(long self, long selector, long a, long b) {
    return ask(self, selector, a, b, 0, 0);
  }

  long ask(long self, long selector, long a) {
    return ask(self, selector, a, 0, 0, 0);
  }

  long ask(long self, long selector) {
    return ask(self, selector, 0, 0, 0, 0);
  }

  /** What a method returns whose result is a {@code BOOL}: a byte. */
  boolean isTrue(long self, long selector, long a) {
    return (ask(self, selector, a) & 0xFF) != 0;
  }

  double askDouble(long self, long selector) {
    try {
      return (double) DOUBLE.invokeExact(function.address(), self, selector);
    } catch (Throwable e) {
      throw NativeFunction.unexpected(e);
    }
  }

  /**
   * @param a a {@link #SIZE}
   * @param b a {@link #SIZE}
   */
  void tellSizes(long self, long selector, MemorySegment a, MemorySegment b) {
    try {
      SIZES.invokeExact(function.address(), self, selector, a, b);
    } catch (Throwable e) {
      throw NativeFunction.unexpected(e);
    }
  }
}
