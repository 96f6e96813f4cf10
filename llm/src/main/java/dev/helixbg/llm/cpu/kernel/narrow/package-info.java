/**
 * Row kernels for vectors of 256 and 128 bits, with one source for both widths. Most of these
 * kernels compute in 16-bit integers (decision 81).
 */
package dev.helixbg.llm.cpu.kernel.narrow;
