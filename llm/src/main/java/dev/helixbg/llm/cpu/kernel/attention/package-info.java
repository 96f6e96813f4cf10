/** Inner loops of the attention of single tokens, and the softmax. */
package dev.helixbg.llm.cpu.kernel.attention;
