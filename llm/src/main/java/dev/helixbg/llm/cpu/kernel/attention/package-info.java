/** Inner loops of attention for tokens, and the softmax. */
package dev.helixbg.llm.cpu.kernel.attention;
