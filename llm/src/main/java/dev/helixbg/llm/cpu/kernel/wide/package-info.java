/** Kernels of rows for 512 bits: {@code RowKernels} names one for each type. */
package dev.helixbg.llm.cpu.kernel.wide;
