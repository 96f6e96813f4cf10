/**
 * Matrix × vector for every type: the table of kernels, those of any width, and the order of rows.
 */
package dev.helixbg.llm.cpu.kernel.row;
