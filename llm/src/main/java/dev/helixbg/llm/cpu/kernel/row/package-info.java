/**
 * Products of matrices with vectors: the table of kernels for every type, and the kernels for any
 * vector width.
 */
package dev.helixbg.llm.cpu.kernel.row;
