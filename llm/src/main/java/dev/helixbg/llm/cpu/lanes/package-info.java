/**
 * Vector operations that kernels share. C2 inlines all methods of this package, so they may take
 * and return vectors, unlike kernels. In a large kernel C2 inlines only methods of at most
 * MaxTrivialSize bytecodes (scripts/lib/jvm.options, decision 86).
 */
package dev.helixbg.llm.cpu.lanes;
