/**
 * Inner loops (kernels) in the Java Vector API. They work on native memory and do not check their
 * arguments: callers pass sizes that were validated when the model was loaded.
 *
 * <p>C2 boxes a vector that is passed to a method that is not inlined, and C2 stops inlining in
 * large call trees. A kernel is therefore one flat method of about a thousand bytecodes that takes
 * addresses and numbers, never vectors.
 *
 * <p>Loops over vectors count bytes and use {@code !=} as their end condition, so that C2 cannot
 * compute the number of iterations. If it could, it would copy the loop body three times or more.
 * The copies take longer to compile and run no faster. Counts must not be negative.
 */
package dev.helixbg.llm.cpu.kernel;
