/**
 * Matrix-vector products: the table of kernels for all types, and the kernels that support vectors
 * of any width.
 */
package dev.helixbg.llm.cpu.kernel.row;
