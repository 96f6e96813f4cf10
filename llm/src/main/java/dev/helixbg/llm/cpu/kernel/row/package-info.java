/** Matrix × vector for every type: the table of kernels, and those of any width. */
package dev.helixbg.llm.cpu.kernel.row;
