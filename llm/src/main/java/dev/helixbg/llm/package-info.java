/** The language model engine: GGUF file to tokens. Knows nothing of knowledge bases. */
package dev.helixbg.llm;
