/** Text to token ids and back, with the vocabulary of the model's own file. */
package dev.helixbg.llm.tokenizer;
