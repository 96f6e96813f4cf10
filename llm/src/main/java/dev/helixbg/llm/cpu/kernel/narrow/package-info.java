/**
 * Row kernels with vectors of 256 and 128 bits, most of them in 16-bit integers (decision 81). One
 * source serves both widths.
 */
package dev.helixbg.llm.cpu.kernel.narrow;
