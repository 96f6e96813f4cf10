/**
 * Inner loops (kernels) in the Java Vector API. They work on native memory and do not check their
 * arguments: callers pass sizes that were validated when the model was loaded.
 *
 * <p>If a vector is passed to a method that C2 does not inline, C2 boxes the vector. In large call
 * trees, C2 stops inlining. A kernel is therefore one flat method of about a thousand bytecodes
 * that takes addresses and numbers, never vectors.
 *
 * <p>Loops over vectors count bytes and end by {@code !=}. C2 therefore does not know the number of
 * iterations, and does not unroll the loop. Unrolled loops would take longer to compile and run no
 * faster. Counts must not be negative, because such a loop would not end.
 */
package dev.helixbg.llm.cpu.kernel;
