/**
 * Inner loops on the Java Vector API. They work on native memory, know neither models nor threads,
 * and check nothing: callers give sizes that were validated when the model was loaded.
 *
 * <p>Why they look as they do: C2 boxes a vector that crosses a call which it does not inline, and
 * it stops inlining in large call trees; so a kernel is one flat method that takes segments and
 * numbers, never vectors, and stays near a thousand bytecodes.
 *
 * <p>Loops over vectors end with {@code !=} and go in steps of bytes: C2 makes three and more
 * copies of the body of a loop whose rounds it can count, which takes longer and runs no faster. So
 * counts must not be negative.
 */
package dev.helixbg.llm.cpu.kernel;
